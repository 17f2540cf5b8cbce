// SPDX-License-Identifier: BSD-3-Clause
// Elements in a GstHarness, pictures for them and what comes out.
#pragma once

#include <ctv/ctv.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace ctv::gst_test {

inline constexpr const char* kRaw = "video/x-raw, format=I420, width=64, height=48, framerate=25/1";
/// Without codec_data: the stream has its header.
inline constexpr const char* kCoded =
    "video/x-ctv, parsed=true, alignment=frame, width=64, height=48, framerate=25/1";
inline constexpr int kWidth = 64, kHeight = 48;
inline constexpr GstClockTime kFrame = GST_SECOND / 25;

struct Release {
  void operator()(GstHarness* h) const { gst_harness_teardown(h); }
  void operator()(GstBuffer* b) const { gst_buffer_unref(b); }
};
using Harness = std::unique_ptr<GstHarness, Release>;
using Buffer = std::unique_ptr<GstBuffer, Release>;
using Bytes = std::vector<uint8_t>;

inline Harness harness(const char* description, const char* caps) {
  Harness h(gst_harness_new_parse(description));
  if (caps != nullptr) gst_harness_set_src_caps_str(h.get(), caps);
  return h;
}

/// Stripes that move, with some noise.
inline Buffer picture(int n, int width = kWidth, int height = kHeight) {
  const int size = width * height * 3 / 2;
  Buffer buffer(gst_buffer_new_allocate(nullptr, static_cast<gsize>(size), nullptr));
  Bytes bytes(static_cast<size_t>(size), 128);
  uint32_t seed = static_cast<uint32_t>(n) + 1;
  for (int i = 0; i < width * height; ++i) {
    seed = seed * 1664525 + 1013904223;
    bytes[static_cast<size_t>(i)] =
        static_cast<uint8_t>(40 + ((i % width + 2 * n) / 8 % 4) * 40 + (seed >> 29));
  }
  gst_buffer_fill(buffer.get(), 0, bytes.data(), bytes.size());
  GST_BUFFER_PTS(buffer.get()) = kFrame * static_cast<GstClockTime>(n);
  GST_BUFFER_DURATION(buffer.get()) = kFrame;
  return buffer;
}

inline Bytes bytes_of(GstBuffer* buffer) {
  Bytes bytes(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  return bytes;
}
inline Buffer copy_of(const Buffer& buffer) { return Buffer(gst_buffer_copy_deep(buffer.get())); }
inline bool is_key(const Buffer& buffer) {
  return !GST_BUFFER_FLAG_IS_SET(buffer.get(), GST_BUFFER_FLAG_DELTA_UNIT);
}

/// Kinds of the units in a buffer.
inline std::vector<ctv_unit_kind> kinds_of(const Bytes& bytes) {
  std::vector<ctv_unit_kind> kinds;
  for (size_t at = 0; at < bytes.size();) {
    uint64_t size = 0;
    ctv_unit_kind kind = CTV_UNIT_INDEX;
    if (ctv_unit_parse(bytes.data() + at, bytes.size() - at, &kind, &size) != CTV_OK) return {};
    kinds.push_back(kind);
    at += size;
  }
  return kinds;
}

/// Sends a picture and takes its packet; it must be there at once.
inline Buffer encode(GstHarness* h, int n) {
  EXPECT_EQ(gst_harness_push(h, picture(n).release()), GST_FLOW_OK);
  return Buffer(gst_harness_try_pull(h));
}

/// The packets of some frames; a key frame first, and where `key` says.
inline std::vector<Buffer> packets(int count, int key = -1, int key_interval = 0) {
  const std::string encoder = "ctvenc backend=cpu threads=1 preset=fastest error-resilient=true key-int=" +
                              std::to_string(key_interval);
  Harness h = harness(encoder.c_str(), kRaw);
  std::vector<Buffer> all;
  for (int n = 0; n < count; ++n) {
    if (n == key)
      gst_harness_push_upstream_event(
          h.get(), gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 0));
    all.push_back(encode(h.get(), n));
  }
  return all;
}

inline std::string caps_of(GstHarness* h) {
  GstCaps* caps = gst_pad_get_current_caps(h->sinkpad);
  if (caps == nullptr) return "";
  gchar* text = gst_caps_to_string(caps);
  std::string s = text;
  g_free(text);
  gst_caps_unref(caps);
  return s;
}

/// Messages of the bus with this type, since the harness's beginning.
inline int messages(GstHarness* h, GstMessageType type) {
  GstBus* bus = gst_element_get_bus(h->element);
  int count = 0;
  if (bus == nullptr) return 0;
  while (GstMessage* message = gst_bus_pop_filtered(bus, type)) {
    ++count;
    gst_message_unref(message);
  }
  gst_object_unref(bus);
  return count;
}

}  // namespace ctv::gst_test
