#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What only a machine with a GPU can tell. Installs nothing.
#   tools/dev/gpu.sh [build] [test] [random] [sanitize] [damage] [long] [compare] [papers]   in this order; without verbs all of them
#   tools/dev/gpu.sh python   the Python package, by a python3 with numpy, pybind11 and pytest
# Logs go to $OUT (default: logs in the build folder); a short table comes last.
# Environment: CTV_GPU_BUILD (build folder, default build-gpu), CTV_CUDA_ARCHITECTURES (default 90-real), CTV_DEPS_DIR
# (unpacked packages that the machine lacks; default .deps if it is there), CTV_RANDOM_SECONDS, CTV_SANITIZE_SECONDS of
# each test, CTV_DAMAGE_SECONDS.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
build=${CTV_GPU_BUILD:-build-gpu}
out=${OUT:-$build/logs}
deps=${CTV_DEPS_DIR:-.deps}
jobs=$(nproc)
mkdir -p "$out" "$build"

verb_build() { # verb_build [OPTION...] [TARGET...]
  local options=(-DCTV_TESTS=ON -DCTV_TEST_SHARDS=ON -DCTV_BENCH=ON -DCTV_CUDA=ON)
  options+=("-DCTV_CUDA_ARCHITECTURES=${CTV_CUDA_ARCHITECTURES:-90-real}")
  [ ! -d "$deps" ] || options+=("-DCTV_DEPS_DIR=$deps")
  while [[ ${1:-} == -D* ]]; do
    options+=("$1")
    shift
  done
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "${options[@]}" && ninja -C "$build" -j "$jobs" "$@"
}

# A process for an eighth of a program, since CUDA takes as long to start as many tests to run.
verb_test() {
  local status=0
  ctest --test-dir "$build" -j $(((jobs + 1) / 2)) --output-on-failure --no-tests=error -LE tools -E '^(repository|api)\.' || status=1
  awk '/^\[  (PASSED|SKIPPED) *\] [0-9]+ test/ {n[$2] += $4} END {print n["PASSED"] + 0, "tests passed,", n["SKIPPED"] + 0, "skipped"}' \
    "$build/Testing/Temporary/LastTest.log"
  return $status
}

