#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Speed and quality of both presets on the clips given, or on a generated one of 1920x1080, as a table in Markdown.
#   usage: bench.sh [CLIP.y4m ...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bin=build/release/bin
out=out/bench
mkdir -p "$out"
clips=("$@")
if [ "${#clips[@]}" -eq 0 ]; then
  clips=("$out/generated.y4m")
  [ -s "${clips[0]}" ] || "$bin/ctgen" "${clips[0]}" --size 1920x1080 --frames 60
fi
value() { # value FILE KEY: the first number of that name in a JSON file
  sed -nE "s/^ *\"$2\": (-?[0-9.e+-]+),?\$/\1/p" "$1" | head -n 1
}
echo "$(git describe --always --dirty 2>/dev/null || echo unknown) on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
echo
echo '| clip | preset | bits per pixel | Y-PSNR | encode fps | decode fps |'
echo '|---|---|---|---|---|---|'
for clip in "${clips[@]}"; do
  for preset in paper default; do
    "$bin/ctenc" "$clip" -o "$out/a.ctv" --preset "$preset" --psnr --quiet --json "$out/quality.json"
    "$bin/ctenc" "$clip" --preset "$preset" --benchmark --quiet --json "$out/encode.json"
    "$bin/ctdec" "$out/a.ctv" --benchmark --quiet --json "$out/decode.json"
    printf '| %s | %s | %.4f | %.2f | %.1f | %.1f |\n' "$(basename "$clip" .y4m)" "$preset" \
      "$(value "$out/quality.json" bits_per_pixel)" "$(value "$out/quality.json" y)" \
      "$(value "$out/encode.json" steady_fps)" "$(value "$out/decode.json" fps)"
  done
done
