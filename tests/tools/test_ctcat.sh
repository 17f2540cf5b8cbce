#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ctcat: segments joined to the bytes of one run, cuts, refusals.
# usage: test_ctcat.sh FOLDER-OF-THE-TOOLS SCRATCH-FOLDER
set -u
ctcat=$1/ctcat ctenc=$1/ctenc ctdec=$1/ctdec ctinfo=$1/ctinfo
work=$2
. "$(dirname "$0")/shell_test.sh"
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
says() { grep -qF -- "$2" "$1" || { fail "$1 does not say '$2'"; head -5 "$1" >&2; }; }

"$1/ctgen" clip.y4m --size 80x56 --frames 24 >/dev/null 2>&1 || fail ctgen
for preset in default paper "default --temporal-layers 3 --slots 2"; do
  encode=("$ctenc" clip.y4m --preset $preset --qp 30 --keyint 8 --no-scenecut --threads 1 --no-progress)
  expect 0 "one run" "${encode[@]}" -o whole.ctv
  for first in 0 8 16; do expect 0 "segment $first" "${encode[@]}" --seek $first --frames 8 -o part$first.ctv; done
  expect 0 "joining" "$ctcat" part0.ctv part8.ctv part16.ctv -o joined.ctv
  same joined.ctv whole.ctv
  expect 0 "one alone" "$ctcat" whole.ctv -o again.ctv -q
  same again.ctv whole.ctv
  expect 0 "a cut" "$ctcat" whole.ctv --from 8 --frames 8 -o cut.ctv
  same cut.ctv part8.ctv
done
expect 0 "in another order" "$ctcat" part16.ctv part0.ctv part16.ctv -o odd.ctv
expect 0 "all are decoded" "$ctdec" odd.ctv -o odd.yuv
for part in part16 part0; do "$ctdec" $part.ctv -o $part.yuv >/dev/null 2>&1 || fail "ctdec $part"; done
cat part16.yuv part0.yuv part16.yuv >expected.yuv
same odd.yuv expected.yuv
expect 0 "its index" "$ctinfo" odd.ctv
expect 0 "a cut of a cut" "$ctcat" odd.ctv --from 16 -o end.ctv
same end.ctv part16.ctv
expect 0 "by pipe" sh -c "\"$ctcat\" - -o - <whole.ctv >piped.ctv"
same piped.ctv whole.ctv

expect 1 "no input" "$ctcat" -o x.ctv
expect 1 "no output" "$ctcat" whole.ctv
expect 1 "not at a key frame" "$ctcat" whole.ctv --from 9 -o x.ctv
says err "the key frame before it is 8"
expect 1 "more than there are" "$ctcat" whole.ctv --from 16 --frames 9 -o x.ctv
expect 1 "behind the end" "$ctcat" whole.ctv --from 24 -o x.ctv
expect 1 "a cut of two" "$ctcat" part0.ctv part8.ctv --from 8 -o x.ctv
expect 2 "a missing stream" "$ctcat" missing.ctv -o x.ctv
"$ctenc" --generate 96x56@25:4 -o other.ctv >/dev/null 2>&1 || fail ctenc
expect 3 "another header" "$ctcat" part0.ctv other.ctv -o x.ctv
says err "its header is not that of part0.ctv"
cat part0.ctv other.ctv >changes.ctv
expect 3 "a header that changes" "$ctcat" changes.ctv -o x.ctv
says err "changes.ctv: its header changes behind frame 7"
# Damage of a packet's header is found; nothing is left.
cp whole.ctv a.ctv
printf '\125\252' | dd of=a.ctv bs=1 seek=$(($(packet_at 10) + 5)) conv=notrunc 2>/dev/null
expect 3 "a damaged packet" "$ctcat" a.ctv -o x.ctv
says err "a.ctv: frame 9"
cp whole.ctv a.ctv
head -c $(($(packet_at 3) + 20)) whole.ctv >short.ctv
expect 3 "a stream that is cut off" "$ctcat" short.ctv -o x.ctv
[ ! -e x.ctv ] || fail "something was left of what failed"
[ $failures -eq 0 ] && echo "all well"
exit $((failures > 0))
