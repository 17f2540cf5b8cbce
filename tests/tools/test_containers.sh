#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Streams into containers and back, videos of other codecs, damage; without libavformat, what the tools say.
# usage: test_containers.sh FOLDER-OF-THE-TOOLS SCRATCH-FOLDER ON|OFF
set -u
ctcat=$1/ctcat ctenc=$1/ctenc ctdec=$1/ctdec ctinfo=$1/ctinfo
work=$2 libav=$3
. "$(dirname "$0")/shell_test.sh"
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
says() { grep -qF -- "$1" err || { fail "no '$1' in: $(head -5 err)"; }; }
one_line() { [ "$(wc -l <err)" -eq 1 ] || { fail "$1: not one error line:"; cat err >&2; }; }

"$ctenc" --generate "64x48@30000/1001:30" --keyint 10 -o a.ctv -q || fail ctenc
expect 1 "pictures and a container" "$ctdec" a.ctv --mux a.mkv -o a.y4m
expect 1 "an unknown container" "$ctdec" a.ctv --mux a.webm
says "name it .mkv, .nut or .mov"
if [ "$libav" = OFF ]; then
  expect 1 "--mux without libavformat" "$ctdec" a.ctv --mux a.mkv
  says "build with -DCTV_LIBAV=ON"
  [ ! -e a.mkv ] || fail "a container was written"
  printf '\032\105\337\243 and what else Matroska has' >a.mkv
  for command in "$ctdec a.mkv -o x.y4m" "$ctenc a.mkv -o x.ctv"; do
    expect 2 "Matroska without libavformat" $command
    says "this build has none"
    one_line "$command"
  done
  [ $failures -eq 0 ] && echo "all well"
  exit $((failures > 0))
fi

# Packets, times and pictures come back; nothing depends on chance.
md5=$("$ctdec" a.ctv --md5 -q)
# A live stream repeats its header before key frames.
{ head -c "$(packet_at 11)" a.ctv; head -c "$(packet_at 1)" a.ctv; tail -c "+$(($(packet_at 11) + 1))" a.ctv; } >live.ctv
for ending in mkv nut mov; do
  expect 0 "into $ending" "$ctdec" a.ctv --mux a.$ending
  expect 0 "again" "$ctdec" a.ctv --mux again.$ending
  same a.$ending again.$ending
  [ "$("$ctdec" a.$ending --md5 -q)" = "$md5" ] || fail "$ending: other pictures"
  expect 0 "back from $ending" "$ctcat" a.$ending -o back.ctv
  same back.ctv a.ctv
  "$ctinfo" a.ctv --frames --json - | grep '"timestamp"' >times
  expect 0 "times" "$ctinfo" a.$ending --frames --json -
  grep '"timestamp"' out | cmp -s - times || fail "$ending: other times"
  expect 0 "seeking" "$ctdec" a.$ending --seek 17 --frames 2 -o part.y4m
  "$ctdec" a.ctv --seek 17 --frames 2 -o expected.y4m -q || fail ctdec
  same part.y4m expected.y4m
  expect 0 "repeated headers" "$ctdec" live.ctv --mux live.$ending
  [ "$("$ctdec" live.$ending --md5 -q)" = "$md5" ] || fail "$ending: repeated headers"
done
expect 0 "from a pipe" sh -c "\"$ctdec\" - --mux pipe.mkv <a.ctv"
same pipe.mkv a.mkv

# What is cut gives the pictures before and says so; what is damaged is told in a line.
size=$(wc -c <a.mkv)
for part in 2 3 5 7 9 11 13 15 17 18 19; do
  head -c $((size * part / 20)) a.mkv >cut.mkv
  expect 3 "cut at $part / 20" "$ctdec" cut.mkv -o cut.y4m -q
  one_line "cut at $part / 20"
done
[ -s cut.y4m ] || fail "the pictures before the cut are not there"
head -c 40 a.mkv >cut.mkv
expect 2 "cut in the header" "$ctdec" cut.mkv -o x.y4m -q
one_line "cut in the header"
head -c $(($(wc -c <a.mov) * 2 / 3)) a.mov >cut.mov
for command in "$ctdec cut.mov -o x.y4m" "$ctenc cut.mov -o x.ctv"; do
  expect 2 "a MOV without the table at its end" $command -q
  one_line "a MOV without the table at its end"
done
for at in 20 60 150 300 420 450 500 530 560 600 1000 3000; do
  cp a.mkv bad.mkv
  printf '\377\001\252' | dd of=bad.mkv bs=1 seek=$at conv=notrunc status=none
  for command in "$ctdec bad.mkv -o x.y4m" "$ctcat bad.mkv -o x.ctv" "$ctenc bad.mkv -o x.ctv"; do
    $command >/dev/null 2>err </dev/null
    code=$?
    case $code in 0 | 2 | 3 | 4) ;; *) fail "damage at $at: exit code $code: $command" ;; esac
    [ $code -eq 0 ] || [ "$(grep -vc '^running\|^decoded\|: warning: ' err)" -eq 1 ] || { fail "damage at $at:"; cat err >&2; }
  done
done
cp a.ctv bad.ctv
printf '\377' | dd of=bad.ctv bs=1 seek=$(($(packet_at 3) + 1)) conv=notrunc status=none
expect 3 "a damaged stream" "$ctdec" bad.ctv --mux bad.mkv
[ ! -e x.ctv ] || rm x.ctv

# Videos that FFmpeg makes: pictures that its decoder still has after a cut, and a change of size.
if command -v ffmpeg >/dev/null && ffmpeg -v quiet -encoders | grep -q libx264; then
  ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v libx264 -bf 3 -g 60 b.mkv
  head -c $(($(wc -c <b.mkv) * 2 / 3)) b.mkv >cut_b.mkv
  expect 2 "a cut video" "$ctenc" cut_b.mkv -o cut_b.ctv -q
  shown=$(ffmpeg -v quiet -i cut_b.mkv -fps_mode passthrough -f framemd5 - | grep -vc '^#')
  says "the $shown frames before"
  for size in 64x48 32x80; do
    ffmpeg -v error -f lavfi -i testsrc2=s=$size:r=25:d=1 -c:v libx264 -f h264 $size.h264
  done
  cat 64x48.h264 32x80.h264 >sizes.h264
  expect 0 "a video that changes its size" "$ctenc" sizes.h264 -o sizes.ctv -q --verify
  expect 0 "both sizes" "$ctdec" sizes.ctv -o size_%d.ppm -q
  [ "$(ls size_*.ppm | wc -l)" = 50 ] || fail "sizes: $(ls size_*.ppm | wc -l) pictures"
  head -c 9 size_49.ppm | grep -q '^32 80' || fail "the second size: $(head -c 9 size_49.ppm)"
fi

expect 2 "a stream to encode" "$ctenc" a.mkv -o x.ctv
says "ctdec decodes it"
head -c 5000 /dev/urandom >noise.mkv
expect 2 "noise" "$ctenc" noise.mkv -o x.ctv -q
one_line "noise"
echo "ffconcat version 1.0
file a.mkv" >list.txt
expect 2 "a list that names other files" "$ctenc" list.txt -o x.ctv -q
one_line "a list"
expect 2 "no folder" "$ctdec" a.ctv --mux missing/a.mkv
expect 1 "the input as output" "$ctdec" a.ctv --mux a.ctv
cp a.ctv own.mkv
expect 1 "the input as output" "$ctdec" own.mkv --mux own.mkv
says "is the input as well"
[ ! -e x.ctv ] || fail "something was left of what failed"
[ $failures -eq 0 ] && echo "all well"
exit $((failures > 0))
