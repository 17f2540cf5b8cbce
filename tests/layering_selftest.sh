#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A rule that cannot fail is no rule: plants each violation in an empty tree and expects its name.
#   usage: layering_selftest.sh LAYERING_SH
set -euo pipefail
check=$(realpath "${1:?usage: layering_selftest.sh LAYERING_SH}")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

spdx='// SPDX-License-Identifier: BSD-3-Clause'
fresh() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/{codec/{include/ctv,dsp,pipeline},cpu,cuda,tools,docs}
}
expect() { # expect WORDS: the check fails and says WORDS
  if output=$(bash "$check" "$tree" 2>&1); then
    echo "not noticed: $1"
    failures=$((failures + 1))
  elif ! grep -qF -- "$1" <<<"$output"; then
    echo "noticed, but not named: $1"
    echo "$output"
    failures=$((failures + 1))
  fi
}

fresh
printf '%s\n#include <ctv/ctv.h>\n#include "cpu/other.hpp"\n' "$spdx" >"$tree/cpu/a.cpp"
bash "$check" "$tree" >/dev/null || { echo "a clean tree is refused"; failures=1; }

fresh; printf '%s\n#include "cuda/b.hpp"\n' "$spdx" >"$tree/cpu/a.cpp"
expect 'cpu/a.cpp:2: cpu must not include cuda/b.hpp'
fresh; printf '%s\n#include "codec/dsp/b.hpp"\n' "$spdx" >"$tree/tools/a.cpp"
expect 'tools/a.cpp:2: tools must not include codec/dsp/b.hpp'
fresh; printf '%s\n#include "codec/pipeline/b.hpp"\n' "$spdx" >"$tree/codec/dsp/a.hpp"
expect 'codec/dsp must not include codec/pipeline/b.hpp'
fresh; printf '%s\n#include "cpu/b.hpp"\n' "$spdx" >"$tree/codec/pipeline/a.hpp"
expect 'codec/pipeline must not include cpu/b.hpp'
fresh; printf 'int a;\n' >"$tree/cpu/a.cpp"
expect 'cpu/a.cpp: no SPDX line'
fresh; { echo "$spdx"; for _ in {1..400}; do echo '//'; done; } >"$tree/cpu/a.cpp"
expect 'cpu/a.cpp: 401 lines'
fresh; echo notes >"$tree/notes.log"
expect 'notes.log: does not belong on the top level'
fresh; printf '%s' "$spdx" >"$tree/cpu/a.cpp"
expect 'cpu/a.cpp: no newline at the end'
fresh; printf '%s\n\tint a;\n' "$spdx" >"$tree/cpu/a.cpp"
expect 'cpu/a.cpp:2: tab'
fresh; printf '%s\nint a; \n' "$spdx" >"$tree/cpu/a.cpp"
expect 'cpu/a.cpp:2: tab, carriage return or blank'
fresh; printf '%s\n// Lent by the caller.\n' "$spdx" >"$tree/cpu/a.cpp"
expect 'cpu/a.cpp:2:Lent: a word that docs/glossary.md replaces'
fresh; printf 'See `codec/nowhere.hpp`.\n' >"$tree/docs/a.md"
expect 'docs/a.md: names codec/nowhere.hpp'
fresh; printf 'See [there](nowhere.md).\n' >"$tree/docs/a.md"
expect 'docs/a.md: names nowhere.md'

fresh; printf '%s\nclass Encoder {\n' "$spdx" | tee "$tree/codec/include/ctv/ctv.hpp" >"$tree/codec/pipeline/a.hpp"
expect 'codec/pipeline/a.hpp:2:class Encoder {: codec/include/ctv/ctv.hpp has a class of this name'

[ "$failures" -eq 0 ] && echo "every planted violation was named"
exit "$failures"
