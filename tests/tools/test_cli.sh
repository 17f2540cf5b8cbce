#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tools end to end: generate, encode, decode, compare; pipes; seeking; damage; exit codes.
# usage: test_cli.sh FOLDER-OF-THE-TOOLS SCRATCH-FOLDER
set -u
bin=$1
work=$2
. "$(dirname "$0")/shell_test.sh"
same() { cmp -s "$1" "$2" || fail "$3: $1 and $2 differ"; }
# one_line WHAT: the failure just seen was told in one line, and says what to do or where.
one_line() { [ "$(wc -l <err)" -eq 1 ] || { fail "$1: not one error line:"; cat err >&2; }; }
# put FILE OFFSET BYTES: overwrites bytes (printf escapes) in place.
put() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

ctenc="$bin/ctenc" ctdec="$bin/ctdec" ctinfo="$bin/ctinfo" ctgen="$bin/ctgen"

for tool in "$ctenc" "$ctdec" "$ctinfo" "$ctgen" "$bin/ctcat"; do
  [ -x "$tool" ] || { echo "there is no $tool" >&2; exit 1; }
done

# --- a clip and its stream
expect 0 generate "$ctgen" a.y4m --size 48x32 --frames 12 --seed 3
[ "$(wc -c <a.y4m)" -gt 27648 ] || fail "the clip is too small"
expect 0 encode "$ctenc" a.y4m -o a.ctv --qp 24 --keyint 5 --psnr --ssim --verify --csv a.csv --json a.json
[ "$(wc -l <a.csv)" -eq 13 ] || fail "csv: $(wc -l <a.csv) lines instead of 13"
grep -q '"frames": 12' a.json || fail "json: frames"
grep -q 'PSNR' err && grep -q 'SSIM' err && grep -q 'verified' err || fail "summary incomplete"
expect 0 decode "$ctdec" a.ctv -o a_dec.y4m --json -
grep -q '"frames": 12' out || fail "json of ctdec"
[ "$(wc -c <a_dec.y4m)" -gt 27648 ] || fail "decoded clip is too small"

# --- other scenes: the same twice, and what is asked for
for scene in landscape cloth; do
  expect 0 "$scene" "$ctgen" scene.y4m --scene $scene --size 37x21 --frames 2
  "$ctgen" - --scene $scene --size 37x21 --frames 2 | cmp -s - scene.y4m || fail "$scene differs from run to run"
  [ "$(wc -c <scene.y4m)" -gt $((2 * 37 * 21 * 3 / 2)) ] || fail "$scene: $(wc -c <scene.y4m) bytes"
done
expect 1 "cloth in RGB" "$ctgen" scene_%d.png --scene cloth --size 37x21 --frames 1

# --- the version names the commit; a stream of another version is not damaged
expect 0 version "$ctenc" --version
grep -qE '^ctenc \(ctv\) [0-9.]+, commit ([0-9a-f]{7,}(-dirty)?|unknown)$' out || fail "version: $(cat out)"
printf '\002' | python3 -c '
import sys, zlib
unit = open("a.ctv", "rb").read()
size = 8 + int.from_bytes(unit[4:8], "little")
header = bytearray(unit[:size - 4])
header[8:9] = sys.stdin.buffer.read()
open("other.ctv", "wb").write(header + zlib.crc32(header).to_bytes(4, "little") + unit[size:])'
for command in "$ctdec other.ctv -o null" "$ctdec other.ctv -o null --keep-going" "$ctinfo other.ctv" "$bin/ctcat other.ctv -o x.ctv"; do
  $command >out 2>err && fail "another version: $command"
  grep -q "made by another version of ctv, in stream format 2; this one reads format 3" err || fail "another version: $(cat err)"
  grep -q damaged err && fail "another version is called damaged: $(cat err)"
done

