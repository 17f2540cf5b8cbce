# SPDX-License-Identifier: BSD-3-Clause
# What the shell tests of the tools share; sourced with $work set, leaves the shell in that new, empty folder.
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failures=0

fail() { echo "FAIL: $*" >&2; failures=$((failures + 1)); }
# expect CODE WHAT COMMAND...: runs it; its stdout and stderr go to files out and err.
expect() {
  local want=$1 what=$2 got
  shift 2
  "$@" >out 2>err
  got=$?
  [ "$got" -eq "$want" ] || { fail "$what: exit code $got instead of $want: $*"; head -3 err >&2; }
}
# packet_at N [FILE]: the byte offset of packet N, counted from 1, of a.ctv or the file.
packet_at() { "$ctinfo" "${2:-a.ctv}" --json - --frames | sed -n 's/.*"offset": \([0-9]*\).*/\1/p' | sed -n "$1p"; }
