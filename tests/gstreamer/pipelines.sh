#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Pipelines of gst-launch compared with the tools: files of either are read by the other, with the same pictures.
# usage: pipelines.sh FOLDER-OF-THE-TOOLS SCRATCH-FOLDER ON|OFF (whether the tools have libavformat)
set -u
bin=$1 libav=$3
mkdir -p "$2" && cd "$2" || exit 1
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
launch() { timeout 120 gst-launch-1.0 -q "$@" >log 2>&1 || { fail "gst-launch $*"; tail -n 5 log; }; }

# From GStreamer to ctdec, and back by ctvdec: the same samples.
launch videotestsrc num-buffers=20 pattern=ball ! video/x-raw,format=I420,width=160,height=96,framerate=25/1 ! \
  ctvenc key-int=8 ! filesink location=a.ctv
"$bin/ctdec" a.ctv -o a.yuv >/dev/null 2>&1 || fail "ctdec a.ctv"
launch filesrc location=a.ctv ! ctvparse ! ctvdec ! filesink location=b.yuv
cmp a.yuv b.yuv || fail "ctdec and ctvdec differ"
launch filesrc location=a.ctv ! decodebin ! video/x-raw,format=I420 ! filesink location=c.yuv
cmp a.yuv c.yuv || fail "decodebin decodes other pictures"

# Through RTP: the same samples.
launch filesrc location=a.ctv ! ctvparse repeat-header=true ! rtpctvpay mtu=400 loss=50 ! rtpctvdepay ! ctvdec ! filesink location=r.yuv
cmp a.yuv r.yuv || fail "pictures differ behind RTP"

# Through Matroska: matroskamux writes what calls itself WMV with a tag of its own.
launch filesrc location=a.ctv ! ctvparse repeat-header=true ! capssetter join=false \
  caps="video/x-wmv,wmvversion=3,format=CTV1" ! matroskamux ! filesink location=g.mkv
containers=g.mkv
if [ "$libav" = ON ]; then
  "$bin/ctdec" g.mkv -o g.yuv >/dev/null 2>&1 || fail "ctdec g.mkv"
  cmp a.yuv g.yuv || fail "ctdec and matroskamux differ"
  for container in d.mkv d.mov; do
    "$bin/ctdec" a.ctv --mux $container -q || fail "ctdec --mux $container"
    containers+=" $container"
  done
fi
for container in $containers; do
  launch filesrc location=$container ! decodebin ! video/x-raw,format=I420 ! filesink location=m.yuv
  cmp a.yuv m.yuv || fail "decodebin decodes other pictures from $container"
done

# From ctenc to GStreamer, odd extents, index at the end.
"$bin/ctenc" --generate 97x61@30:12 -o d.ctv >/dev/null 2>&1 || fail ctenc
"$bin/ctdec" d.ctv -o d.yuv >/dev/null 2>&1 || fail "ctdec d.ctv"
# Rows of GStreamer's frames may be padded; videocodectestsink's checksum is of the samples alone.
timeout 60 gst-launch-1.0 -m filesrc location=d.ctv ! ctvparse ! ctvdec ! videocodectestsink >log 2>&1 || fail "d.ctv in a pipeline"
sum=$(grep -o 'md5, *checksum=(string)[0-9a-f]*\|checksum=(string)[0-9a-f]*' log | head -1 | grep -o '[0-9a-f]*$')
[ "$sum" = "$(md5sum <d.yuv | cut -d' ' -f1)" ] || fail "d.ctv: md5 '$sum' is not ctdec's"

# Two encoders' worth of settings in one run: rate, threads, quality.
launch videotestsrc num-buffers=10 ! video/x-raw,width=160,height=96 ! ctvenc bitrate=200000 preset=fast threads=2 ! \
  ctvparse ! ctvdec in-flight=4 ! fakesink
launch videotestsrc num-buffers=10 ! video/x-raw,format=RGB,width=64,height=64 ! ctvenc crf=20 in-flight=3 ! ctvdec ! fakesink

gst-inspect-1.0 ctvenc >log 2>&1 && grep -q max-frame-bytes log || fail "gst-inspect ctvenc"
[ $failures -eq 0 ] && echo "all well"
exit $((failures > 0))
