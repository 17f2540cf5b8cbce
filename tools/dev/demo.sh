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
cpu=(--backend cpu)
if [ -e build/release/lib/libctv_cuda.so ]; then cpu=(); fi
ctenc() { "$bin/ctenc" "$@" "${cpu[@]}"; }
ctdec() { "$bin/ctdec" "$@" "${cpu[@]}"; }

printf '\n== a clip of %s frames, %s: %s\n' "$frames" "$size" "$out/clip.y4m"
"$bin/ctgen" "$out/clip.y4m" --size "$size" --frames "$frames"

middle=$((frames / 2))
for preset in paper default; do
  printf '\n== --preset %s\n' "$preset"
  echo "\$ ctenc clip.y4m -o $preset.ctv --preset $preset --psnr"
  ctenc "$out/clip.y4m" -o "$out/$preset.ctv" --preset "$preset" --psnr --no-progress
  echo "\$ ctdec $preset.ctv -o $preset.y4m"
  ctdec "$out/$preset.ctv" -o "$out/$preset.y4m" --no-progress
  ctdec "$out/$preset.ctv" -o "$out/$preset-half.y4m" --resolution 1/2 --quiet
  ctdec "$out/$preset.ctv" -o "$out/$preset.png" --seek "$middle" --frames 1 --quiet
done
printf '\n== --lossless\n'
echo "\$ ctenc clip.y4m -o lossless.ctv --lossless --verify"
ctenc "$out/clip.y4m" -o "$out/lossless.ctv" --lossless --verify --no-progress
ctdec "$out/lossless.ctv" -o "$out/original.png" --seek "$middle" --frames 1 --quiet

"$bin/ctbeside" "$out/beside.png" "$out"/{original,paper,default}.png
printf '\n== done. Original, paper and default preset side by side: %s\n' "$PWD/$out/beside.png"
printf '   Both streams at half resolution, decoded from their first layers: %s\n' "$out/{paper,default}-half.y4m"
