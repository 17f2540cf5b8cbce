#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Encodes and decodes a generated clip with both presets and shows what came of it; `ctv.sh demo` builds first.
#   usage: demo.sh [WxH [FRAMES]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
size=${1:-640x360}
frames=${2:-75}
bin=build/release/bin
out=out/demo
mkdir -p "$out"

printf '\n== a clip of %s frames, %s: %s\n' "$frames" "$size" "$out/clip.y4m"
"$bin/ctgen" "$out/clip.y4m" --size "$size" --frames "$frames"

for preset in paper default; do
  printf '\n== --preset %s\n' "$preset"
  echo "\$ ctenc clip.y4m -o $preset.ctv --preset $preset --psnr"
  "$bin/ctenc" "$out/clip.y4m" -o "$out/$preset.ctv" --preset "$preset" --psnr --no-progress
  echo "\$ ctdec $preset.ctv -o $preset.y4m"
  "$bin/ctdec" "$out/$preset.ctv" -o "$out/$preset.y4m" --no-progress
  "$bin/ctdec" "$out/$preset.ctv" -o "$out/$preset-half.y4m" --resolution 1/2 --quiet
done

"$bin/ctbeside" $((frames / 2)) "$out/beside.png" "$out/clip.y4m" "$out/paper.y4m" "$out/default.y4m"
printf '\n== done. Original, paper and default preset side by side: %s\n' "$PWD/$out/beside.png"
printf '   Both streams at half resolution, decoded from their first layers: %s\n' "$out/{paper,default}-half.y4m"
