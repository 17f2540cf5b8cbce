#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Everything on a machine with a GPU in one call: build, tests on all backends, compute-sanitizer, benchmarks.
#   tools/dev/gpu.sh [build] [test] [clips] [random] [sanitize] [damage] [long] [compare] [papers] ...
# in this order; without verbs all of them
#   tools/dev/gpu.sh python   the Python package, by a python3 with numpy, pybind11 and pytest
# Whole logs go to $OUT (default build-gpu/logs); a short table comes last. CTV_DEPS_DIR (default .deps, if it is there)
# holds unpacked packages that the machine lacks.
set -uo pipefail
cd "$(dirname "$0")/../.."
build=${CTV_GPU_BUILD:-build-gpu}
out=${OUT:-$build/logs}
deps=${CTV_DEPS_DIR:-.deps}
jobs=$(nproc)
mkdir -p "$out" "$build"
verbs=("$@")
[ ${#verbs[@]} -eq 0 ] && verbs=(build test clips random sanitize damage long compare papers)
declare -a table=()
failed=0

# step NAME LOG COMMAND...: runs, keeps the log, adds a line to the table.
step() {
  local name=$1 log=$out/$2 start=$SECONDS
  shift 2
  if "$@" >"$log" 2>&1; then
    table+=("ok      $name  ($((SECONDS - start)) s)")
  else
    failed=1
    table+=("FAILED  $name  ($((SECONDS - start)) s, $log)")
    tail -n 30 "$log"
  fi
}

# build [OPTION...] [TARGET...]
build() {
  local options=(-DCTV_TESTS=ON -DCTV_BENCH=ON -DCTV_CUDA=ON "-DCTV_CUDA_ARCHITECTURES=${CTV_CUDA_ARCHITECTURES:-90-real}")
  [ -d "$deps" ] && options+=("-DCTV_DEPS_DIR=$deps")
  while [[ ${1:-} == -D* ]]; do
    options+=("$1")
    shift
  done
  [ $# -gt 0 ] || set -- ctv_cuda_tests ctbench ctv_lab_tests
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "${options[@]}" && ninja -C "$build" -j "$jobs" "$@"
}
build_all() { ninja -C "$build" -k 0 -j "$jobs" all; }

# shard PROGRAM INDEX COUNT LOG: one of COUNT parts of a test program; its exit status becomes the log's last line.
shard() {
  GTEST_SHARD_INDEX=$2 GTEST_TOTAL_SHARDS=$3 timeout "${CTV_TEST_SECONDS:-240}" "$1" --gtest_brief=1 >"$4" 2>&1
  echo "code $?" >>"$4"
}
# total LABEL LOG...: the number behind "[  LABEL ]", summed over the logs.
total() {
  local label=$1
  shift
  sed -n "s/^\[ *$label *\] \([0-9]*\) tests\?\b.*/\1/p" "$@" | awk '{n += $1} END {print n + 0}'
}
# Each program in a few processes side by side, since ctest would start CUDA once for every case. Tests of shortages get
# a process each: threads that an earlier test has started cannot fail to start.
tests() {
  local dir=$out/test status=0 program name cases shards start i bad log
  rm -rf "$dir" && mkdir -p "$dir"
  [ -x "$build/bin/ctv_cuda_tests" ] || { echo "== FAILED: ctv_cuda_tests was not built"; return 1; }
  for program in "$build"/bin/ctv_*_tests; do
    [ -x "$program" ] || continue
    name=$(basename "$program")
    cases=$("$program" --gtest_list_tests | grep -c '^  ')
    case $name in
      ctv_shortage_tests) shards=$cases ;;
      *cuda*) shards=4 ;;
      *) shards=$(((jobs + 1) / 2)) ;; # cases use several threads
    esac
    [ "$shards" -le "$cases" ] || shards=$cases
    start=$SECONDS
    for ((i = 0; i < shards; ++i)); do
      while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
      shard "$program" "$i" "$shards" "$dir/$name.$i.log" &
    done
    wait
    if [ "$shards" -eq 0 ]; then
      status=1
      echo "== $name: FAILED to list its tests"
      continue
    fi
    echo "== $name: $(total PASSED "$dir/$name".*.log) of $cases passed, $(total SKIPPED "$dir/$name".*.log) skipped, in $shards processes, $((SECONDS - start)) s"
    bad=$(grep -L '^code 0$' "$dir/$name".*.log)
    [ -z "$bad" ] && continue
    status=1
    for log in $bad; do
      echo "FAILED: $(basename "$log" .log) of $shards, $(tail -n 1 "$log")"
      cat "$log"
    done
  done
  return $status
}

