// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/gstreamer/stream_caps.h"

namespace ctv::gst {

GstBuffer* buffer_of(const uint8_t* data, size_t size) {
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, size, nullptr);
  if (buffer != nullptr) gst_buffer_fill(buffer, 0, data, size);
  return buffer;
}

GstCaps* caps_of_header(const uint8_t* data, size_t size) {
  ctv_stream_info info;
  ctv_stream_info_init(&info);
  if (ctv_stream_info_parse(data, size, &info) != CTV_OK) return nullptr;
  GstCaps* caps = gst_caps_from_string(CTV_GST_FRAMES);
  GstBuffer* header = buffer_of(data, size);
  gst_caps_set_simple(caps, "width", G_TYPE_INT, info.width, "height", G_TYPE_INT, info.height, "framerate",
                      GST_TYPE_FRACTION, info.fps_num, info.fps_den, "codec_data", GST_TYPE_BUFFER, header,
                      nullptr);
  gst_buffer_unref(header);
  return caps;
}

}  // namespace ctv::gst
