#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the pages of tools/bindings/web and tests them: in node, if there is one, and in Chromium.
#   usage: run.sh FOLDER-OF-THE-TOOLS SCRATCH-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(realpath "$1")
mkdir -p "$2" && scratch=$(realpath "$2")
cd "$here/../.."
for program in emcmake chromium python3; do
  if ! command -v $program >/dev/null; then
    echo "SKIPPED: the pages were not tested, for there is no $program (tools/dev/ctv.sh setup web)"
    exit 0
  fi
done
tools/bindings/web/build.sh >"$scratch/build.log" 2>&1 || { tail -n 30 "$scratch/build.log"; exit 1; }
python3 tests/web/check.py build/web/site "$bin" "$scratch"
if ! command -v node >/dev/null; then
  echo "SKIPPED: the codec was not tested in node, for there is none"
  exit 0
fi
for preset in default fastest paper; do
  expected=$("$bin/ctdec" "$scratch/$preset.ctv" --output-format raw -o - 2>/dev/null | sha256sum | cut -d' ' -f1)
  node tests/web/decode.mjs build/web/site "$scratch/$preset.ctv" | tee "$scratch/node.json"
  grep -q "\"$expected\"" "$scratch/node.json" || { echo "FAIL: pictures of preset $preset in node"; exit 1; }
done
