#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Nothing is lost, and nothing goes wrong in silence: interrupted and cut recordings, outputs that would destroy an
# input, failures halfway, options without effect, outputs that are what their names say.
# usage: test_safety.sh FOLDER-OF-THE-TOOLS SCRATCH-FOLDER
set -u
bin=$1
work=$2
images=$(cd "$(dirname "$0")/../../data/fuzz/image" && pwd)
. "$(dirname "$0")/shell_test.sh"
ctenc="$bin/ctenc" ctdec="$bin/ctdec" ctinfo="$bin/ctinfo" ctgen="$bin/ctgen"
# frames FILE: what ctinfo counts, and what the index lists.
frames() { "$ctinfo" "$1" --json - | sed -n 's/^  "\(frames\|index_entries\)": \([0-9a-z]*\).*/\2/p' | tr '\n' ' '; }
says() { grep -q -- "$1" err || fail "no '$1' in: $(cat err)"; }
nothing_left() { if ls -A | grep -q '^\.ctv-'; then fail "$1: temporary files stay: $(ls -d .ctv-*)"; fi; }

"$ctgen" a.y4m --size 48x32 --frames 12 --seed 3 && "$ctenc" a.y4m -o a.ctv --keyint 5 -q || fail "the clip"
"$ctdec" a.ctv -o a.yuv -q

# --- a recording that ends early holds all whole frames and its index
head -c 20000 a.y4m >cut.y4m
for flight in 1 3; do
  rm -f cut.ctv
  expect 2 "cut y4m" "$ctenc" - -o cut.ctv --in-flight $flight -q --json cut.json <cut.y4m
  [ "$(wc -l <err)" -eq 1 ] || fail "cut y4m: not one line: $(cat err)"
  says "frame 8 is cut"
  says "cut.ctv holds the 8 frames"
  [ "$(frames cut.ctv)" = "8 8 " ] || fail "cut y4m: frames and index: $(frames cut.ctv)"
  grep -q '"complete": false' cut.json || fail "cut y4m: the JSON says complete"
  expect 0 "decode the cut recording" "$ctdec" cut.ctv -o cut.yuv -q
done
tail -c +44 a.y4m | head -c 5000 >cut.yuv # some header, but of a size that no frame has
expect 2 "cut raw video" "$ctenc" cut.yuv --size 48x32 -o raw.ctv -q
[ "$(frames raw.ctv)" = "2 2 " ] || fail "cut raw video: $(frames raw.ctv)"
head -c 60 a.y4m >nothing.y4m
expect 2 "no whole frame" "$ctenc" nothing.y4m -o nothing.ctv
[ ! -e nothing.ctv ] || fail "a recording without a frame left a file"
"$ctgen" s_%d.ppm --size 16x16 --frames 4 && head -c 500 s_2.ppm >short && mv short s_2.ppm
expect 2 "a cut image in a sequence" "$ctenc" s_%d.ppm -o s.ctv -q
[ "$(frames s.ctv)" = "2 2 " ] || fail "cut image: $(frames s.ctv)"

# Waits until a recording has its first packet; a loaded machine takes its time.
recording() {
  for _ in $(seq 600); do
    [ -z "$(find . -name '.ctv-*' -size +0)" ] || return 0
    sleep 0.1
  done
}
set -m # or SIGINT would be ignored by what runs in the background
for signal in INT:130 TERM:143 HUP:129 USR1:138 XCPU:152; do
  rm -f live.ctv
  "$ctenc" - -o live.ctv -q --in-flight 2 2>err < <(cat a.y4m; exec sleep 100 2>&-) &
  recording
  sleep 2
  kill "-${signal%:*}" $!
  wait $!
  got=$?
  [ "$got" = "${signal#*:}" ] || fail "$signal: exit code $got"
  says "interrupted, live.ctv holds the 12 frames"
  [ "$(frames live.ctv)" = "12 12 " ] || fail "$signal: $(frames live.ctv)"
