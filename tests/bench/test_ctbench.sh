#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ctbench end to end: exit codes, one line for what is wrong or missing, documents, interruption, the page.
# usage: test_ctbench.sh FOLDER-OF-THE-TOOLS SCRATCH-FOLDER
set -u
ctbench=$1/ctbench
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$2
. "$(dirname "$0")/../tools/shell_test.sh"
says() { grep -qF -- "$2" "$1" || { fail "$1 does not say '$2'"; head -5 "$1" >&2; }; }

expect 0 help "$ctbench" --help
says out "ctbench speedup"
verbs=$(sed -n 's/^  *ctbench \([a-z]*\)$/\1/p' out)
[ "$(echo $verbs)" = "$(sed -n 's/^set(CTV_BENCH_VERBS \(.*\) PARENT_SCOPE)/\1/p' "$source/tools/bench/CMakeLists.txt")" ] ||
  fail "tools/bench/CMakeLists.txt makes other man pages than of: $verbs"
for verb in $verbs; do
  expect 0 "help of $verb" "$ctbench" $verb --help
  says out "ctbench $verb"
  case $verb in
    report) says out "Usage: ctbench report RUN.json... [OPTIONS]" ;;
    papers) says out "Usage: ctbench papers [OPTIONS]" ;;
    *) says out "Usage: ctbench $verb [CLIP" ;;
  esac
  expect 0 "man page of $verb" "$ctbench" $verb --help-man
  says out ".TH CTBENCH-$(echo $verb | tr a-z A-Z) 1"
  says out ".SH OPTIONS"
  expect 1 "unknown option of $verb" "$ctbench" $verb --no-such-option
  [ "$(wc -l <err)" -eq 1 ] || fail "$verb: more than one line for a wrong option"
done
expect 0 "man page" "$ctbench" --help-man

# complete_words WORD...: what the shell offers for the last word.
"$ctbench" --completion bash >completion
complete_words() { bash -c '. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ctbench; echo "${COMPREPLY[*]}"' bash "$@"; }
[ "$(complete_words ctbench s)" = "speedup scale streams" ] || fail "verbs: $(complete_words ctbench s)"
[ "$(complete_words ctbench rd --pe)" = "--peers --peer" ] || fail "options of rd: $(complete_words ctbench rd --pe)"
[ "$(complete_words ctbench report run.j)" = "" ] || fail "files: $(complete_words ctbench report run.j)"
touch run.json
[ "$(complete_words ctbench report run.j)" = run.json ] || fail "files: $(complete_words ctbench report run.j)"
[ "$(complete_words ctbench --vers)" = --version ] || fail "own options: $(complete_words ctbench --vers)"
for shell in zsh fish; do
  expect 0 "$shell" "$ctbench" --completion $shell
  says out peers
done
rm run.json
expect 1 "no verb" "$ctbench"
expect 1 "unknown verb" "$ctbench" fly
says err "speedup"

expect 2 "missing clip" "$ctbench" rd missing.y4m --peers none
expect 1 "unknown peer" "$ctbench" rd clip.y4m --peers nothing
expect 1 "no folder" "$ctbench" all
expect 2 "a folder that cannot be" "$ctbench" all --quick -o /dev/null/out
expect 1 "a clip for papers" "$ctbench" papers clip.y4m
expect 1 "unknown preset" "$ctbench" rd clip.y4m --ours nothing
expect 1 "two codecs of one name" "$ctbench" rd clip.y4m --peers none --ours default --ours default:preset=paper
says err "two codecs are called 'default'"
expect 1 "an anchor that is not measured" "$ctbench" rd clip.y4m --peers none --anchor paper
says err "no codec 'paper' is measured"
expect 2 "unwritable output" "$ctbench" speedup --sizes 64x48 --json no/such/folder/run.json

clip=generate:64x48@25:4
expect 0 "rd without peers" "$ctbench" rd $clip --peers none --anchor default --qp 20,28,36 --json rd.json \
  --ours default --ours paper:preset=paper
says out "default against each"
says rd.json '"kind": "rd"'
expect 0 "missing peers are told and left out" env PATH=/nonexistent "$ctbench" rd $clip missing.y4m --qp 30,36
says err "left out: x264-ultrafast: x264 is not installed"
says err "left out: missing: cannot open missing.y4m"