# side_by_side FOLDER: of each line of the input, "NAME SECONDS COMMAND...", a process. The last line of its log says how it
# ended; a log that ends in anything but code 0 is shown.
one() {
  local log=$1/$2.log limit=$3 start=$SECONDS code
  shift 3
  timeout "$limit" "$@" >"$log" 2>&1
  code=$?
  # A test that is skipped, or of the CPU alone, calls nothing that could be looked at, and the tool says so.
  grep -q 'terminated before first instrumented API call' "$log" && ! grep -q FAILED "$log" && code=0
  printf '\n%s\n' "code $code, $((SECONDS - start)) s $(grep -oE '^damage: .*|(ERROR|RACECHECK) SUMMARY: .*' "$log" | tr '\n' ' ')" >>"$log"
}
side_by_side() {
  local folder=$build/$1 log status=0
  rm -rf "$folder" && mkdir -p "$folder"
  export -f one
  xargs -r -P "$jobs" -L 1 bash -c 'one "$@"' one "$folder"
  for log in "$folder"/*.log; do
    echo "$(basename "$log" .log): $(tail -n 1 "$log")"
    tail -n 1 "$log" | grep -q '^code 0,' || { status=1 && head -n 40 "$log" && tail -n 12 "$log"; }
  done
  return $status
}
tests_of() { # tests_of PROGRAM FILTER: their names
  "$build/bin/$1" --gtest_list_tests --gtest_filter="$2" | awk '/^[^ ]/ {suite = $1} /^ / && suite $1 !~ /DISABLED/ {print suite $1}'
}

# Random pictures and settings: packets, pictures and errors are the CPU's.
verb_random() {
  local seed seconds=${CTV_RANDOM_SECONDS:-120}
  for ((seed = 1; seed <= jobs; ++seed)); do
    echo "$seed $((seconds + 300)) python3 tests/tools/random_settings.py $build/bin --seed $seed --seconds $seconds --backend cuda"
  done | side_by_side random
}

# The slowest tool first.
verb_sanitize() {
  local tool test small graph options
  for tool in racecheck initcheck synccheck memcheck; do
    small=1 graph=1 options=
    case $tool in
      # A graph that cannot be updated is made anew, and a recording that was cut short is discarded.
      memcheck) options='--report-api-errors no' ;;
      # All lanes of a warp decode the same symbols and write the same numbers to the same places.
      racecheck) small=2 options='--kernel-regex-exclude kns=decode_kernel' ;;
      # It looks at a graph's copies when the graph is launched, before the kernels in it have run.
      initcheck) graph=0 ;;
    esac
    for test in $(tests_of ctv_cuda_tests '*'); do
      # cuFFT's kernels take too long there.
      [[ $tool$test == racecheckCudaTransform.Fft* ]] && continue
      echo "$tool.${test//\//_} ${CTV_SANITIZE_SECONDS:-300} env CTV_TEST_SMALL=$small CTV_CUDA_GRAPH=$graph compute-sanitizer" \
        "--tool $tool $options --error-exitcode 9 --print-limit 5 $build/bin/ctv_cuda_tests --gtest_brief=1 --gtest_filter=$test"
    done
  done | side_by_side sanitize
}

# Damaged streams of every kind: pictures and errors are the CPU's. Under compute-sanitizer no kernel leaves its memory;
# and what new memory is filled with changes nothing, so none reads what nothing has written. (initcheck does not do for
# that: where threads make decoders side by side, it takes arrays that were copied whole for unwritten.)
verb_damage() {
  local run test seconds=${CTV_DAMAGE_SECONDS:-120}
  local checked='compute-sanitizer --tool memcheck --report-api-errors no --error-exitcode 9 --print-limit 5'
  for run in "memcheck $checked" "fill165 env CTV_CUDA_FILL=165" "fill255 env CTV_CUDA_FILL=255"; do
    for test in $(tests_of ctv_stream_tests '*Damage*_cuda'); do
      echo "${run%% *}.${test//\//_} $((seconds + 60)) env CTV_DAMAGE_SECONDS=$seconds ${run#* } $build/bin/ctv_stream_tests --gtest_brief=1 --gtest_filter=$test"
    done
  done | side_by_side damage
}

# flat NAME COMMAND...: memory of the process and of the device, in MiB, must not grow by more than 2 % after a third of
# its time.
flat() {
  local name=$1 pid
  shift
  "$@" --backend cuda --in-flight 8 --no-progress <&0 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    echo "$(awk '/VmRSS/ {print int($2 / 1024)}' "/proc/$pid/status" 2>/dev/null) $(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits)"
    sleep 0.2
  done | awk -v name="$name" 'NF == 2 && $1 > 0 {host[n] = $1; device[n++] = $2}
    END {
      first = int(n / 3)
      last = n - 2
      printf "memory %s: %d samples, host %d to %d MiB, device %d to %d MiB\n", name, n, host[first], host[last], device[first], device[last]
      exit !(n > 5 && host[last] <= 1.02 * host[first] + 1 && device[last] <= 1.02 * device[first] + 1)
    }' && wait "$pid"
}
# 3,000 frames in one stream.
verb_long() {
  local part=$build/part.y4m head
  "$build/bin/ctgen" "$part" --size 1920x1080 --frames 60 && head=$(head -n 1 "$part" | wc -c) || return 1
  { head -n 1 "$part" && for _ in {1..50}; do tail -c +$((head + 1)) "$part"; done; } |
    flat encoder "$build/bin/ctenc" - -o "$build/long.ctv" && flat decoder "$build/bin/ctdec" "$build/long.ctv" --benchmark
}

# On the clips of .clips where it is there, else on generated ones.
verb_compare() {
  local -a clips=()
  [ ! -d .clips ] || mapfile -t clips < <(find .clips -name '*.y4m' | sort)
  "$build/bin/ctbench" all --no-progress -o "$out/compare" "${clips[@]}"
}
verb_papers() { "$build/bin/ctbench" papers --no-progress --json "$out/papers.json"; }

# Tests with pictures in device memory must not be skipped.
verb_python() {
  local python pybind
  python=$(command -v python3) && pybind=$("$python" -m pybind11 --cmakedir) || return 1
  verb_build -DCTV_PYTHON=ON "-DPython_EXECUTABLE=$python" "-Dpybind11_DIR=$pybind" ctv_cuda ctv_python ctgen ctenc ctdec &&
    CTV_BIN=$(realpath "$build/bin") PYTHONPATH=$(realpath "$build/python"):${PYTHONPATH:-} \
      "$python" -B -m pytest -q -rs -p no:cacheprovider tests/python | tee "$build/python.txt" && ! grep -q 'no device:' "$build/python.txt"
}

verbs=("$@")
[ $# -gt 0 ] || verbs=(build test random sanitize damage long compare papers)
failed=0 table=()
for verb in "${verbs[@]}"; do
  start=$SECONDS log=$out/$verb.log
  declare -F "verb_$verb" >/dev/null || { echo "gpu.sh: no verb $verb"; exit 1; }
  if "verb_$verb" >"$log" 2>&1 </dev/null; then
    table+=("ok      $verb  ($((SECONDS - start)) s)")
  else
    failed=1
    table+=("FAILED  $verb  ($((SECONDS - start)) s, $log)")
    tail -n 30 "$log"
  fi
  while IFS= read -r line; do table+=("        $line"); done < <(
    grep -E '^WRONG|^left out|^[0-9]+ tests passed|^[0-9]+% tests|^memory |: code [1-9]|^\[  FAILED|^(FAILED|ERROR|SKIPPED) | (passed|failed) in ' "$log" | cut -c1-150 | head -n 40
  )
done
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader 2>/dev/null
printf '%s\n' "${table[@]}"
exit $failed
