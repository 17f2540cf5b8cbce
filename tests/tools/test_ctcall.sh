#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ctcall end to end: the same result each time, what loss does, traces, two processes, exit codes.
# usage: test_call.sh FOLDER-OF-THE-TOOLS SCRATCH-FOLDER
set -u
bin=$1
work=$2
. "$(dirname "$0")/shell_test.sh"
ctcall="$bin/ctcall"
[ -x "$ctcall" ] || { echo "there is no $ctcall" >&2; exit 1; }
# value NAME FILE: a number of the JSON.
value() { sed -n "s/^ *\"$1\": \([-0-9.]*\),*\$/\1/p" "$2" | head -1; }
# holds WHAT EXPRESSION: arithmetic of awk
holds() { awk "BEGIN { exit !($2) }" || fail "$1: $2"; }
small="--generate 96x64@30:60 --frames 60 --bitrate 200 --threads 1 -q"

# --- without loss nothing freezes, and a seed decides all
expect 0 "no loss" "$ctcall" $small --json clean.json
holds "no loss" "$(value frozen clean.json) == 0 && $(value damaged clean.json) == 0 && $(value key_frames clean.json) == 1"
holds "no loss" "$(value frames clean.json) == 60 && $(value psnr clean.json) > 20"
[ ! -s out ] || fail "--quiet speaks: $(cat out)"
expect 0 "summary" "$ctcall" ${small% -q}
grep -q 'frozen  *0.00 %' out || fail "summary: $(cat out)"
expect 0 "a preset without vectors" "$ctcall" $small --preset paper
expect 1 "vectors that a preset has not" "$ctcall" $small --preset paper --subpel 2
expect 0 "loss" "$ctcall" $small --loss 15 --seed 4 --mtu 300 --json a.json
expect 0 "loss again" "$ctcall" $small --loss 15 --seed 4 --mtu 300 --json b.json
cmp -s a.json b.json || fail "two runs differ"
expect 0 "other losses" "$ctcall" $small --loss 15 --seed 5 --mtu 300 --json c.json
cmp -s a.json c.json && fail "the seed has no effect"
holds "loss" "$(value lost_datagrams a.json) > 20 && $(value damaged a.json) + $(value frozen a.json) > 0"
holds "loss" "$(value psnr a.json) < $(value psnr clean.json)"

# --- what is done about loss
expect 0 "key frames" "$ctcall" $small --loss 15 --seed 4 --mtu 300 --repair key-frame --parts off --parity none --json key.json
holds "key frames" "$(value key_frames key.json) > $(value key_frames a.json)"
holds "key frames" "$(value frozen key.json) > $(value frozen a.json)"
expect 0 "repetition" "$ctcall" $small --loss 15 --seed 4 --mtu 300 --playout 150 --json again.json
holds "repetition" "$(value repeated_datagrams again.json) > 0"
holds "repetition" "$(value frozen again.json) + $(value damaged again.json) < $(value frozen a.json) + $(value damaged a.json)"
expect 0 "jitter" "$ctcall" $small --jitter 20 --json jitter.json
holds "jitter reorders: after some pictures that is known" "$(value frozen jitter.json) <= 3 && $(value damaged jitter.json) == 0"
expect 0 "everything lost" "$ctcall" $small --loss 100 --json none.json
holds "everything lost" "$(value frozen none.json) + $(value skipped none.json) == 60 && $(value skipped none.json) > 20"

# --- with all that is added to the packets no more is sent than asked for
for loss in 0 10 20; do
  expect 0 "rate" "$ctcall" ${small/--frames 60/--frames 300} --loss $loss --playout 100 --mtu 300 --json rate.json
  sum=$(for kind in headers vectors levels parity repeated; do value $kind rate.json; done | paste -sd+)
  holds "bits per second at a loss of $loss %" "($sum) * 8 / 10 > 190000 && ($sum) * 8 / 10 < 206000"
done

# --- traces
expect 0 "trace" "$ctcall" --generate 96x64@30:20 --frames 20 --bitrate 200 -q --trace clip.trace
[ "$(grep -c '^frame ' clip.trace)" -eq 20 ] || fail "trace: $(head -3 clip.trace)"
expect 0 "replay" "$ctcall" --replay clip.trace --frames 600 --loss 5 --json replay.json
holds "replay" "$(value frames replay.json) == 600 && $(value overhead_percent replay.json) > 1"
sed -i 's/^frame 1/frame x1/' clip.trace
expect 2 "damaged trace" "$ctcall" --replay clip.trace
expect 2 "no trace" "$ctcall" --replay nothing.trace

# --- two processes
port=$((20000 + $$ % 20000))
"$ctcall" --listen $port --json heard.json >listen.txt 2>&1 &
listener=$!
sleep 0.5
expect 0 "connect" "$ctcall" --generate 96x64@30:20 --frames 30 --bitrate 200 -q --connect 127.0.0.1:$port --json sent.json
wait $listener || fail "listen: $(cat listen.txt)"
holds "two processes" "$(value frames heard.json) > 25 && $(value frozen heard.json) < 5"

grep -q '"datagrams": null' heard.json && grep -q '"p50": null' heard.json || fail "listen: $(cat heard.json)"
grep -q '"frozen": null' sent.json && ! grep -q '"datagrams": null' sent.json || fail "connect: $(cat sent.json)"
grep -q feedback listen.txt && ! grep -q 'delay\|lost\|sent' listen.txt || fail "listen: $(cat listen.txt)"

# --- wrong use
for bad in "--loss 101" "--bandwidth x" "--bandwidth 100,0:50" "--bandwidth 100 --connect a:1" "--loss x" "--burst 0" "--delay 5 --rtt 5" "--repeats 1" "--parity some" "--bitrate 0" \
  "--replay a --trace b" "--connect nowhere" "--mtu 63" "--listen 5 --generate 96x64@30:2" "--in-flight 2"; do
  expect 1 "bad $bad" "$ctcall" $bad
  [ "$(wc -l <err)" -eq 1 ] || fail "bad $bad: $(cat err)"
done
expect 2 "no clip" "$ctcall" nothing.y4m
[ "$failures" -eq 0 ] || exit 1