# --- pipes give what files give
"$ctenc" - -o stdin.ctv --qp 24 --keyint 5 -q <a.y4m || fail "encode stdin"
cat a.y4m | "$ctenc" - -o - --qp 24 --keyint 5 -q >pipe.ctv || fail "encode pipe"
"$ctenc" --generate 48x32@25:12:3 -o generated.ctv --qp 24 --keyint 5 -q || fail "encode generated"
same a.ctv stdin.ctv "file and stdin"
same a.ctv pipe.ctv "file and pipe"
same a.ctv generated.ctv "file and --generate"
cat a.ctv | "$ctdec" - -o - -q >pipe.y4m || fail "decode pipe"
same a_dec.y4m pipe.y4m "decoded file and pipe"
"$ctgen" - --size 48x32 --frames 12 --seed 3 | "$ctenc" - -o - -q --qp 24 --keyint 5 | "$ctdec" - -o pipe2.y4m -q
same a_dec.y4m pipe2.y4m "three tools in a row"

# --- what a y4m file says of its pictures comes back; options override it
words='A4:3 C420mpeg2 XCOLORRANGE=FULL'
{ echo "YUV4MPEG2 W48 H32 F30000:1001 It $words"; tail -n +2 a.y4m; } >words.y4m
expect 0 "described input" "$ctenc" words.y4m -o words.ctv
expect 0 "described output" "$ctdec" words.ctv -o words_dec.y4m --json words.json
[ "$(head -1 words_dec.y4m)" = "$(head -1 words.y4m)" ] || fail "described: $(head -1 words_dec.y4m)"
grep -q '"range": "full"' words.json && grep -q '"interlace": "top-first"' words.json || fail "described: json"
expect 0 "options describe" "$ctenc" words.y4m -o words.ctv -q --aspect 16:11 --range limited --siting top-left \
  --interlace bottom-first --primaries bt2020 --transfer 16 --matrix bt709
"$ctdec" words.ctv -o - -q | head -1 >words.txt
grep -q '^YUV4MPEG2 W48 H32 F30000:1001 Ib A16:11 C420paldv XCOLORRANGE=LIMITED$' words.txt || fail "$(cat words.txt)"
expect 0 "ctinfo describes" "$ctinfo" words.ctv
grep -q 'samples 16:11, limited range, primaries bt2020, transfer smpte2084, matrix bt709, chroma top-left, bottom-first' \
  out || fail "ctinfo: $(cat out)"
expect 0 "ctinfo's times" "$ctinfo" words.ctv --frames
grep -qE '^ +3 +P +0\.100100 ' out || fail "ctinfo: frame 3 is shown after 3003 / 30000 s: $(cat out)"
expect 0 "ctinfo's times as JSON" "$ctinfo" words.ctv --frames --json -
grep -q '"timestamp": 3003' out || fail "ctinfo: json has no timestamp"
for bad in "--aspect 4" "--range half" "--matrix 256" "--primaries 0" "--siting right"; do
  expect 1 "bad $bad" "$ctenc" a.y4m -o bad.ctv $bad
  one_line "bad $bad"
done

# --- RGB follows matrix and range: red in YCbCr is red again, within 1
# red NAME WIDTH HEIGHT Y CB CR [WORDS]: a picture of that colour, in octal
red() {
  local chroma=$((($2 / 2) * ($3 / 2)))
  { echo "YUV4MPEG2 W$2 H$3 F25:1 C420jpeg ${7:-}"; echo FRAME
    head -c $(($2 * $3)) /dev/zero | tr '\0' "\\$4"
    head -c $chroma /dev/zero | tr '\0' "\\$5"; head -c $chroma /dev/zero | tr '\0' "\\$6"; } >"$1.y4m"
}
# is_red NAME [OPTIONS]
is_red() {
  local name=$1 r g b
  shift
  expect 0 "encode $name $*" "$ctenc" "$name.y4m" -o "$name.ctv" -q --lossless "$@"
  expect 0 "decode $name $*" "$ctdec" "$name.ctv" -o "$name.ppm" -q
  read -r r g b < <(tail -c 3 "$name.ppm" | od -An -tu1)
  [ "$r" -ge 254 ] && [ "$g" -le 1 ] && [ "$b" -le 1 ]
}
red hd 1280 720 077 146 360
red sd 64 48 121 132 360
red full 64 48 114 125 377 XCOLORRANGE=FULL
is_red hd || fail "BT.709 is guessed from 720 rows on: $(tail -c 3 hd.ppm | od -An -tu1)"
is_red sd || fail "BT.601 is guessed below: $(tail -c 3 sd.ppm | od -An -tu1)"
is_red full || fail "full range: $(tail -c 3 full.ppm | od -An -tu1)"
is_red hd --matrix bt709 || fail "the header's BT.709"
is_red hd --matrix smpte170m && fail "the header's BT.601 is not used"
is_red sd --range full && fail "the header's range is not used"
expect 0 "a matrix without conversion" "$ctenc" sd.y4m -o odd.ctv -q --matrix bt2020c
expect 0 "its planes" "$ctdec" odd.ctv -o odd.y4m -q
expect 1 "RGB from it" "$ctdec" odd.ctv -o odd.ppm -q
one_line "RGB from it"