# Packets of a clip from both backends, both engines and several numbers of frames in flight, byte for byte; and every
# stream decoded by both and all of these.
clips() {
  local bin=$build/bin dir=$build/clips status=0 first
  mkdir -p "$dir"
  "$bin/ctgen" "$dir/clip.y4m" --size 1920x1080 --frames 40 || return 1
  for preset in paper default "default --lossless" "default --transform dct8x8" "default --transform h264-4x4"; do
    first=
    for run in "--backend cpu" "--backend cuda --engine direct" "--backend cuda --engine fft" \
      "CTV_CUDA_GRAPH=0 --backend cuda --engine direct"; do
      local variables=() options=()
      for word in $run; do [[ $word == *=* ]] && variables+=("$word") || options+=("$word"); done
      # shellcheck disable=SC2086
      [[ $run == *GRAPH* ]] && options+=(--in-flight 4)
      env "${variables[@]}" "$bin/ctenc" "$dir/clip.y4m" -o "$dir/new.ctv" --preset $preset "${options[@]}" \
        --benchmark --no-progress --no-scenecut >"$dir/report" 2>&1 || { status=1; cat "$dir/report"; continue; }
      [ -z "$first" ] && first=1 && cp "$dir/new.ctv" "$dir/first.ctv"
      cmp "$dir/first.ctv" "$dir/new.ctv" && echo "same: $preset $run" || { echo "DIFFERENT: $preset $run"; status=1; }
      cat "$dir/report"
    done
    rm -f "$dir"/*.yuv
    "$bin/ctdec" "$dir/first.ctv" -o "$dir/cpu.yuv" --backend cpu --no-progress 2>&1 || status=1
    for run in "--engine direct" "--engine fft" "--engine direct --in-flight 6"; do
      # shellcheck disable=SC2086
      "$bin/ctdec" "$dir/first.ctv" -o "$dir/cuda.yuv" --backend cuda $run --benchmark --no-progress 2>&1 || status=1
      cmp "$dir/cpu.yuv" "$dir/cuda.yuv" && echo "same pictures: $preset $run" || { echo "DIFFERENT pictures: $preset $run"; status=1; }
    done
  done
  # A device that fails somewhere in a stream of borrowed pictures: the CPU goes on with the same bytes.
  "$bin/ctenc" "$dir/clip.y4m" -o "$dir/first.ctv" --backend cpu --no-progress >"$dir/report" 2>&1 || status=1
  for call in 100 301 702 1203 2504; do
    CTV_CUDA_FAIL_AT=$call "$bin/ctenc" "$dir/clip.y4m" -o "$dir/new.ctv" --backend auto --in-flight 4 \
      --no-progress >"$dir/report" 2>&1 || status=1
    cmp "$dir/first.ctv" "$dir/new.ctv" && echo "same: failure at call $call" || { echo "DIFFERENT: failure at call $call"; status=1; }
  done
  return $status
}

# Random pictures and settings, in a process for each core: packets, pictures and errors are the CPU's.
random() {
  local dir=$out/random status=0 i
  rm -rf "$dir" && mkdir -p "$dir"
  for ((i = 1; i <= jobs; ++i)); do
    python3 tests/tools/random_settings.py "$build/bin" --seed "$i" --seconds "${CTV_RANDOM_SECONDS:-120}" --backend cuda \
      >"$dir/$i.log" 2>&1 || touch "$dir/failed" &
  done
  wait
  cat "$dir"/*.log
  [ ! -e "$dir/failed" ] || status=1
  return $status
}

# watch NAME PID: resident memory of the process and used memory of the device, in MiB, until it ends; the first third
# is left out. Fails if either grew by more than 2 %.
watch() {
  local name=$1 pid=$2
  while kill -0 "$pid" 2>/dev/null; do
    echo "$(awk '/VmRSS/ {print int($2 / 1024)}' "/proc/$pid/status" 2>/dev/null) $(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits)"
    sleep 0.2
  done | awk -v name="$name" 'NF == 2 && $1 > 0 {host[n] = $1; device[n++] = $2}
    END {
      first = int(n / 3)
      last = n - 2
      printf "memory %s: %d samples, host %d to %d MiB, device %d to %d MiB\n", name, n, host[first], host[last], device[first], device[last]
      exit !(n > 5 && host[last] <= 1.02 * host[first] + 1 && device[last] <= 1.02 * device[first] + 1)
    }'
}
# 3,000 frames in one stream, encoded and decoded with frames in flight: memory stays flat.
long() {
  local bin=$build/bin dir=$build/clips status=0 head
  mkdir -p "$dir"
  "$bin/ctgen" "$dir/part.y4m" --size 1920x1080 --frames 60 || return 1
  head=$(head -n 1 "$dir/part.y4m" | wc -c)
  { head -n 1 "$dir/part.y4m" && for _ in {1..50}; do tail -c +$((head + 1)) "$dir/part.y4m"; done; } |
    "$bin/ctenc" - -o "$dir/long.ctv" --backend cuda --in-flight 8 --no-progress 2>&1 &
  local pid=$!
  watch encoder "$pid" || status=1
  wait "$pid" || status=1
  "$bin/ctdec" "$dir/long.ctv" --benchmark --backend cuda --in-flight 8 --no-progress 2>&1 &
  pid=$!
  watch decoder "$pid" || status=1
  wait "$pid" || status=1
  return $status
}

# TOOL PROGRAM TEST: one test under one tool. Its exit status, seconds and summary become the log's last line.
sanitize_one() {
  local tool=$1 program=$2 name=$3 log=$4/$1.${3//\//_}.log small=1 start=$SECONDS code
  local -a options=()
  case $tool in
    # A graph that cannot be updated is made anew, and a recording that was cut short is discarded.
    memcheck) options=(--report-api-errors no) ;;
    # Far the slowest. All lanes of a warp decode the same symbols and write the same numbers to the same places.
    racecheck) small=2 options=(--kernel-regex-exclude kns=decode_kernel) ;;
    # It looks at a graph's copies when the graph is launched, before the kernels in it have run.
    initcheck) export CTV_CUDA_GRAPH=0 ;;
  esac
  CTV_TEST_SMALL=$small timeout "${CTV_SANITIZE_SECONDS:-300}" compute-sanitizer --tool "$tool" "${options[@]}" \
    --error-exitcode 9 --print-limit 5 "$program" --gtest_brief=1 --gtest_filter="$name" >"$log" 2>&1
  code=$?
  # A test that is skipped, or of the CPU alone, calls nothing that could be looked at, and the tool says so.
  [ $code -eq 255 ] && grep -q 'terminated before first instrumented API call' "$log" && ! grep -q FAILED "$log" && code=skipped
  echo >>"$log" # a tool that was stopped leaves a line without its end
  echo "$tool $name: code $code, $((SECONDS - start)) s, $(grep -oE '(ERROR|RACECHECK) SUMMARY: .*' "$log" | tail -n 1)" >>"$log"
}
# All four tools, a process for each test, as many side by side as there are cores, the slowest tool first.
sanitize() {
  local dir=$build/sanitize tool program name status=0
  rm -rf "$dir" && mkdir -p "$dir"
  for program in ctv_cuda_tests ctv_lab_tests; do
    "$build/bin/$program" --gtest_list_tests >"$dir/$program" && grep -q '^ ' "$dir/$program" ||
      { echo "== FAILED to list the tests of $program"; return 1; }
  done
  export -f sanitize_one
  for tool in racecheck initcheck synccheck memcheck; do
    for program in ctv_cuda_tests ctv_lab_tests; do
      awk '/^[^ ]/ {suite = $1} /^ / && $1 !~ /^DISABLED/ {print suite $1}' "$dir/$program" |
        while read -r name; do
          # cuFFT's kernels take too long there.
          [ $tool = racecheck ] && [[ $name == CudaTransform.Fft* ]] || echo "$tool $build/bin/$program $name $dir"
        done
    done
  done | xargs -P "$jobs" -L 1 bash -c 'sanitize_one "$@"' sanitize_one
  for name in "$dir"/*.log; do
    tail -n 1 "$name"
    tail -n 1 "$name" | grep -qE ': code (0|skipped),' || { status=1; head -n 40 "$name" | grep -v ': code '; }
  done
  return $status
}

# Damaged streams of every kind, decoded in every way by the device, a process for each kind: pictures and errors are the
# CPU's. Under compute-sanitizer no kernel leaves its memory; and what new memory is filled with changes nothing, so none
# reads what nothing has written. (initcheck does not do for that: where threads make decoders side by side, it takes
# arrays that were copied whole for unwritten.)
damage() {
  local dir=$build/damage run name status=0
  local -a names command
  mapfile -t names < <("$build/bin/ctv_stream_tests" --gtest_list_tests --gtest_filter='*Damage*_cuda' | sed -n 's/^ .*\/\([^ ]*_cuda\).*/\1/p')
  [ ${#names[@]} -gt 0 ] || return 1
  rm -rf "$dir" && mkdir -p "$dir"
  for run in memcheck fill165 fill255; do
    # A graph that cannot be updated is made anew; other failures of calls are errors of the decoder.
    command=(compute-sanitizer --tool memcheck --report-api-errors no --error-exitcode 9 --print-limit 5)
    [ $run = memcheck ] || command=(env "CTV_CUDA_FILL=${run#fill}")
    for name in "${names[@]}"; do
      {
        CTV_DAMAGE_SECONDS=${CTV_DAMAGE_SECONDS:-120} timeout $((${CTV_DAMAGE_SECONDS:-120} + 60)) "${command[@]}" \
          "$build/bin/ctv_stream_tests" --gtest_brief=1 --gtest_filter="*Damage*/$name" >"$dir/$run.$name.log" 2>&1
        echo "code $?" >>"$dir/$run.$name.log"
      } &
    done
    wait
    for name in "${names[@]}"; do
      echo "$run $(tail -n 1 "$dir/$run.$name.log"), $(grep -h '^damage: ' "$dir/$run.$name.log"), $(grep -oE 'ERROR SUMMARY: .*' "$dir/$run.$name.log" | tail -n 1)"
      grep -q '^code 0' "$dir/$run.$name.log" && grep -q '^damage: ' "$dir/$run.$name.log" ||
        { status=1; head -n 40 "$dir/$run.$name.log"; tail -n 12 "$dir/$run.$name.log"; }
    done
  done
  return $status
}

# Everything that ctbench measures, for the record: on the clips of .clips where it is there, else on generated ones.
# JSON and, where python3 has scipy, the page go to $OUT/compare; without scipy the page is made elsewhere from the JSON
# (ctbench report).
compare() {
  local -a clips=()
  [ -d .clips ] && mapfile -t clips < <(find .clips -name '*.y4m' | sort)
  "$build/bin/ctbench" all --no-progress -o "$out/compare" "${clips[@]}"
}

# The package's tests; those with pictures in device memory must not be skipped. CTV_GPU_PYTEST: more arguments.
python() {
  local python pybind
  python=$(command -v python3) && pybind=$("$python" -m pybind11 --cmakedir) || return 1
  build -DCTV_PYTHON=ON "-DPython_EXECUTABLE=$python" "-Dpybind11_DIR=$pybind" ctv_cuda ctv_python ctgen ctenc ctdec || return 1
  # shellcheck disable=SC2086
  CTV_BIN=$(realpath "$build/bin") PYTHONPATH=$(realpath "$build/python"):${PYTHONPATH:-} \
    "$python" -B -m pytest -q -rs -p no:cacheprovider ${CTV_GPU_PYTEST:-tests/python} | tee "$build/python.txt" &&
    ! grep -q 'no device:' "$build/python.txt"
}

for verb in "${verbs[@]}"; do
  case $verb in
    build)
      step "build of the CUDA backend and its tests" build.log build
      step "build of the rest" build_all.log build_all
      ;;
    test)
      step tests test.log tests
      while read -r line; do table+=("        $line"); done < <(grep -E '^== |^FAILED|^\[  FAILED  \].* ms\)$' "$out/test.log" | awk '!seen[$0]++' | cut -c1-150)
      ;;
    clips)
      step clips clips.log clips
      while read -r line; do table+=("        $line"); done < <(grep -E '^same|^DIFFERENT' "$out/clips.log")
      ;;
    random)
      step "random settings" random.log random
      while read -r line; do table+=("        $line"); done < <(grep -E '^(seed|case) ' "$out/random.log" | cut -c1-150)
      ;;
    sanitize)
      step "compute-sanitizer" sanitize.log sanitize
      table+=("        $(grep -cE '^[a-z]+check .*: code 0,' "$out/sanitize.log") tests without a finding, $(grep -cE '^[a-z]+check .*: code skipped,' "$out/sanitize.log") skipped")
      while read -r line; do table+=("        $line"); done < <(grep -E '^[a-z]+check .*: code [1-9]' "$out/sanitize.log")
      ;;
    damage)
      [ -x "$build/bin/ctv_stream_tests" ] || step build build.log build
      step "damaged streams and their tests" build_damage.log ninja -C "$build" -j "$jobs" ctv_cuda ctv_stream_tests
      step "damaged streams" damage.log damage
      while read -r line; do table+=("        $line"); done < <(grep -E '^(memcheck|fill[0-9]+) code' "$out/damage.log")
      ;;
    long)
      step "3,000 frames" long.log long
      while read -r line; do table+=("        $line"); done < <(grep -E '^memory|^encoded|^decoded' "$out/long.log")
      ;;
    compare)
      # What ctbench needs, in case that build was not asked for.
      [ -x "$build/bin/ctbench" ] || step build build.log build
      step "ctbench" build_bench.log ninja -C "$build" -j "$jobs" ctbench ctv_cuda
      step comparison compare.log compare
      while read -r line; do table+=("        $line"); done < <(grep -E '^\| (en|de)cod|^ctbench: |^left out|^WRONG|took' "$out/compare.log" | cut -c1-160)
      ;;
    papers) # CTV_GPU_IMAGE: a grey image for the DCT, else a made-up one
      [ -d "$build/CMakeFiles" ] || step build build.log build
      step "ctbench and its kernels" build_papers.log ninja -C "$build" -j "$jobs" ctbench ctv_cuda
      # shellcheck disable=SC2086
      step papers papers.log "$build/bin/ctbench" papers --no-progress --json "$out/papers.json" ${CTV_GPU_IMAGE:+--image $CTV_GPU_IMAGE}
      cat "$out/papers.log"
      ;;
    python)
      step "the Python package" python.log python
      while read -r line; do table+=("        $line"); done < <(grep -E '^(FAILED|ERROR|SKIPPED) | (passed|failed)' "$out/python.log" | cut -c1-150)
      ;;
    *) echo "unknown verb $verb"; exit 1 ;;
  esac
done
# In one piece, for machines that give few files back; made elsewhere, since a folder must not change while it is read.
tar -czf "$build/all.tgz" --exclude=./all.tgz -C "$out" . && mv "$build/all.tgz" "$out/all.tgz"
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader 2>/dev/null
printf '%s\n' "${table[@]}"
exit $failed
