#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Everything on a machine with a GPU in one call: build, tests on all backends, compute-sanitizer, benchmark.
#   tools/dev/gpu.sh [build] [test] [clips] [sanitize] [bench] ...   in this order; without verbs all of them
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
[ ${#verbs[@]} -eq 0 ] && verbs=(build test clips sanitize bench)
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

build() {
  local options=(-DCTV_TESTS=ON -DCTV_CUDA=ON "-DCTV_CUDA_ARCHITECTURES=${CTV_CUDA_ARCHITECTURES:-90-real}")
  [ -d "$deps" ] && options+=("-DCTV_DEPS_DIR=$deps")
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "${options[@]}" &&
    ninja -C "$build" -j "$jobs" ctv_cuda_tests ctv_cuda_bench
}
build_all() { ninja -C "$build" -k 0 -j "$jobs" all; }

tests() { # every program by itself: a program starts CUDA once, ctest would start it for every case
  local status=0
  for program in "$build"/bin/ctv_*_tests; do
    [ -x "$program" ] || continue
    echo "== $program"
    timeout "${CTV_TEST_SECONDS:-240}" "$program" --gtest_brief=1 || status=1
  done
  return $status
}

# Packets of a clip from both backends, both engines and several numbers of frames in flight, byte for byte; and every
# stream decoded by both.
clips() {
  local bin=$build/bin dir=$build/clips status=0 first
  mkdir -p "$dir"
  "$bin/ctgen" "$dir/clip.y4m" --size 1920x1080 --frames 40 || return 1
  for preset in paper default "default --lossless"; do
    first=
    for run in "--backend cpu" "--backend cuda --engine direct" "--backend cuda --engine fft" \
      "CTV_CUDA_GRAPH=1 --backend cuda --engine direct"; do
      local variables=() options=()
      for word in $run; do [[ $word == *=* ]] && variables+=("$word") || options+=("$word"); done
      # shellcheck disable=SC2086
      env "${variables[@]}" "$bin/ctenc" "$dir/clip.y4m" -o "$dir/new.ctv" --preset $preset "${options[@]}" \
        --benchmark --no-progress --no-scenecut >"$dir/report" 2>&1 || { status=1; cat "$dir/report"; continue; }
      [ -z "$first" ] && first=1 && cp "$dir/new.ctv" "$dir/first.ctv"
      cmp "$dir/first.ctv" "$dir/new.ctv" && echo "same: $preset $run" || { echo "DIFFERENT: $preset $run"; status=1; }
      cat "$dir/report"
    done
    for run in "--backend cpu" "--backend cuda --engine direct"; do
      # shellcheck disable=SC2086
      "$bin/ctdec" "$dir/first.ctv" -o "$dir/$(awk '{print $2}' <<<"$run").yuv" $run --benchmark --no-progress 2>&1 || status=1
    done
    cmp "$dir/cpu.yuv" "$dir/cuda.yuv" && echo "same pictures: $preset" || { echo "DIFFERENT pictures: $preset"; status=1; }
  done
  return $status
}

sanitize() { # racecheck, by far the slowest, gets the smallest cases and nothing of cuFFT's
  local small=1
  [ "$1" = racecheck ] && small=2 && local CTV_SANITIZE_FILTER=${CTV_SANITIZE_FILTER:--*Fft*}
  CTV_TEST_SMALL=$small timeout "${CTV_SANITIZE_SECONDS:-240}" compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 5 "$build/bin/ctv_cuda_tests" \
    --gtest_brief=1 --gtest_filter="${CTV_SANITIZE_FILTER:-*}"
}

for verb in "${verbs[@]}"; do
  case $verb in
    build)
      step "build of the CUDA backend and its tests" build.log build
      step "build of the rest" build_all.log build_all
      ;;
    test)
      step tests test.log tests
      while read -r line; do table+=("        $line"); done < <(grep -E '^== |tests ran|PASSED|FAILED  \]|SKIPPED' "$out/test.log" | cut -c1-150)
      ;;
    clips)
      step clips clips.log clips
      while read -r line; do table+=("        $line"); done < <(grep -E '^same|^DIFFERENT' "$out/clips.log")
      ;;
    sanitize)
      for tool in memcheck racecheck initcheck synccheck; do
        step "$tool" "$tool.log" sanitize "$tool"
        table+=("        $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$out/$tool.log" | tail -n 1)")
      done
      ;;
    bench)
      step bench bench.log "$build/bin/ctv_cuda_bench"
      cat "$out/bench.log"
      ;;
    *) echo "unknown verb $verb"; exit 1 ;;
  esac
done
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader 2>/dev/null
printf '%s\n' "${table[@]}"
exit $failed