# --- how it runs does not change what comes out
for how in "--threads 1" "--threads 3 --in-flight 4" "--engine direct" "--backend cpu"; do
  "$ctenc" a.y4m -o how.ctv --qp 24 --keyint 5 -q $how || fail "encode $how"
  same a.ctv how.ctv "$how"
  "$ctdec" a.ctv -o how.y4m -q $how || fail "decode $how"
  same a_dec.y4m how.y4m "decode $how"
done

# --- digests
expect 0 md5 "$ctdec" a.ctv --md5
md5=$(cat out)
expect 0 "expected md5" "$ctdec" a.ctv --expect-md5 "$md5" -q
expect 1 "no kind" "$ctdec" a.ctv -o a.xyz
grep -q -e '--output-format' err || fail "no kind: $(cat err)"
expect 1 "no kind" "$ctgen" a.xyz
grep -q -e '--output-format' err && fail "an option that ctgen has not: $(cat err)"
expect 1 "nv12 as y4m" "$ctdec" a.ctv -o x.y4m --format nv12
grep -q 'the pictures are nv12' err || fail "nv12 as y4m: $(cat err)"
expect 0 "expected md5 in capitals" "$ctdec" a.ctv --expect-md5 "${md5^^}" -q
for bad in xyz "${md5}0" ''; do expect 1 "no md5" "$ctdec" a.ctv --expect-md5 "$bad" -q; done
expect 3 "wrong md5" "$ctdec" a.ctv --expect-md5 00000000000000000000000000000000 -q
one_line "wrong md5"

# --- lossless, every format and odd sizes
for format in gray i420 i422 i444; do
  "$ctgen" f.y4m --size 37x21 --frames 3 --format $format || fail "generate $format"
  expect 0 "lossless $format" "$ctenc" f.y4m -o f.ctv --lossless --verify
  expect 0 "decode lossless $format" "$ctdec" f.ctv -o f_dec.y4m
  same f.y4m f_dec.y4m "lossless $format"
done
"$ctgen" f.rgb --size 37x21 --frames 3 --format rgb || fail "generate rgb"
expect 0 "lossless rgb" "$ctenc" f.rgb --size 37x21 --raw-format rgb -o f.ctv --lossless --verify
expect 0 "decode rgb" "$ctdec" f.ctv -o f_dec.rgb
same f.rgb f_dec.rgb "lossless rgb"
expect 1 "rgb to y4m" "$ctdec" f.ctv -o f_dec.y4m
one_line "rgb to y4m"

# --- samples of 10 and 12 bits: lossless, with conversions, and what the header says of high dynamic range
for depth in 10 12; do
  { printf 'YUV4MPEG2 W37 H21 F25:1 Ip A1:1 C422p%s\n' $depth && for _ in 1 2 3; do
    printf 'FRAME\n' && printf '\001\002%.0s' $(seq 1575); done; } >deep.y4m  # samples of 513
  expect 0 "lossless $depth bits" "$ctenc" deep.y4m -o deep.ctv -q --lossless --verify --psnr --ssim --content-light 1000,400 \
    --mastering-display 35400,14600,8500,39850,6550,2300,15635,16450,10000000,1
  expect 0 "decode $depth bits" "$ctdec" deep.ctv -o deep_dec.y4m -q
  same deep.y4m deep_dec.y4m "$depth bits"
  expect 0 "$depth bits described" "$ctinfo" deep.ctv
  grep -q "i422p$depth" out && grep -q 'light up to 1000' out && grep -q '0.0001 to 1000 cd' out || fail "$depth bits: ctinfo"
  expect 0 "$depth bits as 8" "$ctdec" deep.ctv -o deep.png -q --frames 1
