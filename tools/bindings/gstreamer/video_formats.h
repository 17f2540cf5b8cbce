// SPDX-License-Identifier: BSD-3-Clause
// ctv's formats, colours and fields as GStreamer's, and the inverse.
#pragma once

#include <ctv/ctv.h>
#include <gst/video/video.h>

namespace ctv::gst {

/// In the encoder's order of preference.
#define CTV_GST_INPUT_FORMATS                                                                        \
  "{ I420, NV12, Y42B, Y444, GRAY8, RGB, RGBA, RGBx, BGR, BGRA, BGRx, NV21, YUY2, UYVY, I420_10LE, " \
  "P010_10LE, I422_10LE, Y444_10LE, "                                                                \
  "I420_12LE, I422_12LE, Y444_12LE }"
#define CTV_GST_OUTPUT_FORMATS \
  "{ I420, Y42B, Y444, GRAY8, RGB, I420_10LE, I422_10LE, Y444_10LE, I420_12LE, I422_12LE, Y444_12LE }"

/// CTV_FORMAT_NONE for formats that the codec does not support.
ctv_format format_of(GstVideoFormat format);
GstVideoFormat format_of(ctv_format format);

/// Sets size, format, rate and the description of the pictures. The unit of time is 1 / (k times the rate's
/// numerator), at least 1 / 90000 s, which is fine enough for timestamps of any source.
void describe(const GstVideoInfo& info, ctv_config& config);
/// Sets the description of the pictures from the header, without size and format.
void describe(const ctv_stream_info& stream, GstVideoInfo& info);

ctv_picture picture_of(GstVideoFrame& frame, ctv_format format);
/// Copies the planes of a decoded picture to a mapped frame of its format and size.
void copy_planes(const ctv_picture& picture, GstVideoFrame& frame);

/// Between GStreamer's nanoseconds and units of 1 / fps_num seconds.
inline int64_t units_of(GstClockTime time, int32_t fps_num) {
  return static_cast<int64_t>(gst_util_uint64_scale_round(time, static_cast<guint64>(fps_num), GST_SECOND));
}
inline GstClockTime time_of(int64_t units, int32_t fps_num) {
  if (units < 0 || fps_num <= 0) return GST_CLOCK_TIME_NONE;
  return gst_util_uint64_scale(static_cast<guint64>(units), GST_SECOND, static_cast<guint64>(fps_num));
}

}  // namespace ctv::gst
