#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Encodes and decodes a clip with both presets and shows the same part of a picture of each: the original, the default
# preset, x264 at the same rate (without ffmpeg: preset fastest), and the paper's algorithm at its coarsest quantiser,
# whose rate is several times as high because nothing predicts its lowest band. `ctv.sh demo` builds first.
#   usage: demo.sh [WxH [FRAMES]]   a generated landscape
#          demo.sh CLIP.y4m         a clip of your own, for example natural video
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bin=build/release/bin
out=out/demo
mkdir -p "$out"
cpu=(--backend cpu)
if [ -e build/release/lib/libctv_cuda.so ]; then cpu=(); fi
ctenc() { "$bin/ctenc" "$@" "${cpu[@]}"; }
ctdec() { "$bin/ctdec" "$@" "${cpu[@]}"; }

# number FILE KEY: a number of a tool's JSON, the first of that name, without its fraction.
number() { sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "$1" | head -n 1; }

clip=$out/clip.y4m
if [ -f "${1:-}" ]; then
  clip=$1
else
  size=${1:-640x360} frames=${2:-75}
  printf '\n== a clip of %s frames, %s: %s\n' "$frames" "$size" "$clip"
  "$bin/ctgen" "$clip" --scene landscape --size "$size" --frames "$frames"
fi
for preset in paper default; do
  options=(--preset "$preset" --psnr)
  [ "$preset" != paper ] || options+=(--qp 51)
  printf '\n== --preset %s\n' "$preset"
  echo "\$ ctenc clip.y4m -o $preset.ctv ${options[*]}"
  ctenc "$clip" -o "$out/$preset.ctv" "${options[@]}" --no-progress --json "$out/$preset.json"
  middle=$(($(number "$out/$preset.json" frames) / 2))
  echo "\$ ctdec $preset.ctv -o $preset.y4m"
  ctdec "$out/$preset.ctv" -o "$out/$preset.y4m" --no-progress
  # Predicted frames of preset default have full resolution only.
  [ "$preset" != paper ] || ctdec "$out/$preset.ctv" -o "$out/$preset-half.y4m" --resolution 1/2 --quiet
  ctdec "$out/$preset.ctv" -o "$out/$preset.png" --seek "$middle" --frames 1 --quiet
done
printf '\n== --lossless\n'
echo "\$ ctenc clip.y4m -o lossless.ctv --lossless --verify"
ctenc "$clip" -o "$out/lossless.ctv" --lossless --verify --no-progress
ctdec "$out/lossless.ctv" -o "$out/original.png" --seek "$middle" --frames 1 --quiet

label() { # label PRESET: its rate and luma PSNR in words
  echo "$1 preset: $(number "$out/$1.json" kbps) kb/s, $(sed -n 's/.*"y": \([0-9]*\.[0-9]\).*/\1/p' "$out/$1.json") dB"
}
pictures=(original "$out/original.png" "$(label default)" "$out/default.png")
rate=$(number "$out/default.json" kbps)
# grep -q would end ffmpeg by a closed pipe, which counts as a failure here.
if command -v ffmpeg >/dev/null && ffmpeg -nostdin -hide_banner -encoders 2>/dev/null | grep libx264 >/dev/null; then
  printf '\n== x264 at the same rate, %s kb/s\n' "$rate"
  x264=(ffmpeg -nostdin -y -v error -i "$clip" -c:v libx264 -preset medium -b:v "${rate}k" -passlogfile "$out/x264")
  "${x264[@]}" -pass 1 -f null /dev/null
  "${x264[@]}" -pass 2 "$out/x264.mkv"
  ffmpeg -nostdin -y -v error -i "$out/x264.mkv" -vf "select=eq(n\,$middle)" -frames:v 1 -pix_fmt rgb24 "$out/x264.png"
  rate=$(($(wc -c <"$out/x264.mkv") * rate / $(number "$out/default.json" bytes)))
  decibels=$(ffmpeg -nostdin -hide_banner -i "$out/x264.mkv" -i "$clip" -lavfi psnr -f null - 2>&1 | sed -n 's/.*PSNR y:\([0-9]*\.[0-9]\).*/\1/p')
  pictures+=("x264 medium, 2 passes: $rate kb/s, $decibels dB" "$out/x264.png")
else
  printf '\n== no ffmpeg with libx264: preset fastest at the same rate instead (apt-get install ffmpeg adds x264)\n'
  ctenc "$clip" -o "$out/fastest.ctv" --preset fastest --bitrate "$rate" --psnr --quiet --json "$out/fastest.json"
  ctdec "$out/fastest.ctv" -o "$out/fastest.png" --seek "$middle" --frames 1 --quiet
  pictures+=("$(label fastest)" "$out/fastest.png")
fi
pictures+=("$(label paper)" "$out/paper.png")
# The part: from the middle to the lower right, where detail moves.
width=$(number "$out/default.json" width) height=$(number "$out/default.json" height)
"$bin/ctbeside" "$out/beside.png" "$((width / 4)),$((height / 3)),$((width / 2))x$((height / 2))" "${pictures[@]}"
printf '\n== done. The same part of frame %s, twice as large: %s\n' "$middle" "$PWD/$out/beside.png"
printf '   Preset paper at half resolution, decoded from its first layers: %s\n' "$out/paper-half.y4m"
