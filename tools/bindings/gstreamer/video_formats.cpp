// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/gstreamer/video_formats.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace ctv::gst {
namespace {

constexpr int kUnspecified = 2;          // of ITU-T H.273
constexpr int32_t kFinestUnits = 90000;  // per second

struct Pair {
  ctv_format ours;
  GstVideoFormat theirs;
};
constexpr Pair kFormats[] = {
    {CTV_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY8},       {CTV_FORMAT_I420, GST_VIDEO_FORMAT_I420},
    {CTV_FORMAT_I422, GST_VIDEO_FORMAT_Y42B},         {CTV_FORMAT_I444, GST_VIDEO_FORMAT_Y444},
    {CTV_FORMAT_RGB8, GST_VIDEO_FORMAT_RGB},          {CTV_FORMAT_RGBA8, GST_VIDEO_FORMAT_RGBA},
    {CTV_FORMAT_RGBA8, GST_VIDEO_FORMAT_RGBx},        {CTV_FORMAT_NV12, GST_VIDEO_FORMAT_NV12},
    {CTV_FORMAT_I420_10, GST_VIDEO_FORMAT_I420_10LE}, {CTV_FORMAT_I422_10, GST_VIDEO_FORMAT_I422_10LE},
    {CTV_FORMAT_I444_10, GST_VIDEO_FORMAT_Y444_10LE}, {CTV_FORMAT_P010, GST_VIDEO_FORMAT_P010_10LE},
    {CTV_FORMAT_I420_12, GST_VIDEO_FORMAT_I420_12LE}, {CTV_FORMAT_I422_12, GST_VIDEO_FORMAT_I422_12LE},
    {CTV_FORMAT_I444_12, GST_VIDEO_FORMAT_Y444_12LE}, {CTV_FORMAT_BGR8, GST_VIDEO_FORMAT_BGR},
    {CTV_FORMAT_BGRA8, GST_VIDEO_FORMAT_BGRA},        {CTV_FORMAT_BGRA8, GST_VIDEO_FORMAT_BGRx},
    {CTV_FORMAT_NV21, GST_VIDEO_FORMAT_NV21},         {CTV_FORMAT_YUY2, GST_VIDEO_FORMAT_YUY2},
    {CTV_FORMAT_UYVY, GST_VIDEO_FORMAT_UYVY}};

ctv_siting siting_of(GstVideoChromaSite site) {
  if (site == GST_VIDEO_CHROMA_SITE_MPEG2) return CTV_SITING_LEFT;
  if (site == GST_VIDEO_CHROMA_SITE_JPEG) return CTV_SITING_CENTRE;
  if (site == GST_VIDEO_CHROMA_SITE_COSITED) return CTV_SITING_TOP_LEFT;
  return CTV_SITING_UNSPECIFIED;
}
GstVideoChromaSite site_of(ctv_siting siting) {
  if (siting == CTV_SITING_LEFT) return GST_VIDEO_CHROMA_SITE_MPEG2;
  if (siting == CTV_SITING_CENTRE) return GST_VIDEO_CHROMA_SITE_JPEG;
  if (siting == CTV_SITING_TOP_LEFT) return GST_VIDEO_CHROMA_SITE_COSITED;
  return GST_VIDEO_CHROMA_SITE_UNKNOWN;
}

}  // namespace

ctv_format format_of(GstVideoFormat format) {
  const auto* pair = std::find_if(std::begin(kFormats), std::end(kFormats),
                                  [&](const Pair& p) { return p.theirs == format; });
  return pair == std::end(kFormats) ? CTV_FORMAT_NONE : pair->ours;
}

GstVideoFormat format_of(ctv_format format) {
  const auto* pair =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Pair& p) { return p.ours == format; });
  return pair == std::end(kFormats) ? GST_VIDEO_FORMAT_UNKNOWN : pair->theirs;
}

