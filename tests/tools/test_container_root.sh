#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tools, and the Python package where it was built, as in a small container: a read-only file system, another user
# without a home, one processor, 64 MiB of /tmp. Exit code 77: such a root cannot be made here.
# usage: test_container_root.sh FOLDER-OF-THE-TOOLS SCRATCH-FOLDER [PYTHON PYTHONPATH]
set -u
if [ "${CTV_STAGE-}" != inside ]; then
  script=$(realpath "$0") bin=$(realpath "$1") root=$(realpath -m "$2")/root
  [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && command -v taskset >/dev/null || exit 77
  case "$script $bin ${3-}" in */tmp/*) exit 77 ;; esac # what lies there is hidden inside
  mkdir -p "$root" || exit 1
  mounted() { # mounted COMMAND...: runs it where the root is mounted, which ends with it
    unshare -m bash -c 'set -e
      root=$1; shift
      mount --bind / "$root"
      mount -o remount,ro,bind "$root"
      mount -t tmpfs -o size=64m,mode=1777 tmpfs "$root/tmp"
      for folder in dev proc; do mount --rbind /$folder "$root/$folder"; done
      "$@"' bash "$root" "$@"
  }
  mounted test -x "$root$bin/ctenc" 2>/dev/null || exit 77
  first=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
  mounted chroot "$root" setpriv --reuid 12345 --regid 12345 --clear-groups taskset -c "$first" env -i \
    PATH=/usr/bin:/bin HOME=/nonexistent CTV_STAGE=inside bash "$script" "$bin" /tmp/work "${3:+$(realpath -s "$3")}" "${4-}"
  exit
fi
bin=$1 work=$2 python=$3
. "$(dirname "$0")/shell_test.sh"
says() { grep -q -- "$1" err || { fail "no '$1' in: $(head -3 err)"; }; }

expect 0 "a clip" "$bin/ctgen" a.y4m --size 320x240 --frames 20
expect 0 ctenc "$bin/ctenc" a.y4m -o a.ctv --verify --psnr --csv a.csv --json a.json
says "^running  *c.*: .*, 1 thread\>\|^running  *cuda: "
expect 0 ctdec "$bin/ctdec" a.ctv -o b.y4m
expect 0 "a picture" "$bin/ctdec" a.ctv -o p.png --frames 1
expect 0 ctinfo "$bin/ctinfo" a.ctv --frames --json info.json
expect 0 ctcat "$bin/ctcat" a.ctv a.ctv -o both.ctv
expect 0 "a pipe" sh -c "'$bin/ctenc' - -o - -q <a.y4m | '$bin/ctdec' - -o c.y4m -q"
cmp -s b.y4m c.y4m || fail "a pipe gives other pictures"
[ ! -x "$bin/ctcall" ] || expect 0 ctcall "$bin/ctcall" a.y4m --frames 10 --loss 5
[ ! -x "$bin/ctbench" ] || expect 0 ctbench "$bin/ctbench" rd a.y4m --frames 4 --qp 24,36 --peers none --json rd.json

# What cannot be written is one line and nothing else; what fills /tmp keeps its whole frames.
for command in "$bin/ctenc a.y4m -o /usr/a.ctv" "$bin/ctdec a.ctv -o /usr/a.y4m" "$bin/ctcat a.ctv -o /usr/a.ctv" \
  "$bin/ctenc a.y4m -o x.ctv --json /usr/x.json"; do
  expect 2 "a read-only file system" $command -q
  [ "$(wc -l <err)" -eq 1 ] && grep -qi 'read-only\|permission denied' err || fail "$command: $(cat err)"
done
rm -f b.y4m c.y4m x.ctv
head -c 64M /dev/zero >filler 2>err
truncate -s -256K filler
expect 2 "a full /tmp" "$bin/ctenc" a.y4m --lossless -o full.ctv -q
says "No space left"
expect 0 "what fits" "$bin/ctdec" full.ctv -o null -q
rm -f full.ctv
expect 2 "pictures in a full /tmp" "$bin/ctdec" both.ctv -o many.rgb --format rgb -q
says "No space left"
rm -f filler many.rgb
[ -z "$(find . -name '.ctv-*')" ] || fail "left behind: $(find . -name '.ctv-*')"

if [ -n "$python" ] && "$python" -c "" 2>/dev/null; then # not where an interpreter lies in a home
  PYTHONPATH=$4 expect 0 "the Python package" "$python" - <<'END'
import io, os, tempfile
import ctv, numpy
frames = [numpy.full((48, 64, 3), 5 * i, numpy.uint8) for i in range(8)]
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "a.ctv")
    ctv.write(path, frames, fps=25, lossless=1)
    with ctv.read(path) as clip, ctv.read(io.BytesIO(open(path, "rb").read())) as again:
        assert len(clip) == 8 and all((a.array == b.array).all() for a, b in zip(clip, again))
        assert (clip[7].array == frames[7]).all()
    try:
        ctv.write("/usr/a.ctv", frames, fps=25)
    except OSError:
        pass
    else:
        raise AssertionError("a read-only file system was written to")
assert ", 1 thread" in ctv.Encoder(width=64, height=48).description or ctv.Encoder(width=64, height=48).description.startswith("cuda")
END
fi
[ $failures -eq 0 ] && echo "all well"
exit $((failures > 0))