done
expect 1 "nine numbers" "$ctenc" deep.y4m -o x.ctv --mastering-display 1,2,3,4,5,6,7,8,9

# --- image sequences
"$ctgen" img_%03d.png --size 40x24 --frames 4 --format rgb || fail "generate png"
expect 0 "encode png" "$ctenc" img_%03d.png -o img.ctv --lossless --fps 10
expect 0 "decode png" "$ctdec" img.ctv -o dec_%03d.png --start-number 1
expect 0 "decode ppm" "$ctdec" img.ctv -o dec_%03d.ppm
same img_002.png dec_003.png "png"
[ -f dec_003.ppm ] && [ ! -f dec_004.ppm ] || fail "ppm numbers"
expect 1 "one name for many" "$ctdec" img.ctv -o one.png

# --- parts: --seek, --frames, at both ends
expect 0 "encode a part" "$ctenc" a.y4m -o part.ctv --seek 3 --frames 4 -q --lossless
expect 0 "decode a part" "$ctdec" part.ctv -o part.yuv -q
header=$(head -n 1 a.y4m | wc -c)
frame=$((48 * 32 * 3 / 2))
for i in 3 4 5 6; do tail -c +$((header + i * (frame + 6) + 7)) a.y4m | head -c $frame; done >want.yuv
same part.yuv want.yuv "--seek --frames of ctenc"
expect 0 "decode to raw" "$ctdec" a.ctv -o a.yuv -q
# The index is the stream's last unit; without it seeking scans.
index=$("$ctinfo" a.ctv --json - | sed -n 's/.*"index_entries": //p' | tr -d ,)
[ "$index" = 12 ] || fail "ctinfo: index of '$index' frames"
indexed=$(wc -c <a.ctv)
offset=$(grep -abo CTVX a.ctv | tail -1 | cut -d: -f1)
head -c "$offset" a.ctv >noindex.ctv
for n in 0 1 4 5 7 11; do
  tail -c +$((n * frame + 1)) a.yuv | head -c $((2 * frame)) >want.yuv
  for stream in a.ctv noindex.ctv; do
    expect 0 "seek $n in $stream" "$ctdec" $stream -o seek.yuv --seek $n --frames 2 -q
    same seek.yuv want.yuv "seek $n in $stream"
  done
  cat a.ctv | "$ctdec" - -o seek.yuv --seek $n --frames 2 -q
  same seek.yuv want.yuv "seek $n in a pipe"
done
expect 2 "seek behind the end" "$ctdec" a.ctv -o seek.yuv --seek 12
expect 0 "no index" "$ctdec" noindex.ctv -o noindex.yuv -q
same a.yuv noindex.yuv "without index"

# --- reduced resolution
expect 0 "key frames alone" "$ctenc" a.y4m -o keys.ctv --qp 30 --keyint 1
expect 0 "half resolution" "$ctdec" keys.ctv -o half.yuv --resolution 1/2 -q
[ "$(wc -c <half.yuv)" -eq $((12 * 24 * 16 * 3 / 2)) ] || fail "half resolution has $(wc -c <half.yuv) bytes"
expect 1 "bad resolution" "$ctdec" a.ctv -o half.yuv --resolution 1/3

# --- rate control: no packet above the limit, equal streams from pipes
expect 0 "max-frame" "$ctenc" --generate 96x64@25:30 -o rate.ctv --qp 4 --max-frame 1500 --json rate.json
[ "$(sed -n 's/.*"largest_packet": //p' rate.json | tr -d ,)" -le 1500 ] || fail "a packet is larger than --max-frame"
expect 0 "bitrate" "$ctenc" --generate 96x64@25:100 -o rate.ctv --bitrate 100 --json rate.json
kbps=$(sed -n 's/.*"kbps": \([0-9]*\).*/\1/p' rate.json)
for field in '"backend": "c[a-z]*"' '"processor": "[A-Z]' '"running": "c' '"loop_filter": true'; do
  grep -q "$field" rate.json || fail "no $field in the JSON"
done
[ "$kbps" -ge 50 ] && [ "$kbps" -le 150 ] || fail "--bitrate 100 gave $kbps kb/s"

