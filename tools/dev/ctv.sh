#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every habit of this repository is one verb, the same for people and for CI.
#   tools/dev/ctv.sh demo            set up, build, encode and decode a generated clip with both presets, show the result
#   tools/dev/ctv.sh check           set up, build, all tests, formats, clang-tidy, sanitizers, short fuzzing
#   tools/dev/ctv.sh setup [build]   install what is needed (build: without what only tests and checks need)
#   tools/dev/ctv.sh build           library and tools, Release, into build/release
#   tools/dev/ctv.sh test [ARGS]     build with tests into build/check and run ctest with ARGS
#   tools/dev/ctv.sh asan [ARGS]     the same under AddressSanitizer and UndefinedBehaviorSanitizer, into build/asan
#   tools/dev/ctv.sh fuzz [SECONDS]  every fuzz target for so many seconds (default 60) on top of its corpus
#   tools/dev/ctv.sh tidy [FILES]    clang-tidy on our sources
#   tools/dev/ctv.sh format          reformat our sources; format --check only tells
#   tools/dev/ctv.sh compare [CLIPS] set up, build, measure everything (ctbench all); the page is out/compare/index.html
#   tools/dev/ctv.sh record NAME FOLDER   the JSON of ctbench all goes to docs/measured/NAME, its tables to
#                                    docs/benchmarks.md, between the marks for NAME
#   tools/dev/ctv.sh clean           remove build folders and outputs
# Environment: CTV_JOBS (parallel jobs, default all cores), CTV_CMAKE_ARGS (more arguments for every configuration).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
jobs=${CTV_JOBS:-$(nproc)}
read -r -a extra <<<"${CTV_CMAKE_ARGS:-}"

say() { printf '\n== %s\n' "$*"; }
sources() { # our C++ and CUDA sources, tracked or new
  { git ls-files --cached --others --exclude-standard 2>/dev/null || find codec cpu cuda tools tests -type f; } |
    grep -E '\.(cpp|hpp|h|c|cu|cuh)$' | while IFS= read -r f; do if [ -f "$f" ]; then echo "$f"; fi; done
}
configure() { # configure PRESET ARGS...
  local preset=$1
  shift
  cmake --preset "$preset" "${extra[@]}" "$@" >"build-$preset.log" 2>&1 || { cat "build-$preset.log"; exit 1; }
  rm -f "build-$preset.log"
}
build() { # build PRESET: one line per step would drown the rest, so the log is shown on failure only
  local log="build/$1/build.log"
  cmake --build "build/$1" -j "$jobs" >"$log" 2>&1 || { tail -n 200 "$log"; exit 1; }
}
# A summary that CI repeats at the very end.
run_ctest() { # run_ctest PRESET ARGS...
  local preset=$1
  shift
  ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure "$@" | tee "build/$preset/ctest.log"
}

verb_setup() { tools/dev/setup.sh "${1:-all}"; }
verb_build() { # verb_build ARGS...: more arguments for CMake
  configure release "$@"
  build release
}
verb_test() {
  configure check
  build check
  run_ctest check "$@"
}
verb_asan() {
  configure asan
  build asan
  ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1:detect_stack_use_after_return=0} \
    UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1} run_ctest asan "$@"
}
verb_fuzz() {
  local seconds=${1:-60} target name log
  configure asan
  build asan
  for target in build/asan/bin/ctv_fuzz_*; do
    [ -x "$target" ] || continue
    name=${target##*/ctv_fuzz_}
    mkdir -p "build/asan/corpus/$name" "build/asan/crashes" "data/fuzz/$name"
    say "fuzz $name, $seconds s"
    log="build/asan/fuzz-$name.log"
    if ! OMP_WAIT_POLICY=passive "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
      -artifact_prefix="build/asan/crashes/$name-" "build/asan/corpus/$name" "data/fuzz/$name" >"$log" 2>&1; then
      tail -n 60 "$log"
      exit 1
    fi
    grep -E 'stat::(number_of_executed_units|peak_rss_mb)' "$log" || true
  done
}
verb_tidy() {
  configure check
  local files=("$@")
  if [ "${#files[@]}" -eq 0 ]; then
    mapfile -t files < <(sources | grep -E '^(codec|cpu|tools)/.*\.cpp$' | grep -vE '^tools/bench/')
  fi
  printf '%s\n' "${files[@]}" | xargs -P "$jobs" -n 4 clang-tidy -p build/check --quiet --warnings-as-errors='*' \
    2>build/check/tidy.log || { tail -n 20 build/check/tidy.log; exit 1; }
}
verb_format() {
  local tool
  tool=$(command -v clang-format-14 || command -v clang-format)
  if [ "${1-}" = --check ]; then
    sources | xargs -d '\n' "$tool" --dry-run --Werror
  else
    sources | xargs -d '\n' "$tool" -i
  fi
}
verb_compare() {
  verb_setup compare
  say "building the library and the tools"
  verb_build -DCTV_BENCH=ON
  say "measuring"
  build/release/bin/ctbench all -o out/compare "$@"
}
verb_record() {
  local name=${1:?usage: ctv.sh record NAME FOLDER} folder=${2:?usage: ctv.sh record NAME FOLDER}
  mkdir -p "docs/measured/$name"
  if ! grep -qF "<!-- measured: $name -->" docs/benchmarks.md; then
    printf '\n## %s\n\nThe JSON is in `docs/measured/%s`.\n\n<!-- measured: %s -->\n<!-- end of %s -->\n' \
      "$name" "$name" "$name" "$name" >>docs/benchmarks.md
  fi
  /usr/bin/python3 tools/bench/report/report.py "$folder"/*.json -o "$folder/index.html" \
    --tables docs/benchmarks.md --name "$name"
  cp "$folder"/*.json "docs/measured/$name/"
  rm -f "docs/measured/$name"/pictures*.json # large: for the page in FOLDER alone
}
verb_demo() {
  verb_setup build
  say "building the library and the tools"
  verb_build
  tools/dev/demo.sh
}
verb_check() {
  local begin=$SECONDS
  verb_setup all
  say "formats (clang-format)"
  verb_format --check
  say "tests, Release"
  verb_test
  say "clang-tidy"
  verb_tidy
  say "tests under AddressSanitizer and UndefinedBehaviorSanitizer"
  verb_asan
  verb_fuzz "${CTV_FUZZ_SECONDS:-10}"
  say "all checks passed after $((SECONDS - begin)) s; the two test runs ended:"
  echo "sanitizers:"
  summary asan
  echo "Release:"
  summary check
}
summary() { grep -E '^[0-9]+% tests passed|^Total Test time|Skipped|^The following tests did not run' "build/$1/ctest.log" || tail -n 5 "build/$1/ctest.log"; }
verb_clean() { rm -rf build out; }

verb=${1:-help}
shift || true
case "$verb" in
  setup | build | test | asan | fuzz | tidy | format | demo | compare | record | check | clean) "verb_$verb" "$@" ;;
  *)
    sed -n '3,17s/^# \{0,1\}//p' tools/dev/ctv.sh
    [ "$verb" = help ] || exit 1
    ;;
esac
