#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# FFmpeg with tools/bindings/ffmpeg added: its pictures are ctdec's, and what it encodes, ctdec decodes; Matroska, MOV, MP4
# and plain streams; seeks, half resolution, damage. Without sources they come from Debian 12's package; exit code 77 if they
# cannot be had.
#   usage: run.sh BUILD WORK [SOURCES]   BUILD: a build folder with the tools; WORK: a folder for this test, whose FFmpeg is
#                                        kept; SOURCES: an unpacked FFmpeg 5.1, which is copied
set -uo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(realpath "$1")/bin build=$(realpath "$1")
mkdir -p "$2" && ffmpeg_work=$(realpath "$2") || exit 1
tree=$ffmpeg_work/ffmpeg prefix=$ffmpeg_work/prefix
if [ ! -d "$tree" ]; then
  if [ -n "${3-}" ]; then
    cp -r "$3" "$tree" || exit 1
  else
    apt=(-qq -o "Dir::Etc::sourcelist=$ffmpeg_work/debian.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$ffmpeg_work/lists")
    mkdir -p "$ffmpeg_work/lists/partial"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${CTV_DEBIAN_MIRROR:-http://deb.debian.org/debian} bookworm main" \
      >"$ffmpeg_work/debian.list"
    (cd "$ffmpeg_work" && apt-get "${apt[@]}" update && apt-get "${apt[@]}" source --download-only ffmpeg && mkdir ffmpeg &&
      tar xf ffmpeg_*.orig.tar.xz -C ffmpeg --strip-components 1) || { echo "skipped: FFmpeg's source cannot be had"; exit 77; }
  fi
fi
for component in lib dev; do cmake --install "$build" --prefix "$prefix" --component $component >/dev/null || exit 1; done
"$source/tools/bindings/ffmpeg/add_to_ffmpeg.py" "$tree" || exit 1
"$source/tools/bindings/ffmpeg/add_to_ffmpeg.py" "$tree" || exit 1 # twice does no harm
cd "$tree" || exit 1
if [ ! -e ffbuild/config.mak ]; then
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name ctv.pc)") ./configure --disable-everything --disable-autodetect \
    --disable-network --disable-doc --disable-x86asm --disable-ffplay --disable-avdevice --disable-postproc \
    --disable-swresample --optflags=-O1 --enable-libctv --enable-decoder=libctv,rawvideo --enable-encoder=libctv,rawvideo \
    --enable-demuxer=ctv,matroska,mov,rawvideo --enable-muxer=ctv,matroska,mov,mp4,rawvideo,null --enable-protocol=file,pipe \
    --enable-filter=null,scale,format,copy --extra-ldflags="-Wl,-rpath,$(dirname "$(find "$prefix" -name libctv.so)")" >configure.log 2>&1 ||
    { tail configure.log; exit 1; }
fi
make -j"${CTV_JOBS:-$(nproc)}" ffmpeg ffprobe >make.log 2>&1 || { grep error make.log; exit 1; }
PATH=$tree:$PATH
work=$ffmpeg_work/files
. "$source/tests/tools/shell_test.sh"
ff() { ffmpeg -nostdin -y -v error "$@"; }
same() { cmp -s "$1" "$2" || fail "$3: $1 and $2 differ"; }

# Each format, as ctdec decodes it.
"$bin/ctgen" a.y4m --size 98x62 --frames 24 >/dev/null 2>&1 || fail ctgen
for format in i420 i422 i444 rgb gray; do
  "$bin/ctenc" a.y4m -o a.ctv --lossless -q && "$bin/ctdec" a.ctv -o a.raw --output-format raw --format $format -q || fail "$format"
  "$bin/ctenc" a.raw --size 98x62 --raw-format $format -o $format.ctv --keyint 8 -q || fail "ctenc $format"
  "$bin/ctdec" $format.ctv -o want.raw --output-format raw -q
  expect 0 "decode $format" ff -i $format.ctv -f rawvideo got.raw
  same want.raw got.raw "decoding $format"
done
"$bin/ctenc" a.y4m -o a.ctv --keyint 8 -q
"$bin/ctdec" a.ctv -o want.yuv -q

