#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adds ctv to a source tree of FFmpeg: copies the sources of this folder and names them where FFmpeg lists codecs,
formats, tags and options. Does nothing where it has been added.

usage: add_to_ffmpeg.py FFMPEG-SOURCES
"""
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
FILES = {"libctv.h": "libavcodec", "libctvdec.c": "libavcodec", "libctvenc.c": "libavcodec", "ctvdemux.c": "libavformat"}
# (file, what a line to find looks like, what comes before it)
LINES = (
    ("configure", r"  --enable-libdav1d ", "  --enable-libctv          enable contourlet video via libctv [no]\n"),
    ("configure", r"    libdav1d$", "    libctv\n"),
    ("configure", r'libdav1d_decoder_deps=', 'libctv_decoder_deps="libctv"\nlibctv_encoder_deps="libctv"\nctv_demuxer_deps="libctv"\nctv_muxer_deps="libctv"\n'),
    ("configure", r"enabled libdav1d ", "enabled libctv            && require_pkg_config libctv ctv ctv/ctv.h ctv_version\n"),
    ("libavcodec/Makefile", r"OBJS-\$\(CONFIG_LIBDAV1D_DECODER\)", "OBJS-$(CONFIG_LIBCTV_DECODER)             += libctvdec.o\n"
     "OBJS-$(CONFIG_LIBCTV_ENCODER)             += libctvenc.o\n"),
    ("libavcodec/allcodecs.c", r"extern const FFCodec ff_libdav1d_decoder;", "extern const FFCodec ff_libctv_decoder;\n"
     "extern const FFCodec ff_libctv_encoder;\n"),
    ("libavcodec/codec_id.h", r'\n    /\* various PCM "codecs" \*/', "    AV_CODEC_ID_CTV,\n"),
    ("libavcodec/codec_desc.c", r'\n    /\* various PCM "codecs" \*/', """    {
        .id        = AV_CODEC_ID_CTV,
        .type      = AVMEDIA_TYPE_VIDEO,
        .name      = "ctv",
        .long_name = NULL_IF_CONFIG_SMALL("contourlet video"),
        .props     = AV_CODEC_PROP_LOSSY | AV_CODEC_PROP_LOSSLESS,
    },
"""),
    ("libavformat/Makefile", r"OBJS-\$\(CONFIG_DASH_DEMUXER\)", "OBJS-$(CONFIG_CTV_DEMUXER)               += ctvdemux.o\n"
     "OBJS-$(CONFIG_CTV_MUXER)                 += ctvdemux.o rawenc.o\n"),
    ("libavformat/allformats.c", r"extern const \w+ +ff_dash_demuxer;", "extern const AVInputFormat  ff_ctv_demuxer;\n"
     "extern const AVOutputFormat ff_ctv_muxer;\n"),
    ("libavformat/riff.c", r"    \{ AV_CODEC_ID_CFHD, ", "    { AV_CODEC_ID_CTV,          MKTAG('C', 'T', 'V', '1') },\n"),
    ("libavformat/isom_tags.c", r"    \{ AV_CODEC_ID_MAGICYUV, MKTAG\('M', '0', 'R', '0'\) \}", "    { AV_CODEC_ID_CTV, MKTAG('C', 'T', 'V', '1') },\n"),
    ("libavformat/movenc.c", r"    \{ AV_CODEC_ID_MPEG4,           MKTAG\('m', 'p', '4', 'v'\) \},\n    \{ AV_CODEC_ID_H264,            MKTAG\('a', 'v', 'c', '1'\)",
     "    { AV_CODEC_ID_CTV,             MKTAG('C', 'T', 'V', '1') },\n"),
)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    for name, folder in FILES.items():
        shutil.copy(HERE / name, root / folder / name)
    texts = {name: (root / name).read_text() for name, *_ in LINES}
    if "AV_CODEC_ID_CTV" in texts["libavcodec/codec_id.h"]:
        return
    for name, where, what in LINES:
        found = list(re.finditer(rf"(?m)^{where}", texts[name]))
        if len(found) != 1:
            sys.exit(f"{name}: {len(found)} places look like {where!r}; FFmpeg 5.1 is known to fit")
        texts[name] = texts[name][:found[0].start()] + what + texts[name][found[0].start():]
    for name, text in texts.items():
        (root / name).write_text(text)


if __name__ == "__main__":
    main()