expect 0 "crf" "$ctenc" --generate 96x64@25:20 -o rate.ctv --crf 26.5 --psnr --json rate.json
decibels=$(sed -n 's/.*"y": \([0-9]*\).*/\1/p' rate.json)
[ "$decibels" = 38 ] || fail "--crf 26.5 gave $decibels dB"
expect 0 "tune" "$ctenc" --generate 96x64@25:4 -o rate.ctv --tune psnr --verify
for other in "--qp 26" "--bitrate 100" --lossless "--step 10"; do
  expect 1 "crf and $other" "$ctenc" --generate 96x64@25:4 -o rate.ctv --crf 26 $other
  one_line "crf and $other"
done
expect 1 "crf out of range" "$ctenc" --generate 96x64@25:4 -o rate.ctv --crf 52

# --- ctinfo
expect 0 ctinfo "$ctinfo" a.ctv --frames
grep -q '48x32' out || fail "ctinfo: size"
grep -qE 'lifting +along a direction in [0-9.]+ % of the blocks of key frames' out || fail "ctinfo: slopes: $(cat out)"
expect 0 "ctinfo json" "$ctinfo" a.ctv --json - --frames
cp out a.json
expect 0 "ctinfo json into a file" "$ctinfo" a.ctv --json b.json --frames
same a.json b.json "JSON in a file"
grep -q '48x32' out || fail "ctinfo: no text beside the JSON"
expect 1 "ctinfo over its input" "$ctinfo" a.ctv --json a.ctv
expect 3 "ctinfo garbage" "$ctinfo" a.y4m
one_line "ctinfo garbage"

# --- damage
head -c $((indexed / 2)) a.ctv >cut.ctv
expect 3 "cut stream" "$ctdec" cut.ctv -o cut.yuv -q
one_line "cut stream"
[ -s cut.yuv ] || fail "a cut stream decodes to nothing"
head -c "$(wc -c <cut.yuv)" a.yuv >want.yuv
same cut.yuv want.yuv "the whole frames of a cut stream"
expect 3 "cut stream, kept going" "$ctdec" cut.ctv -o kept.yuv --keep-going -q
same kept.yuv cut.yuv "--keep-going on a cut stream"
head -c 20 a.ctv >cut.ctv
expect 3 "cut header" "$ctdec" cut.ctv -o cuthead.yuv
[ ! -e cuthead.yuv ] || fail "a stream without a whole frame left a file"
# Frame 2's packet loses its tag: frames 2, 3 and 4 are gone, key frame 5 brings the rest.
cp a.ctv hole.ctv
put hole.ctv "$(packet_at 3)" 'XXXX'
expect 3 "hole" "$ctdec" hole.ctv -o hole.yuv -q
expect 3 "hole, kept going" "$ctdec" hole.ctv -o hole.yuv --keep-going --json hole.json
one() { tail -c +$(($1 * frame + 1)) a.yuv | head -c $frame; }
{ one 0; one 1; one 1; one 1; one 1; tail -c +$((5 * frame + 1)) a.yuv; } >want.yuv
same hole.yuv want.yuv "--keep-going repeats the picture before a hole"
for line in '"frames": 12' '"damaged_places": 1' '"dropped_frames": 2' '"repeated_frames": 3' '"complete": false'; do
  grep -q "$line" hole.json || fail "hole: $line is not in the JSON"