# Judges are programs; here they always say the same.
mkdir -p judges
printf '#!/bin/sh\necho 70.5\n' >judges/ssimulacra2
printf '#!/bin/sh\necho 3.5\necho 3-norm: 1.25\n' >judges/butteraugli_main
chmod +x judges/*
expect 1 "a peer without rates" "$ctbench" rd $clip --bitrate 100 --peers mjpeg
says err "mjpeg is not run at bitrates"
expect 0 "judges of a call" env PATH="$PWD/judges:$PATH" "$ctbench" rd generate:96x64@25:20 --keyint 0 --bitrate 60,120 \
  --threads 1 --json judged.json
says out "What a viewer sees"
says judged.json '"ssimulacra2": 70.5'
says judged.json '"butteraugli": 1.25'
expect 0 "missing judges" env PATH=/nonexistent "$ctbench" rd $clip --bitrate 100 --peers none --anchor default
says err "left out: butteraugli_main is not installed"
if command -v x264 >/dev/null && command -v ffmpeg >/dev/null; then
  expect 0 "a sheet" "$ctbench" pictures generate:96x64@25:20 --size 96x64 --frames 20 --bitrate 60 --sheet sheet.png --json sheet.json
  [ "$(od -An -tu1 -j16 -N8 sheet.png | tr -s ' ')" = " 0 0 1 32 0 0 1 0" ] || fail "the sheet is not 3 x 96 by 4 x 64"
  says sheet.json '"codec": "x264-veryfast"'
  expect 0 "a peer of one's own" "$ctbench" rd generate:96x64@25:5 --qp 20,36 --peers none --anchor mine --json mine.json \
    --peer 'mine=20,36:x264 --preset slow --qp {setting} --quiet -o {stream} {y4m}'
  says mine.json '"codec": "mine"'
  says out "| mine "
fi
for words in mine mine=20 '=20:x264 {setting} {stream} {y4m}' 'mine=20:x264 --qp {setting} {y4m}' 'mine=x:x264 {setting} {stream} {y4m}'; do
  expect 1 "a peer as $words" "$ctbench" rd $clip --peer "$words"
done
expect 1 "a sheet without a bitrate" "$ctbench" pictures $clip --sheet sheet.png

mkdir -p set
"$1/ctgen" set/o09_juggle_640x360.y4m --size 64x48 --frames 3 >/dev/null 2>&1 || fail "ctgen"
expect 0 "a set of clips" "$ctbench" rd --set long set --frames 2 --peers none --anchor default --qp 20,28,36 --json set.json
says err "left out: o10_flower_1280x720: cannot open set/o10_flower_1280x720.y4m"
says set.json '"frames": 2'
says set.json '"key_interval": 0'
expect 1 "unknown set" "$ctbench" rd --set short set
expect 1 "a set in two folders" "$ctbench" rd --set long set set

expect 0 speedup "$ctbench" speedup $clip --sizes 32x24,64x48 --frames 2 --runs 2 --json speedup.json
says speedup.json '"differences": []'
cp out speedup.txt

says speedup.json '"quartiles": ['
says speedup.json '"frames": 2'
expect 0 "speedup of a shorter clip" "$ctbench" speedup $clip generate:64x48@25:6 --sizes 32x24 --frames 5 --runs 1
says out "1 runs of 4 to 5 frames"
# What a verb sets itself is no option of it, so no document says otherwise.
expect 1 "peers with threads" "$ctbench" peers $clip --threads 1
expect 1 "latency with runs" "$ctbench" latency $clip --runs 2
expect 1 "streams with a backend" "$ctbench" streams $clip --backend cpu
for verb in "rd --ours" "peers --variant" "pictures --variant"; do
  expect 1 "$verb with a quantiser" "$ctbench" $verb mine:preset=default,qp=20
  says err "sets --qp itself"
done
expect 0 "latency of a shorter clip" "$ctbench" latency $clip --frames 9 --size 32x24 --seconds 0.1 --json latency.json
says latency.json '"frames": 4'

expect 0 "peers in flight" "$ctbench" peers $clip --frames 2 --runs 1 --size 64x48 --peers none
says err "16 frames in flight: the clip has only 2 frames"

call="loss generate:96x64@30:20 --frames 20 --loss 0,15 --burst 1,3 --bitrate 200 --seeds 2"
expect 0 loss "$ctbench" $call --json loss.json
says out "Calls under loss"
[ "$(grep -c '"codec": "ctv",' loss.json)" -eq 10 ] || fail "loss: not two playout delays of 1 + 2 x 2 calls"
if command -v x264 >/dev/null && command -v ffmpeg >/dev/null; then
  [ "$(grep -c '"codec": "x264-veryfast, key frames on loss"' loss.json)" -eq 5 ] || fail "loss: not 1 + 2 x 2 calls of x264"
fi
expect 0 "loss again" "$ctbench" $call --json again.json
grep -v '"load"\|"time"\|"cpu_mhz"' loss.json >loss.txt
grep -v '"load"\|"time"\|"cpu_mhz"' again.json | cmp - loss.txt || fail "loss: two runs differ"
expect 0 "narrow links" "$ctbench" loss generate:96x64@30:20 --frames 20 --loss 0 --playout 0 --bitrate 200 --bandwidth 150,400 --queue 100 --json narrow.json
[ "$(grep -c '"codec": "ctv",' narrow.json)" -eq 2 ] || fail "loss: not two bandwidths"
says out "bandwidth"
expect 1 "loss beyond all" "$ctbench" loss --loss 101

expect 0 "pictures of transforms" "$ctbench" pictures --transforms --frames 1 --size 96x64 --json transforms.json
says out "8 directions"
says transforms.json '"clip": "cloth:96x64@25:1"'
says transforms.json '"codec": "slopes"'

expect 0 papers "$ctbench" papers --quick --runs 1 --no-progress --json papers.json
says out "Table 3: baseline and compacted kernels"
for figure in 32.777092 12.820 40.990; do says papers.json $figure; done # of each paper
cp papers.json both.json
expect 1 "papers: the image as output" "$ctbench" papers --image both.json --json both.json
cmp -s papers.json both.json || fail "papers: the image is not what it was"
expect 2 "papers: missing image" "$ctbench" papers --image missing.png

# An interrupted run keeps what it has, and ends by the signal. (Shells let background jobs ignore SIGINT.)
"$ctbench" speedup --sizes 32x24,1280x720 --frames 20 --runs 50 --json cut.json >out 2>err &
child=$!
sleep 5
kill -TERM $child
wait $child
code=$?
[ $code -eq 143 ] || fail "interrupted: exit code $code instead of 143"
says err "interrupted"
if [ -e cut.json ]; then says cut.json '"complete": false'; fi # not there if nothing was measured in that time

expect 0 "everything, quickly" "$ctbench" all --quick -o everything $clip missing.y4m
says err "left out: missing: cannot open missing.y4m"
for part in speedup speedup-default rd peers pictures pictures-transforms scale latency streams loss papers; do
  says everything/$part.json '"complete": true'
done
mkdir -p left && cp everything/*.json left
expect 2 "a clip that cannot be read, into a folder with results" "$ctbench" all --quick -o left missing.y4m
[ "$(echo left/*.json)" = left/papers.json ] || fail "all: results of an earlier run are left: $(echo left/*.json)"
/usr/bin/python3 "$source/tests/bench/schema.py" "$source/tools/bench/schema.json" everything/*.json loss.json narrow.json rd.json set.json judged.json \
  >schema.txt || { fail "schema"; cat schema.txt >&2; }

expect 0 report "$ctbench" report everything/*.json -o page.html
says page.html "ctv, measured"
says page.html "Transforms at equal bytes"
says page.html "<polyline"
grep -q '<figcaption>8 directions, qp [0-9]*: [0-9,]* bytes\(, <b>[0-9.]* times as many</b>\)\?, [0-9.]* dB</figcaption>' page.html ||
  fail "the page's pictures have no bytes and dB"
says page.html "Obukhov and Kharlamov 2008, Table 1"
[ -s everything/index.html ] || fail "ctbench all made no page"
grep -q 'src="http\|href="http' page.html && fail "the page asks for something from outside"
expect 2 "no run" "$ctbench" report speedup.txt -o page.html
[ $failures -eq 0 ] && echo "all well"
exit $((failures > 0))