done
"$ctenc" --generate 96x64@25:10000000 -o long.ctv -q 2>err &
set +m
recording
kill -INT $!
wait $!
[ $? = 130 ] || fail "Ctrl-C while encoding"
expect 0 "decode the interrupted recording" "$ctdec" long.ctv -o null -q
nothing_left "interrupted"
# A disk that fills up: here, a limit of the file's size.
(ulimit -f 64 && exec "$ctenc" --generate 320x200@25:100 -o full.ctv -q 2>err)
[ $? = 2 ] || fail "full disk: exit code"
says "full.ctv holds the [0-9]* frames before it, without an index"
expect 0 "decode what was written to a full disk" "$ctdec" full.ctv -o null -q

# --- an input is not replaced, whatever it is called
cp a.y4m in && ln in link && ln -s in symlink
for output in in ./in link symlink "$PWD/in"; do
  expect 1 "output $output is the input" "$ctenc" in -o "$output"
  says "is the input as well"
done
expect 1 "standard input is the output" "$ctenc" - -o in <in
expect 1 "the report is the input" "$ctenc" in -o null --json in
cmp -s in a.y4m || fail "the input is not what it was"
cp a.ctv b.ctv
expect 1 "ctdec replaces its input" "$ctdec" b.ctv -o b.ctv --output-format y4m
cmp -s a.ctv b.ctv || fail "the stream is not what it was"
"$ctgen" only.ppm --size 16x16 --frames 1 && cp only.ppm image
expect 1 "an image is replaced by the report" "$ctenc" only.ppm -o null --json only.ppm
cmp -s only.ppm image || fail "the image is not what it was"
expect 1 "one name for two outputs" "$ctenc" a.y4m -o x.ctv --csv ./x.ctv
expect 1 "the report of ctdec replaces the stream" "$ctdec" b.ctv -o null --json b.ctv
expect 1 "the report of ctdec replaces the pictures" "$ctdec" b.ctv -o x.y4m --json x.y4m
expect 1 "the report of ctdec replaces an image" "$ctdec" b.ctv -o x_%d.png --json ./x_1.png
ls x_* >/dev/null 2>&1 && fail "a refused ctdec left $(ls -d x_*)"
expect 1 "ctcat replaces its input" "${ctenc%ctenc}ctcat" b.ctv -o ./b.ctv
expect 1 "ctcat cuts its input" "${ctenc%ctenc}ctcat" b.ctv --from 0 --frames 3 -o b.ctv
expect 1 "ctcat joins standard input with itself" "${ctenc%ctenc}ctcat" - - -o x.ctv <b.ctv
expect 1 "ctcat replaces its standard input" "${ctenc%ctenc}ctcat" - -o b.ctv <b.ctv
expect 1 "the report of ctdec replaces its standard input" "$ctdec" - -o null --json b.ctv <b.ctv
: >empty.ctv
expect 2 "ctcat of an empty file" "${ctenc%ctenc}ctcat" a.ctv empty.ctv -o x.ctv
says "empty.ctv is empty"
ln -s ring1 ring2 && ln -s ring2 ring1
expect 2 "links in a ring" "$ctdec" a.ctv -o ring1 --output-format y4m
[ -L ring1 ] || fail "a link was replaced"
expect 1 "ctcall replaces the clip" "${ctenc%ctenc}ctcall" only.ppm --json only.ppm
cmp -s a.ctv b.ctv || fail "the stream is not what it was, in the end"
cmp -s only.ppm image || fail "the image is not what it was, in the end"