# Samples of more than 8 bits, both ways.
"$bin/ctgen" a.yuv --size 98x62 --frames 24 >/dev/null 2>&1
raw="-f rawvideo -s 98x62 -r 25 -pix_fmt yuv420p -i a.yuv"
for pair in yuv420p10le:i420p10 p010le:p010 yuv422p12le:i422p12 gray10le:gray10; do
  ff $raw -pix_fmt ${pair%:*} -f rawvideo deep.raw
  "$bin/ctenc" deep.raw --size 98x62 --raw-format ${pair#*:} -o deep.ctv -q || fail "ctenc $pair"
  "$bin/ctdec" deep.ctv -o want.raw --output-format raw -q
  expect 0 "decode $pair" ff -i deep.ctv -f rawvideo got.raw
  same want.raw got.raw "decoding $pair"
  expect 0 "encode $pair" ff $raw -pix_fmt ${pair%:*} -c:v libctv -lossless 1 deep.mkv
  "$bin/ctdec" deep.mkv -o got.raw --output-format raw --format ${pair#*:} -q
  same deep.raw got.raw "encoding $pair"
done

# Containers of either are read by the other.
for ending in mkv mov mp4 ctv; do
  expect 0 "copy to $ending" ff -i a.ctv -c copy copy.$ending
  expect 0 "decode $ending" ff -i copy.$ending -f rawvideo got.yuv
  same want.yuv got.yuv "FFmpeg's own $ending"
  "$bin/ctdec" copy.$ending -o got.yuv -q || fail "ctdec copy.$ending"
  same want.yuv got.yuv "ctdec of FFmpeg's $ending"
done
for ending in mkv mov; do
  "$bin/ctdec" a.ctv --mux a.$ending -q || fail "ctdec --mux a.$ending"
  expect 0 "decode ctdec's $ending" ff -i a.$ending -f rawvideo got.yuv
  same want.yuv got.yuv "ctdec's $ending"
done
"$bin/ctdec" a.ctv --seek 20 --frames 1 -o want_20.yuv -q
for file in a.ctv copy.mkv copy.mp4; do
  expect 0 "seek in $file" ff -ss 0.8 -i $file -frames:v 1 -f rawvideo got_20.yuv # of 25 frames a second
  same want_20.yuv got_20.yuv "seek in $file"
done
"$bin/ctenc" a.y4m -o keys.ctv --keyint 1 -q
"$bin/ctdec" keys.ctv --resolution 1/2 -o want_half.yuv -q
expect 0 "half resolution" ff -lowres 1 -i keys.ctv -f rawvideo got_half.yuv
same want_half.yuv got_half.yuv "half resolution"

# What FFmpeg encodes. One thread or all make no difference, and equal settings give ctenc's pictures.
"$bin/ctenc" a.yuv --size 98x62 -o qp.ctv --qp 30 --keyint 12 --no-scenecut -q && "$bin/ctdec" qp.ctv -o want_qp.yuv -q
for threads in 1 2; do
  expect 0 encode ff $raw -c:v libctv -qp 30 -g 12 -threads $threads qp.mkv
  "$bin/ctdec" qp.mkv -o got_qp.yuv -q || fail "ctdec qp.mkv"
  same want_qp.yuv got_qp.yuv "encoding with $threads threads"
done
expect 0 "lossless" ff $raw -c:v libctv -lossless 1 lossless.ctv
"$bin/ctdec" lossless.ctv -o got.yuv -q && same a.yuv got.yuv "lossless"
expect 0 "a bitrate" ff $raw -c:v libctv -b:v 200k -preset fast rate.mp4
[ "$(ffprobe -v error -show_entries stream=codec_name,width,nb_frames -of csv=p=0 rate.mp4)" = ctv,98,24 ] ||
  fail "ffprobe: $(ffprobe -v error -show_entries stream=codec_name,width,nb_frames -of csv=p=0 rate.mp4)"
ff $raw -c:v libctv -qp 99 x.ctv >/dev/null 2>&1 && fail "qp 99"

# Damage costs pictures, and neither crashes nor hangs.
size=$(wc -c <a.ctv)
for at in 40 200 900 2000 $((size / 2)) $((size - 300)); do
  cp a.ctv bad.ctv
  printf '\377\001\252' | dd of=bad.ctv bs=1 seek="$at" conv=notrunc status=none
  timeout 60 ffmpeg -nostdin -y -v quiet -i bad.ctv -f null - 2>/dev/null
  [ $? -lt 124 ] || fail "damage at $at"
done
[ $failures -eq 0 ] && echo "all well"
exit $((failures > 0))