done
# At the beginning the picture behind the hole stands for it, at the end the index tells how many are missing.
cp a.ctv ends.ctv
put ends.ctv "$(packet_at 1)" 'XXXX'
put ends.ctv "$(packet_at 12)" 'XXXX'
expect 3 "ends, kept going" "$ctdec" ends.ctv -o ends.yuv --keep-going -q
{ one 5; one 5; one 5; one 5; one 5; for i in 5 6 7 8 9 10 10; do one $i; done; } >want.yuv
same ends.yuv want.yuv "--keep-going keeps the clip's length"
expect 3 "ends, a part" "$ctdec" ends.ctv -o ends.yuv --keep-going -q --seek 9 --frames 3
{ one 9; one 10; one 10; } >want.yuv
same ends.yuv want.yuv "--keep-going with --seek"
# A packet that is not there at all: the stream has no damage, and the frames behind have lost their reference.
second=$(packet_at 2) third=$(packet_at 3)
{ head -c "$second" a.ctv; tail -c +$((third + 1)) a.ctv; } >gone.ctv
expect 3 "gone, kept going" "$ctdec" gone.ctv -o gone.yuv --keep-going --json gone.json -q
{ one 0; one 0; one 0; one 0; one 0; tail -c +$((5 * frame + 1)) a.yuv; } >want.yuv
same gone.yuv want.yuv "--keep-going where a packet is missing"
grep -q '"damaged_places": 0' gone.json && grep -q '"dropped_frames": 3' gone.json || fail "gone: $(cat gone.json)"
expect 3 "gone" "$ctdec" gone.ctv -o gone.yuv
grep -q 'offset.*refers to frame 1' err || fail "gone: $(cat err)"
# Damage in the last part of a packet costs detail, up to the next key frame; in its vectors, the picture.
expect 0 "resilient" "$ctenc" a.y4m -o resilient.ctv --qp 24 --keyint 5 --set error_resilient=1 -q
cp resilient.ctv detail.ctv
put detail.ctv $(($(packet_at 4 resilient.ctv) - 1)) 'X'
expect 1 "conceal alone" "$ctdec" detail.ctv -o detail.yuv --conceal
expect 3 "detail, concealed" "$ctdec" detail.ctv -o detail.yuv --keep-going --conceal --json detail.json -q
{ one 0; one 1; } >want.yuv
head -c $((2 * frame)) detail.yuv | cmp -s - want.yuv || fail "pictures before the damage differ"
cmp -s <(tail -c +$((5 * frame + 1)) detail.yuv) <(tail -c +$((5 * frame + 1)) a.yuv) || fail "the next key frame differs"
for line in '"frames": 12' '"damaged_places": 1' '"dropped_frames": 0' '"repeated_frames": 0' '"concealed_frames": 3'; do
  grep -q "$line" detail.json || fail "concealed: $line is not in the JSON: $(cat detail.json)"
done
put detail.ctv $(($(packet_at 3 resilient.ctv) + 4)) 'X'
expect 3 "vectors, concealed" "$ctdec" detail.ctv -o detail.yuv --keep-going --conceal --json detail.json -q
same detail.yuv hole.yuv "a packet without vectors is repeated"
# Bytes that belong to no packet cost no picture, and neither does a packet that comes twice.
{ head -c "$third" a.ctv; printf '%64s' ''; tail -c +$((third + 1)) a.ctv; } >junk.ctv
expect 3 "junk, kept going" "$ctdec" junk.ctv -o junk.yuv --keep-going --json junk.json -q
same junk.yuv a.yuv "--keep-going with bytes between packets"
for line in '"damaged_places": 1' '"dropped_frames": 0' '"repeated_frames": 0'; do
  grep -q "$line" junk.json || fail "junk: $line is not in the JSON"
done
{ head -c "$third" a.ctv; tail -c +$((second + 1)) a.ctv; } >twice.ctv
for flight in 1 3; do
  expect 0 "a packet that comes twice" "$ctdec" twice.ctv -o twice.yuv -q --in-flight $flight
  same twice.yuv a.yuv "a packet that comes twice, $flight in flight"
done
expect 3 "not a stream" "$ctdec" a.y4m -o x.yuv
expect 2 "empty stream" "$ctdec" /dev/null -o x.yuv

# --- limits
expect 4 "max-pixels" "$ctdec" a.ctv -o x.yuv --max-pixels 1535
one_line "max-pixels"
expect 0 "max-pixels, just enough" "$ctdec" a.ctv -o x.yuv --max-pixels 1536 -q
expect 4 "max-memory" "$ctdec" a.ctv -o x.yuv --max-memory 1k
expect 4 "max-packet" "$ctdec" a.ctv -o x.yuv --max-packet 16

# 80 MB, which a sanitiser's shadow of memory exceeds
short() { (ulimit -v 80000 && "$@"); }
if short "$ctinfo" --version >out 2>err; then
  expect 4 "too little memory" short "$ctenc" --generate 1920x1080@25:4 -o short.ctv --backend cpu
  one_line "too little memory"
  grep -q 'out of memory.*need less' err || fail "too little memory: no hint"
  [ ! -e short.ctv ] || fail "too little memory: a stream is left"
fi