# --- descriptors, mounts, links and owners of outputs stay
( "$ctenc" a.y4m -o /dev/stdout --keyint 5 -q; echo TAIL ) >stdout
{ cat a.ctv; echo TAIL; } | cmp -s - stdout || fail "/dev/stdout is not the open descriptor"
printf HEAD >stdout
"$ctenc" a.y4m -o /dev/fd/3 --keyint 5 -q 3>>stdout
{ printf HEAD; cat a.ctv; } | cmp -s - stdout || fail "/dev/fd/3 is not the open descriptor"
ln -s /proc/self/fd/1 mystdout
: >stdout
expect 0 "a link to standard output" bash -c "'$ctdec' a.ctv -o mystdout --output-format raw -q >>stdout; \
  '${ctenc%ctenc}ctcat' a.ctv -o mystdout >>stdout; '$ctenc' a.y4m -o null --json mystdout -q >>stdout; \
  '$ctenc' a.y4m -o null --csv mystdout -q >>stdout"
head -c "$(cat a.yuv a.ctv | wc -c)" stdout | cmp -s - <(cat a.yuv a.ctv) || fail "a link to standard output"
grep -aq '"frames": 12' stdout && grep -aq '^11,' stdout || fail "reports through a link to standard output"
[ -L mystdout ] && [ -L /dev/stdout ] || fail "a link to standard output was replaced"
if unshare -m true 2>unshare.err; then
  for tool in "$ctenc a.y4m --keyint 5" "$ctdec a.ctv --output-format raw" "${ctenc%ctenc}ctcat a.ctv"; do
    : >mounted && : >host
    expect 0 "a mount point, $tool" unshare -m bash -c "mount --bind host mounted && $tool -o mounted"
    cmp -s host a.ctv || cmp -s host a.yuv || fail "$tool: the mounted file has $(wc -c <host) bytes"
    nothing_left "a mount point"
  done
fi
if [ "$(id -u)" = 0 ]; then # another user, who may write a file but not into its folder
  mkdir -m 755 shut && cp a.y4m shut && : >shut/open.ctv && chmod 666 shut/open.ctv && : >shut/closed.ctv
  as_other() { setpriv --reuid 12345 --regid 12345 --clear-groups "$@"; }
  if as_other "$ctenc" --help >/dev/null 2>&1 && (cd shut && as_other test -r a.y4m); then
    expect 0 "a folder that takes no file" as_other "$ctenc" shut/a.y4m -o shut/open.ctv --keyint 5 -q
    cmp -s shut/open.ctv a.ctv || fail "the file in a folder without write permission differs"
    expect 2 "a file that may not be written" as_other "$ctenc" shut/a.y4m -o shut/closed.ctv
    expect 2 "a folder that may not be written" as_other "$ctenc" shut/a.y4m -o shut/new.ctv
  fi
fi
expect 2 "a report that cannot be written is refused at once" "$ctenc" a.y4m -o x.ctv --json missing/x.json
[ ! -e x.ctv ] || fail "the clip was encoded before the report was refused"

# --- whole pictures before a failure stay
"$ctenc" a.y4m -o sizes.ctv --frames 5 -q
"$ctenc" --generate 32x16@25:3 -o other.ctv -q && cat other.ctv >>sizes.ctv
expect 2 "sizes that change" "$ctdec" sizes.ctv -o sizes.y4m -q
says "sizes.y4m holds the 5 pictures before it"
[ "$(tail -n +2 sizes.y4m | wc -c)" = $((5 * (6 + 48 * 32 * 3 / 2))) ] || fail "sizes.y4m has $(wc -c <sizes.y4m) bytes"
nothing_left "sizes that change"

# --- a failure leaves nothing half-written
expect 1 "one name for many pictures" "$ctdec" a.ctv -o one.png
[ ! -e one.png ] || fail "a failing ctdec left one.png"
cp a.ctv damaged.ctv
printf XXXX | dd of=damaged.ctv bs=1 seek="$(packet_at 8)" conv=notrunc status=none
for output in many_%d.png many_%d.ppm many.y4m many.rgb; do
  expect 3 "damage, to $output" "$ctdec" damaged.ctv -o $output
  [ "$(wc -l <err)" -eq 1 ] || fail "$output: not one line: $(cat err)"
  says "$output holds the 7 pictures before it"
