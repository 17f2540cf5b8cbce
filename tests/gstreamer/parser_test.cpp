// SPDX-License-Identifier: BSD-3-Clause
// ctvparse: streams of bytes, cut anywhere, damaged, with and without headers.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gstreamer/harness.hpp"

namespace {

using namespace ctv::gst_test;

/// A stream of bytes through the parser, in pieces.
std::vector<Buffer> parsed(const Bytes& stream, size_t piece, const char* element = "ctvparse",
                           bool ends = true) {
  Harness h = harness(element, nullptr);
  // As from a file: in bytes, so that the parser gives the times.
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_BYTES);
  GstCaps* caps = gst_caps_new_empty_simple("video/x-ctv");
  gst_harness_push_event(h.get(), gst_event_new_stream_start("file"));
  gst_harness_push_event(h.get(), gst_event_new_caps(caps));
  gst_harness_push_event(h.get(), gst_event_new_segment(&segment));
  gst_caps_unref(caps);
  for (size_t at = 0; at < stream.size(); at += piece) {
    const size_t size = std::min(piece, stream.size() - at);
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, size, nullptr);
    gst_buffer_fill(buffer, 0, stream.data() + at, size);
    EXPECT_EQ(gst_harness_push(h.get(), buffer), GST_FLOW_OK);
  }
  if (ends) gst_harness_push_event(h.get(), gst_event_new_eos());
  std::vector<Buffer> all;
  while (GstBuffer* buffer = gst_harness_try_pull(h.get())) all.emplace_back(buffer);
  return all;
}

Bytes joined(const std::vector<Buffer>& buffers) {
  Bytes all;
  for (const Buffer& buffer : buffers) {
    const Bytes bytes = bytes_of(buffer.get());
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

TEST(Parser, GivesTheBuffersBackHoweverTheBytesAreCut) {
  const std::vector<Buffer> all = packets(5, 3);
  const Bytes stream = joined(all);
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{1000}, stream.size()}) {
    const std::vector<Buffer> frames = parsed(stream, piece);
    ASSERT_EQ(frames.size(), all.size()) << piece;
    for (size_t n = 0; n < all.size(); ++n) {
      EXPECT_EQ(bytes_of(frames[n].get()), bytes_of(all[n].get()));
      EXPECT_EQ(is_key(frames[n]), is_key(all[n]));
      EXPECT_EQ(GST_BUFFER_PTS(frames[n].get()), GST_BUFFER_PTS(all[n].get()));
      EXPECT_EQ(GST_BUFFER_DURATION(frames[n].get()), kFrame);
    }
  }
}

TEST(Parser, SkipsGarbage) {
  const std::vector<Buffer> all = packets(3);
  Bytes stream = {'C', 'T', 'V', 0, 1, 2, 3};
  const Bytes clean = joined(all);
  stream.insert(stream.end(), clean.begin(), clean.end());
  stream.insert(stream.end(), 20, 0xC7);
  EXPECT_EQ(parsed(stream, 100).size(), all.size());
  EXPECT_TRUE(parsed(Bytes(3000, 0x43), 64).empty());
}

// The stream's end shows that the missing bytes do not exist.
TEST(Parser, ADamagedSizeCostsItsPacketAlone) {
  const std::vector<Buffer> all = packets(6);
  Bytes stream = joined(all);
  const size_t size = gst_buffer_get_size(all[0].get()) + 2;
  for (size_t i = 0; i < 4; ++i) stream[size + i] = i < 2 ? 0xFF : 0x01;
  EXPECT_EQ(parsed(stream, 100).size(), all.size() - 1);
}

TEST(Parser, ASizeThatNoPacketHasIsNotWaitedFor) {
  const std::vector<Buffer> all = packets(6);
  Bytes stream = joined(all);
  const size_t size = gst_buffer_get_size(all[0].get()) + 2;
  for (size_t i = 0; i < 4; ++i) stream[size + i] = i < 3 ? 0xFF : 0x3F;
  EXPECT_EQ(parsed(stream, 100, "ctvparse", false).size(), all.size() - 1);
}

TEST(Parser, RepeatsTheHeaderIfAsked) {
  std::vector<Buffer> all = packets(3, 2);
  Bytes stream = joined(all);
  // Without the header in front of the second key frame.
  const size_t header = bytes_of(all[0].get()).size() - bytes_of(parsed(stream, 100)[0].get()).size();
  EXPECT_EQ(header, 0U);
  uint64_t header_size = 0;
  ctv_unit_kind kind = CTV_UNIT_INDEX;
  ASSERT_EQ(ctv_unit_parse(stream.data(), stream.size(), &kind, &header_size), CTV_OK);
  const size_t second = stream.size() - gst_buffer_get_size(all[2].get());
  stream.erase(stream.begin() + static_cast<std::ptrdiff_t>(second),
               stream.begin() + static_cast<std::ptrdiff_t>(second + header_size));
  EXPECT_EQ(gst_buffer_get_size(parsed(stream, 100)[2].get()),
            gst_buffer_get_size(all[2].get()) - header_size);
  stream.insert(stream.end(), 1000, 0xC7);
  for (const size_t piece : {size_t{100}, stream.size()}) {
    const std::vector<Buffer> repeated = parsed(stream, piece, "ctvparse repeat-header=true");
    ASSERT_EQ(repeated.size(), 3U);
    EXPECT_EQ(bytes_of(repeated[2].get()), bytes_of(all[2].get()));
    EXPECT_TRUE(is_key(repeated[2]));
  }
}

TEST(Parser, WhateverTheBytesAreTheDecoderBehindItLives) {
  const Bytes clean = joined(packets(6, 3));
  uint32_t seed = 1;
  const auto draw = [&](size_t n) { return (seed = seed * 1664525 + 1013904223) / 65536 % n; };
  size_t shown = 0;
  for (int run = 0; run < 60; ++run) {
    Bytes damaged = clean;
    for (size_t i = draw(4); i > 0; --i) damaged[draw(damaged.size())] ^= static_cast<uint8_t>(1 + draw(255));
    if (run % 3 == 0) damaged.resize(draw(damaged.size()));
    shown += parsed(damaged, 1 + draw(2000), "ctvparse ! ctvdec backend=cpu threads=1").size();
  }
  EXPECT_GT(shown, 60U);  // most are whole
}

}  // namespace