void describe(const GstVideoInfo& info, ctv_config& config) {
  config.width = info.width;
  config.height = info.height;
  config.format = format_of(GST_VIDEO_INFO_FORMAT(&info));
  const bool variable = info.fps_n <= 0 || info.fps_d <= 0;
  const int32_t fps_num = variable ? 30 : info.fps_n, fps_den = variable ? 1 : info.fps_d;
  const int32_t finer = fps_num >= kFinestUnits ? 1 : (kFinestUnits + fps_num - 1) / fps_num;
  const bool fits = fps_den <= G_MAXINT32 / finer;
  config.fps_num = fits ? fps_num * finer : fps_num;
  config.fps_den = fits ? fps_den * finer : fps_den;

  const bool square = info.par_n == info.par_d || info.par_n > G_MAXUINT16 || info.par_d > G_MAXUINT16;
  config.aspect_width = square ? 1 : info.par_n;
  config.aspect_height = square ? 1 : info.par_d;
  const GstVideoColorimetry& colour = info.colorimetry;
  config.range = colour.range == GST_VIDEO_COLOR_RANGE_0_255    ? CTV_RANGE_FULL
                 : colour.range == GST_VIDEO_COLOR_RANGE_16_235 ? CTV_RANGE_LIMITED
                                                                : CTV_RANGE_UNSPECIFIED;
  // GStreamer's "unknown" is 2 in H.273, too.
  config.primaries = static_cast<int32_t>(gst_video_color_primaries_to_iso(colour.primaries));
  config.transfer = static_cast<int32_t>(gst_video_transfer_function_to_iso(colour.transfer));
  config.matrix = static_cast<int32_t>(gst_video_color_matrix_to_iso(colour.matrix));
  config.siting = siting_of(info.chroma_site);
  if (info.interlace_mode != GST_VIDEO_INTERLACE_MODE_PROGRESSIVE) {
    const bool bottom = GST_VIDEO_INFO_FIELD_ORDER(&info) == GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST;
    config.interlace = bottom ? CTV_INTERLACE_BOTTOM_FIRST : CTV_INTERLACE_TOP_FIRST;
  }
}

void describe(const ctv_stream_info& stream, GstVideoInfo& info) {
  if (stream.fps_num > 0 && stream.fps_den > 0) {
    int fps_n = stream.fps_num, fps_d = stream.fps_den;
    const int common = gst_util_greatest_common_divisor(fps_n, fps_d);
    info.fps_n = fps_n / common;
    info.fps_d = fps_d / common;
  }
  if (stream.aspect_width > 0 && stream.aspect_height > 0) {
    info.par_n = stream.aspect_width;
    info.par_d = stream.aspect_height;
  }
  if (stream.range != CTV_RANGE_UNSPECIFIED)
    info.colorimetry.range =
        stream.range == CTV_RANGE_FULL ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235;
  const auto number = [](int32_t value) { return static_cast<guint>(value); };
  if (stream.primaries != kUnspecified)
    info.colorimetry.primaries = gst_video_color_primaries_from_iso(number(stream.primaries));
  if (stream.transfer != kUnspecified)
    info.colorimetry.transfer = gst_video_transfer_function_from_iso(number(stream.transfer));
  // RGB is coded as RGB; its matrix is for receivers that convert to Y'CbCr.
  if (stream.matrix != kUnspecified && stream.format != CTV_FORMAT_RGB8)
    info.colorimetry.matrix = gst_video_color_matrix_from_iso(number(stream.matrix));
  if (stream.siting != CTV_SITING_UNSPECIFIED && stream.format == CTV_FORMAT_I420)
    info.chroma_site = site_of(stream.siting);
  if (stream.interlace != CTV_INTERLACE_NONE) {
    info.interlace_mode = GST_VIDEO_INTERLACE_MODE_INTERLEAVED;
    GST_VIDEO_INFO_FIELD_ORDER(&info) = stream.interlace == CTV_INTERLACE_TOP_FIRST
                                            ? GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST
                                            : GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST;
  }
}

ctv_picture picture_of(GstVideoFrame& frame, ctv_format format) {
  ctv_picture picture;
  ctv_picture_init(&picture);
  picture.format = format;
  picture.width = GST_VIDEO_FRAME_WIDTH(&frame);
  picture.height = GST_VIDEO_FRAME_HEIGHT(&frame);
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES(&frame); ++p) {
    picture.data[p] = GST_VIDEO_FRAME_PLANE_DATA(&frame, p);
    picture.stride[p] = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p);
  }
  return picture;
}

void copy_planes(const ctv_picture& picture, GstVideoFrame& frame) {
  for (int p = 0; p < static_cast<int>(GST_VIDEO_FRAME_N_PLANES(&frame)); ++p) {
    const size_t bytes = ctv_plane_row_bytes(picture.format, picture.width, p);
    const size_t rows = ctv_plane_rows(picture.format, picture.height, p);
    const auto* from = static_cast<const uint8_t*>(picture.data[p]);
    auto* to = static_cast<uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p));
    for (size_t r = 0; r < rows; ++r) {
      std::memcpy(to, from, bytes);
      from += picture.stride[p];
      to += GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p);
    }
  }
}

}  // namespace ctv::gst