done
[ "$(ls many_*.png many_*.ppm | wc -l)" = 14 ] || fail "images before the damage: $(ls many*)"
[ "$(wc -c <many.rgb)" = $((7 * 48 * 32 * 3)) ] || fail "pictures before the damage: $(wc -c <many.rgb) bytes"
for quiet in "" -q; do
  expect 3 "damage, kept going $quiet" "$ctdec" damaged.ctv -o null --keep-going $quiet
  says "^ctdec: damaged.ctv: damage in 1 places; [0-9]* further frames lost their reference"
done
mkdir folder && mkdir folder/p_3.png
expect 2 "an image cannot be written" "$ctdec" a.ctv -o folder/p_%d.png
[ "$(cd folder && echo *)" = "p_0.png p_1.png p_2.png p_3.png" ] || fail "a failing sequence left $(ls -A folder)"
expect 3 "another digest" "$ctdec" a.ctv -o digest.y4m --expect-md5 00000000000000000000000000000000
[ ! -e digest.y4m ] || fail "pictures with another digest stay"
nothing_left "failures"

# --- inputs that claim too much, headers that are damaged, resolutions that drift
expect 2 "a PNG that inflates to more than its size" "$ctenc" "$images/bomb.png" -o null
says "more than the size says"
cp a.ctv header.ctv
printf '\377' | dd of=header.ctv bs=1 seek=20 conv=notrunc status=none
expect 3 "seeking behind a damaged header" "$ctdec" header.ctv -o null --keep-going --seek 3
says "no frame 3"
"$ctdec" --help | tr -s '\n ' ' ' | grep -q "errors add up until the next key frame" || fail "--help does not speak of drift"
expect 1 "predicted frames at half resolution" "$ctdec" a.ctv -o half.yuv --resolution 1/2
says "predicted frames of this stream have full resolution only"
expect 0 "a lossless clip" "$ctenc" a.y4m -o lossless.ctv --lossless -q
expect 0 "half resolution" "$ctdec" lossless.ctv -o half.yuv --resolution 1/2
says "^drift "

# --- outputs are what their names say
luma=$((48 * 32)) samples=$((48 * 32 * 3 / 2))
for row in rgb:$((12 * 48 * 32 * 3)) rgba:$((12 * 48 * 32 * 4)) nv12:$((12 * samples)) gray:$((12 * luma)) yuv:$((12 * samples)); do
  expect 0 "to .${row%:*}" "$ctdec" a.ctv -o "o.${row%:*}" -q
  [ "$(wc -c <"o.${row%:*}")" -eq "${row#*:}" ] || fail ".${row%:*} has $(wc -c <"o.${row%:*}") bytes"
done
head -c $luma a.yuv >want.gray
head -c $luma o.gray | cmp -s - want.gray || fail ".gray is not luma"
cmp -s o.nv12 a.yuv && fail ".nv12 is planar"
expect 0 "to ppm" "$ctdec" a.ctv -o o_%d.ppm -q
head -c $((luma * 3)) o.rgb | cmp -s - <(tail -c $((luma * 3)) o_0.ppm) || fail ".rgb is not RGB"
for name in rgb rgba nv12 gray; do
  expect 0 "from .$name" "$ctenc" o.$name --size 48x32 -o back.ctv --lossless -q
  "$ctinfo" back.ctv --json back.json >/dev/null
  case $name in rgb | rgba) want=rgb ;; nv12) want=i420 ;; *) want=gray ;; esac
  grep -q "\"format\": \"$want\"" back.json || fail "from .$name: $(grep format back.json)"
