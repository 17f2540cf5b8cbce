// SPDX-License-Identifier: BSD-3-Clause
// What libavcodec's and libavformat's parts for ctv share: names of formats.
#pragma once

#include <ctv/ctv.h>
#include <libavutil/pixfmt.h>

static inline enum AVPixelFormat ff_ctv_pixel_format(const ctv_stream_info* s) {
  const int full = s->range == CTV_RANGE_FULL;
  switch (s->format) {
    case CTV_FORMAT_GRAY8:
      return AV_PIX_FMT_GRAY8;
    case CTV_FORMAT_I420:
      return full ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P;
    case CTV_FORMAT_I422:
      return full ? AV_PIX_FMT_YUVJ422P : AV_PIX_FMT_YUV422P;
    case CTV_FORMAT_I444:
      return full ? AV_PIX_FMT_YUVJ444P : AV_PIX_FMT_YUV444P;
    case CTV_FORMAT_RGB8:
      return AV_PIX_FMT_RGB24;
    default:
      return AV_PIX_FMT_NONE;
  }
}
