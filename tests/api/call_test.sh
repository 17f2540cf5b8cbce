#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two processes of the program in docs/calls.md talk for some seconds, and one that nothing answers.
# usage: call_test.sh PROGRAM
set -u
port=$((20000 + $$ % 20000))
"$1" $port $((port + 1)) 4 >"/tmp/ctv_call_$$.a" &
other=$!
here=$("$1" $((port + 1)) $port 4) || { echo "no picture here: $here" >&2; exit 1; }
wait $other || { echo "no picture there" >&2; exit 1; }
there=$(cat "/tmp/ctv_call_$$.a")
rm -f "/tmp/ctv_call_$$.a"
value() { sed -n "s/.*\"$1\": \([-0-9.]*\).*/\1/p" <<<"$2" | head -1; }
for end in "$here" "$there"; do
  [ "$(value framesDecoded "$end")" -gt 60 ] || { echo "few pictures: $end" >&2; exit 1; }
  [ "$(value keyFramesEncoded "$end")" -le 2 ] || { echo "many key frames: $end" >&2; exit 1; }
done
alone=$("$1" $((port + 2)) $((port + 3)) 3) && { echo "pictures from nowhere" >&2; exit 1; }
[ "$(value framesEncoded "$alone")" -le 40 ] || { echo "sends into the dark: $alone" >&2; exit 1; }