done
expect 1 "a name and a format" "$ctdec" a.ctv -o x.rgb --format i420
"$ctenc" o.rgb --size 48x32 -o rgb.ctv -q
expect 1 "RGB as .yuv" "$ctdec" rgb.ctv -o x.yuv
expect 0 "RGB as .yuv, converted" "$ctdec" rgb.ctv -o x.yuv --format i444 -q
"$ctgen" g.rgb --size 16x16 --frames 1
[ "$(wc -c <g.rgb)" -eq 768 ] || fail "ctgen g.rgb has $(wc -c <g.rgb) bytes"
expect 1 "ctenc to mp4" "$ctenc" a.y4m -o x.mp4
expect 0 "no output, no name" "$ctenc" a.y4m -o null -q

# --- options that have no effect, or cancel each other
while read -r words; do
  expect 1 "$words" "$ctenc" a.y4m -o x.ctv $words
  [ "$(wc -l <err)" -eq 1 ] || fail "$words: not one line: $(cat err)"
  grep -q '(.*)$' err || fail "$words: no hint: $(cat err)"
done <<'END'
--lossless --bitrate 300
--lossless --set rdoq=1
--lossless --set loop_filter=1
--preset paper --set loop_filter=1
--preset paper --set far_range=8
--preset paper --tune psnr
--preset paper --set error_resilient=1
--lossless --set error_resilient=1
--lossless --tune psnr
--chroma 420
--scenecut --no-scenecut
--buffer 500
--set directions=4,2 --set scales=1
--set directional_lifting=1 --set pyramid=5/3
--set subpel=4
--set subpel=
--set subpel
--set quality=3
--raw-format rgb
--size 48x32
--start-number 3
--device 1 --backend cpu
--qp 60
--qb 28
END
expect 1 "option misspelt" "$ctenc" a.y4m -o x.ctv --bitrat 300
says "did you mean --bitrate?"
expect 1 "names of a shell's pattern" "$ctenc" o_0.ppm o_1.ppm -o x.ctv
says "img_%05d.png"
expect 1 "in flight while keeping on" "$ctdec" a.ctv -o x.y4m --keep-going --in-flight 2
expect 1 "numbers of no sequence" "$ctdec" a.ctv -o x.y4m --start-number 2
"$ctdec" a.ctv -o o.i444 --output-format raw --format i444 -q
for raw in rgb i444; do
  expect 0 "chroma of $raw" "$ctenc" o.$raw --size 48x32 --raw-format $raw -o full.ctv -q
  expect 0 "less chroma of $raw" "$ctenc" o.$raw --size 48x32 --raw-format $raw -o x.ctv --chroma 420
  grep -q warning err && fail "chroma of $raw: $(cat err)"
  [ "$(wc -c <x.ctv)" -lt "$(wc -c <full.ctv)" ] || fail "--chroma 420 has no effect on $raw"