# --- bad inputs of ctenc
expect 2 "missing" "$ctenc" missing.y4m -o x.ctv
one_line missing
expect 2 "empty" "$ctenc" /dev/null -o x.ctv
printf 'YUV4MPEG2 W0 H16\nFRAME\n' >bad.y4m
expect 2 "zero width" "$ctenc" bad.y4m -o x.ctv
printf 'YUV4MPEG2 W65535 H65535\nFRAME\n' >bad.y4m
expect 4 "huge" "$ctenc" bad.y4m -o x.ctv
printf 'YUV4MPEG2 W16 H16 C420p14\nFRAME\n' >bad.y4m
expect 2 "14 bits" "$ctenc" bad.y4m -o x.ctv
one_line "14 bits"
printf 'YUV4MPEG2 W16 H16\n' >bad.y4m
expect 2 "no frames" "$ctenc" bad.y4m -o x.ctv
expect 2 "folder" "$ctenc" . -o x.ctv
expect 2 "output folder missing" "$ctenc" a.y4m -o missing/x.ctv
expect 2 "output is a folder" "$ctenc" a.y4m -o .
expect 2 "disk full" "$ctenc" a.y4m -o /dev/full
[ ! -e x.ctv ] || fail "a failed encode left a file"
ls .ctv-* >/dev/null 2>&1 && fail "temporary files stay: $(ls -d .ctv-*)"

# --- usage
expect 1 "no arguments" "$ctenc"
expect 1 "no output" "$ctenc" a.y4m
expect 1 "unknown option" "$ctenc" a.y4m -o x.ctv --nonsense
one_line "unknown option"
expect 1 "bad qp" "$ctenc" a.y4m -o x.ctv --qp 52
expect 1 "qp and step" "$ctenc" a.y4m -o x.ctv --qp 20 --step 4
expect 1 "input twice" "$ctenc" a.y4m --generate 16x16@25:1 -o x.ctv
expect 1 "stdout twice" "$ctenc" a.y4m -o - --json -
expect 1 "bad parameters" "$ctenc" a.y4m -o x.ctv --set scales=9
expect 1 "bad clip" "$ctenc" --generate 16x16 -o x.ctv
expect 1 "unknown ending" "$ctdec" a.ctv -o x.mp4
for tool in ctenc ctdec ctinfo ctgen ctcat; do
  for flag in --help --version --help-man "--completion bash" "--completion zsh" "--completion fish"; do
    expect 0 "$tool $flag" "$bin/$tool" $flag
    [ -s out ] || fail "$tool $flag prints nothing"
  done
  "$bin/$tool" --completion bash | bash -n || fail "$tool: bash completion has errors"
done
expect 0 "list devices" "$ctenc" --list-devices
if ! grep -q '^0:' out; then
  expect 5 "no CUDA" "$ctenc" a.y4m -o x.ctv --backend cuda
  one_line "no CUDA"
fi

# --- benchmark, null, interruption
expect 0 benchmark "$ctenc" --generate 48x32@25:12 --benchmark
if grep -q "forward transform" err; then fail "stage times without --stage-times"; fi
expect 0 "stage times" "$ctenc" --generate 48x32@25:12 --benchmark --stage-times
grep -q "forward transform" err || fail "no stage times of the encoder"
expect 0 "decode to null" "$ctdec" a.ctv -o null --benchmark --stage-times
grep -q "inverse transform" err || fail "no stage times of the decoder"
mkfifo fifo
"$ctenc" a.y4m -o fifo -q --qp 24 --keyint 5 &
timeout 60 cat fifo >fifo.ctv
wait
same a.ctv fifo.ctv "named pipe"

grep -q "FILES" <("$ctenc" --help-man) || fail "the man page tells no files"
"$ctenc" --help-man | grep -q '^.BR ctenc' && fail "the man page points to itself"
touch 'my file.y4m'
completed=$(bash -c "$("$ctenc" --completion bash); COMP_WORDS=(ctenc my) COMP_CWORD=1; _ctenc; echo \"\${#COMPREPLY[@]} \${COMPREPLY[0]}\"")
[ "$completed" = "1 my file.y4m" ] || fail "completion of a name with a blank: $completed"

[ "$failures" -eq 0 ] && echo "all tests of the tools passed" || { echo "$failures failures" >&2; exit 1; }
