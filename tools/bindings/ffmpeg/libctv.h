// SPDX-License-Identifier: BSD-3-Clause
// What libavcodec's and libavformat's parts for ctv share: names of formats.
#pragma once

#include <ctv/ctv.h>
#include <libavutil/pixfmt.h>

typedef struct FFCtvFormat {
  ctv_format ours;
  enum AVPixelFormat theirs, full;  // full: of the full range
} FFCtvFormat;

#define FF_CTV_BOTH(ours, theirs) \
  { CTV_FORMAT_##ours, AV_PIX_FMT_##theirs, AV_PIX_FMT_##theirs }
static const FFCtvFormat ff_ctv_formats[] = {
    FF_CTV_BOTH(GRAY8, GRAY8),
    {CTV_FORMAT_I420, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P},
    {CTV_FORMAT_I422, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUVJ422P},
    {CTV_FORMAT_I444, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUVJ444P},
    FF_CTV_BOTH(RGB8, RGB24),
    FF_CTV_BOTH(NV12, NV12),
    FF_CTV_BOTH(GRAY10, GRAY10LE),
    FF_CTV_BOTH(I420_10, YUV420P10LE),
    FF_CTV_BOTH(I422_10, YUV422P10LE),
    FF_CTV_BOTH(I444_10, YUV444P10LE),
    FF_CTV_BOTH(P010, P010LE),
    FF_CTV_BOTH(GRAY12, GRAY12LE),
    FF_CTV_BOTH(I420_12, YUV420P12LE),
    FF_CTV_BOTH(I422_12, YUV422P12LE),
    FF_CTV_BOTH(I444_12, YUV444P12LE),
};
#define FF_CTV_FORMATS (sizeof(ff_ctv_formats) / sizeof(ff_ctv_formats[0]))

static inline enum AVPixelFormat ff_ctv_pixel_format(const ctv_stream_info* s) {
  for (size_t i = 0; i < FF_CTV_FORMATS; ++i)
    if (ff_ctv_formats[i].ours == s->format)
      return s->range == CTV_RANGE_FULL ? ff_ctv_formats[i].full : ff_ctv_formats[i].theirs;
  return AV_PIX_FMT_NONE;
}

// I420 if there is none.
static inline ctv_format ff_ctv_format(enum AVPixelFormat format) {
  for (size_t i = 0; i < FF_CTV_FORMATS; ++i)
    if (ff_ctv_formats[i].theirs == format || ff_ctv_formats[i].full == format) return ff_ctv_formats[i].ours;
  return CTV_FORMAT_I420;
}