done
for raw in bgr:6 bgra:8 nv21:3 yuy2:4 uyvy:4; do # cameras and screens: bytes of two samples, or of one in two frames
  head -c $((48 * 32 * ${raw#*:})) /dev/urandom >cam.raw
  expect 0 "${raw%:*}" "$ctenc" cam.raw --size 48x32 --raw-format "${raw%:*}" --lossless --verify --psnr -o x.ctv
  expect 0 "two frames of ${raw%:*}" "$ctdec" x.ctv -o null --json -
  grep -q '"frames": 2' out || fail "${raw%:*}: $(grep '"frames"' out)"
done
expect 1 "a member of ctv_config" "$ctenc" a.y4m -o x.ctv --preset paper --set overlap=1
says "^ctenc: --set overlap: needs picture prediction"
expect 1 "a member of ctv_config" "$ctenc" a.y4m -o x.ctv --preset paper --crf 24
says "^ctenc: --crf: needs picture prediction"
expect 2 "no y4m" "$ctenc" a.ctv -o x.ctv
says "ffmpeg"
expect 0 "bitrates with units" "$ctenc" a.y4m -o x.ctv --bitrate 2M --keyint inf -q
[ ! -s err ] || fail "--quiet speaks: $(cat err)"

# --- what is missed is said
expect 0 "missed bitrate" "$ctenc" --generate 96x64@25:60 -o x.ctv --bitrate 1
says "warning: the bitrate was missed.*coarsest step"
expect 0 "bitrate above a limit" "$ctenc" --generate 96x64@25:100 -o x.ctv --bitrate 400 --max-frame 500
says "warning: the bitrate was missed.*--max-frame"
expect 0 "bitrate too high" "$ctenc" --generate 96x64@25:60 -o x.ctv --bitrate 20000
says "warning: the bitrate was missed"
grep -q finest err && fail "a step that was not used is blamed: $(cat err)"
expect 0 "held bitrate" "$ctenc" --generate 96x64@25:100 -o x.ctv --bitrate 100
grep -q missed err && fail "a bitrate that was held is said to be missed: $(cat err)"
printf 'YUV4MPEG2 W4 H4 Im A70000:1\nFRAME\n%24s' >told.y4m
expect 0 "what a stream cannot hold" "$ctenc" told.y4m -o x.ctv
for word in "mixed interlacing" "70000:1"; do says "warning: .*$word"; done
printf 'YUV4MPEG2 W4 H4 C\033[31mred\nFRAME\n' >red.y4m
expect 2 "terminal sequences" "$ctenc" red.y4m -o x.ctv
grep -q "$(printf '\033')" err && fail "an input's escape sequence reaches the terminal"

# --- what is in force is printed
expect 0 "a benchmark" "$ctenc" a.y4m --benchmark
head -n 1 err | grep -q "^running" || fail "the first line of --benchmark is not the backend: $(head -n 1 err)"
expect 0 "summary" "$ctenc" a.y4m -o x.ctv --preset paper
says "^running  *cpu: [A-Z0-9_]*, [0-9]* thread"
says "^coding  *laplacian pyramid of 1 scales, directions 8; subband prediction"
for word in "--qp N .*26" "--keyint N .*60" "--in-flight N"; do
  "$ctenc" --help | tr '\n' ' ' | grep -q -- "$word" || fail "--help: $word"
done
for option in qp keyint slots buffer in-flight threads; do
  "$ctenc" --help | tr -s '\n ' ' ' | grep -q -- "--$option [^[]*\[default: [0-9]*\]" || fail "--help: no default of --$option"
done

for field in scales subpel search_range; do
  "$ctenc" --set help | grep -q "^$field .*default: [0-9]" || fail "--set help: $field"
done

# --- descriptors
expect 2 "digest to a full disk" bash -c "'$ctdec' a.ctv --md5 -q >/dev/full"
"$ctdec" damaged.ctv -o closed.y4m --keep-going >&- 2>&-
grep -aq warning closed.y4m && fail "messages go into the output"
[ "$("$ctdec" damaged.ctv -o - --keep-going -q | md5sum)" = "$(md5sum <closed.y4m)" ] || fail "closed descriptors change the output"
expect 2 "a closed standard output" bash -c "'$ctdec' a.ctv -o - -q >&-"

# --- time does not grow with the square of the damage
{ head -c "$(packet_at 1)" a.ctv; yes "$(printf 'CP\200\200\014\001\002')" | tr '\n' '\0' | head -c 4000000; } >tags.ctv
expect 3 "a million tags" timeout 200 "$ctdec" tags.ctv -o null --keep-going -q
{ yes "$(printf 'CP\200\200\014\001\002')" | tr '\n' '\0' | head -c 100000; } >tags.ctv
expect 3 "tags and no header" "$ctdec" tags.ctv -o null --keep-going
[ "$(wc -l <err)" -lt 20 ] || fail "$(wc -l <err) lines about one stream"

[ "$failures" -eq 0 ] && echo "all tests of safety passed" || { echo "$failures failures" >&2; exit 1; }
