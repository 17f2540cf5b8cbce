// SPDX-License-Identifier: BSD-3-Clause
// Each element by itself: caps, latency, key frames that are asked for, rate while playing, loss and damage.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/gstreamer/harness.hpp"

namespace {

using namespace ctv::gst_test;

TEST(Encoder, EachPacketIsThereAtOnceAndTheFirstIsAKeyFrameWithItsHeader) {
  Harness h = harness("ctvenc backend=cpu", kRaw);
  for (int n = 0; n < 3; ++n) {
    const Buffer packet = encode(h.get(), n);
    ASSERT_TRUE(packet);
    EXPECT_EQ(is_key(packet), n == 0);
    EXPECT_EQ(GST_BUFFER_PTS(packet.get()) - GST_BUFFER_PTS(packet.get()) % kFrame,
              GST_BUFFER_PTS(packet.get()));
    const auto kinds = kinds_of(bytes_of(packet.get()));
    EXPECT_EQ(kinds, n == 0 ? (std::vector{CTV_UNIT_HEADER, CTV_UNIT_PACKET}) : std::vector{CTV_UNIT_PACKET});
  }
  const std::string caps = caps_of(h.get());
  for (const char* part : {"video/x-ctv", "width=(int)64", "height=(int)48", "framerate=(fraction)25/1",
                           "parsed=(boolean)true", "alignment=(string)frame", "codec_data=(buffer)"})
    EXPECT_NE(caps.find(part), std::string::npos) << part << " in " << caps;
  EXPECT_EQ(gst_harness_query_latency(h.get()), 0U);
}

TEST(Encoder, FramesInFlightAreToldAsLatency) {
  Harness h = harness("ctvenc backend=cpu in-flight=4", kRaw);
  ASSERT_EQ(gst_harness_push(h.get(), picture(0).release()), GST_FLOW_OK);
  EXPECT_EQ(gst_harness_query_latency(h.get()), 3 * kFrame);
  for (int n = 1; n < 9; ++n) ASSERT_EQ(gst_harness_push(h.get(), picture(n).release()), GST_FLOW_OK);
  ASSERT_TRUE(gst_harness_push_event(h.get(), gst_event_new_eos()));
  EXPECT_EQ(gst_harness_buffers_in_queue(h.get()), 9U);
}

TEST(Encoder, AKeyFrameIsMadeWhenAskedFor) {
  const std::vector<Buffer> all = packets(5, 3);
  for (size_t n = 0; n < all.size(); ++n) EXPECT_EQ(is_key(all[n]), n == 0 || n == 3) << n;
}

TEST(Encoder, PacketsOfTheHighestTemporalLayerAreDroppable) {
  Harness h = harness("ctvenc backend=cpu temporal-layers=3 key-int=0", kRaw);
  for (int n = 0; n < 8; ++n) {
    const Buffer packet = encode(h.get(), n);
    ASSERT_TRUE(packet);
    EXPECT_EQ(GST_BUFFER_FLAG_IS_SET(packet.get(), GST_BUFFER_FLAG_DROPPABLE), n % 2 == 1) << n;
  }
}

TEST(Encoder, BitrateAndQualityChangeWhilePlaying) {
  Harness h = harness("ctvenc name=e backend=cpu qp=12 key-int=0", kRaw);
  GstElement* e = gst_harness_find_element(h.get(), "ctvenc");
  ASSERT_NE(e, nullptr);
  const auto bytes = [&](int first, int count) {
    size_t sum = 0;
    for (int n = first; n < first + count; ++n) sum += bytes_of(encode(h.get(), n).get()).size();
    return sum;
  };
  bytes(0, 1);
  const size_t fine = bytes(1, 8);
  g_object_set(e, "qp", 40, nullptr);
  const size_t coarse = bytes(9, 8);
  EXPECT_LT(2 * coarse, fine);
  g_object_set(e, "bitrate", guint64{40000}, nullptr);
  bytes(17, 30);
  EXPECT_LT(bytes(47, 25), 2 * 40000U / 8);  // a second
  g_object_set(e, "bitrate", guint64{0}, "crf", 10.0, "qp", -1, nullptr);
  EXPECT_GT(bytes(72, 8), coarse);
  EXPECT_EQ(messages(h.get(), GST_MESSAGE_ERROR), 0);
  gst_object_unref(e);
}

TEST(Encoder, ANewSizeIsANewStream) {
  Harness h = harness("ctvenc backend=cpu", kRaw);
  ASSERT_TRUE(encode(h.get(), 0));
  gst_harness_set_src_caps_str(h.get(), "video/x-raw, format=I420, width=32, height=32, framerate=25/1");
  ASSERT_EQ(gst_harness_push(h.get(), picture(1, 32, 32).release()), GST_FLOW_OK);
  const Buffer packet(gst_harness_try_pull(h.get()));
  ASSERT_TRUE(packet);
  EXPECT_TRUE(is_key(packet));
  EXPECT_NE(caps_of(h.get()).find("width=(int)32"), std::string::npos);
  // Its numbers go on, since the encoder does.
  const Bytes bytes = bytes_of(packet.get());
  uint64_t header_size = 0;
  ctv_unit_kind kind = CTV_UNIT_INDEX;
  ASSERT_EQ(ctv_unit_parse(bytes.data(), bytes.size(), &kind, &header_size), CTV_OK);
  ctv_packet_info info;
  ctv_packet_info_init(&info);
  ASSERT_EQ(ctv_packet_info_parse(bytes.data(), header_size, bytes.data() + header_size,
                                  bytes.size() - header_size, &info, nullptr, 0),
            CTV_OK);
  EXPECT_EQ(info.frame_number, 1);
}

/// The number of a key frame that has its header.
int64_t number_of(const Buffer& packet) {
  const Bytes bytes = bytes_of(packet.get());
  uint64_t header = 0;
  ctv_unit_kind kind = CTV_UNIT_INDEX;
  ctv_packet_info info;
  ctv_packet_info_init(&info);
  if (ctv_unit_parse(bytes.data(), bytes.size(), &kind, &header) != CTV_OK || kind != CTV_UNIT_HEADER ||
      ctv_packet_info_parse(bytes.data(), header, bytes.data() + header, bytes.size() - header, &info,
                            nullptr, 0) != CTV_OK)
    return -1;
  return info.frame_number;
}

// Receivers would take earlier numbers for late frames.
TEST(Encoder, NumbersGoOnAfterAFlushAndAnEnd) {
  for (const char* description : {"ctvenc backend=cpu", "ctvenc backend=cpu in-flight=3"}) {
    Harness h = harness(description, kRaw);
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    const auto push = [&](int count) {
      for (int n = 0; n < count; ++n) ASSERT_EQ(gst_harness_push(h.get(), picture(n).release()), GST_FLOW_OK);
    };
    const auto flush = [&] {
      ASSERT_TRUE(gst_harness_push_event(h.get(), gst_event_new_flush_start()));
      ASSERT_TRUE(gst_harness_push_event(h.get(), gst_event_new_flush_stop(TRUE)));
      ASSERT_TRUE(gst_harness_push_event(h.get(), gst_event_new_segment(&segment)));
      while (Buffer(gst_harness_try_pull(h.get()))) {
      }
    };
    push(5);
    flush();
    push(4);
    ASSERT_TRUE(gst_harness_push_event(h.get(), gst_event_new_eos()));
    EXPECT_EQ(gst_harness_buffers_in_queue(h.get()), 4U) << description;
    EXPECT_EQ(number_of(Buffer(gst_harness_pull(h.get()))), 5) << description;
    flush();
    push(4);
    ASSERT_TRUE(gst_harness_push_event(h.get(), gst_event_new_eos()));
    EXPECT_EQ(gst_harness_buffers_in_queue(h.get()), 4U) << description;
    EXPECT_EQ(number_of(Buffer(gst_harness_pull(h.get()))), 9) << description;
    EXPECT_EQ(messages(h.get(), GST_MESSAGE_ERROR), 0);
  }
}

// Buffers' times begin again with it; the stream's go on.
TEST(Encoder, AnotherSegmentGoesOnInTime) {
  Harness h = harness("ctvenc backend=cpu", kRaw);
  for (int n = 0; n < 3; ++n) ASSERT_TRUE(encode(h.get(), n));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.base = 3 * kFrame;
  ASSERT_TRUE(gst_harness_push_event(h.get(), gst_event_new_segment(&segment)));
  const Buffer packet = encode(h.get(), 0);
  ASSERT_TRUE(packet);
  Harness whole = harness("ctvenc backend=cpu", kRaw);
  const Bytes header = bytes_of(encode(whole.get(), 0).get());
  uint64_t header_size = 0;
  ctv_unit_kind kind = CTV_UNIT_INDEX;
  ASSERT_EQ(ctv_unit_parse(header.data(), header.size(), &kind, &header_size), CTV_OK);
  const Bytes bytes = bytes_of(packet.get());
  ctv_packet_info info;
  ctv_packet_info_init(&info);
  ASSERT_EQ(ctv_packet_info_parse(header.data(), header_size, bytes.data(), bytes.size(), &info, nullptr, 0),
            CTV_OK);
  ctv_stream_info stream;
  ctv_stream_info_init(&stream);
  ASSERT_EQ(ctv_stream_info_parse(header.data(), header_size, &stream), CTV_OK);
  EXPECT_EQ(info.timestamp * int64_t{GST_SECOND}, int64_t{3 * kFrame} * stream.fps_num);
}

TEST(Encoder, AWrongPresetIsAnErrorWithItsName) {
  Harness h = harness("ctvenc preset=nothing", nullptr);
  GstBus* bus = gst_bus_new();
  gst_element_set_bus(h->element, bus);
  gst_harness_set_src_caps_str(h.get(), kRaw);
  EXPECT_EQ(gst_harness_push(h.get(), picture(0).release()), GST_FLOW_NOT_NEGOTIATED);
  GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  ASSERT_NE(message, nullptr);
  gchar* detail = nullptr;
  GError* error = nullptr;
  gst_message_parse_error(message, &error, &detail);
  EXPECT_NE(std::string(detail).find("nothing"), std::string::npos) << detail;
  g_error_free(error);
  g_free(detail);
  gst_message_unref(message);
  gst_element_set_bus(h->element, nullptr);
  gst_object_unref(bus);
}

TEST(Decoder, GivesThePicturesThatALibrarysDecoderGives) {
  const std::vector<Buffer> all = packets(4);
  Harness h = harness("ctvdec backend=cpu", nullptr);
  gst_harness_set_src_caps_str(h.get(), kCoded);
  ctv_decoder_config config;
  ctv_decoder_config_init(&config);
  ctv_decoder* decoder = nullptr;
  ASSERT_EQ(ctv_decoder_open(&config, &decoder), CTV_OK);
  for (const Buffer& packet : all) {
    const Bytes bytes = bytes_of(packet.get());
    for (size_t at = 0; at < bytes.size();) {
      uint64_t size = 0;
      ctv_unit_kind kind = CTV_UNIT_INDEX;
      ASSERT_EQ(ctv_unit_parse(bytes.data() + at, bytes.size() - at, &kind, &size), CTV_OK);
      ASSERT_EQ(ctv_decoder_send(decoder, bytes.data() + at, size), CTV_OK);
      at += size;
    }
    ctv_picture expected;
    ctv_picture_init(&expected);
    ASSERT_EQ(ctv_decoder_receive(decoder, &expected), CTV_OK);
    ASSERT_EQ(gst_harness_push(h.get(), copy_of(packet).release()), GST_FLOW_OK);
    const Buffer shown(gst_harness_try_pull(h.get()));
    ASSERT_TRUE(shown);
    EXPECT_EQ(GST_BUFFER_PTS(shown.get()), GST_BUFFER_PTS(packet.get()));
    const Bytes samples = bytes_of(shown.get());
    ASSERT_EQ(samples.size(), size_t{kWidth * kHeight * 3 / 2});
    for (int r = 0; r < kHeight; ++r)
      ASSERT_EQ(0, memcmp(samples.data() + r * kWidth,
                          static_cast<uint8_t*>(expected.data[0]) + r * expected.stride[0], kWidth));
  }
  ctv_decoder_close(decoder);
  EXPECT_NE(caps_of(h.get()).find("framerate=(fraction)25/1"), std::string::npos) << caps_of(h.get());
}

/// What the decoder sends up when it lacks something.
int key_requests(GstHarness* h) {
  int count = 0;
  while (GstEvent* event = gst_harness_try_pull_upstream_event(h)) {
    count += gst_video_event_is_force_key_unit(event) ? 1 : 0;
    gst_event_unref(event);
  }
  return count;
}

TEST(Decoder, ALostFrameAsksForAKeyFrame) {
  const std::vector<Buffer> all = packets(6, 4);
  Harness h = harness("ctvdec backend=cpu", nullptr);
  gst_harness_set_src_caps_str(h.get(), kCoded);
  size_t shown = 0;
  for (size_t n = 0; n < all.size(); ++n) {
    if (n == 2) continue;  // lost
    ASSERT_EQ(gst_harness_push(h.get(), copy_of(all[n]).release()), GST_FLOW_OK);
    if (n == 1 || n == 3) {
      EXPECT_EQ(key_requests(h.get()), n == 1 ? 0 : 1);
    }
    if (const Buffer got(gst_harness_try_pull(h.get())); got) ++shown;
  }
  EXPECT_EQ(shown, 4U);  // all but the lost one and the one that refers to it
}

TEST(Decoder, DamageIsAWarningAndTheNextKeyFrameMendsIt) {
  const std::vector<Buffer> all = packets(6, 4);
  Harness h = harness("ctvdec backend=cpu", nullptr);
  GstBus* bus = gst_bus_new();
  gst_element_set_bus(h->element, bus);
  gst_harness_set_src_caps_str(h.get(), kCoded);
  size_t shown = 0;
  for (size_t n = 0; n < all.size(); ++n) {
    Buffer sent = copy_of(all[n]);
    if (n == 2) gst_buffer_memset(sent.get(), gst_buffer_get_size(sent.get()) / 2, 0xAA, 8);
    ASSERT_EQ(gst_harness_push(h.get(), sent.release()), GST_FLOW_OK);
    if (const Buffer got(gst_harness_try_pull(h.get())); got) ++shown;
  }
  EXPECT_GE(shown, 4U);
  GstMessage* warning = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING);
  EXPECT_NE(warning, nullptr);
  if (warning != nullptr) gst_message_unref(warning);
  gst_element_set_bus(h->element, nullptr);
  gst_object_unref(bus);
  EXPECT_GE(key_requests(h.get()), 1);
}

TEST(Decoder, ConcealedDamageIsMarkedAndAsksForAKeyFrame) {
  const std::vector<Buffer> all = packets(5);
  Harness h = harness("ctvdec backend=cpu conceal=true", nullptr);
  gst_harness_set_src_caps_str(h.get(), kCoded);
  std::vector<bool> corrupted;
  for (size_t n = 0; n < all.size(); ++n) {
    Buffer sent = copy_of(all[n]);
    const gsize size = gst_buffer_get_size(sent.get());
    if (n == 2) gst_buffer_memset(sent.get(), size - 2, 0xAA, 2);  // in the last component
    ASSERT_EQ(gst_harness_push(h.get(), sent.release()), GST_FLOW_OK);
    const Buffer got(gst_harness_try_pull(h.get()));
    ASSERT_TRUE(got) << n;
    corrupted.push_back(GST_BUFFER_FLAG_IS_SET(got.get(), GST_BUFFER_FLAG_CORRUPTED));
  }
  EXPECT_EQ(corrupted, (std::vector<bool>{false, false, true, true, true}));
  EXPECT_GE(key_requests(h.get()), 1);
}

TEST(Decoder, JoinsWithTheHeaderOfTheCapsAndAtAKeyFrame) {
  const std::vector<Buffer> all = packets(4, 2);
  Harness h = harness("ctvdec backend=cpu", nullptr);
  gst_harness_set_src_caps_str(h.get(), kCoded);
  size_t shown = 0;
  for (size_t n = 1; n < all.size(); ++n) {
    ASSERT_EQ(gst_harness_push(h.get(), copy_of(all[n]).release()), GST_FLOW_OK);
    if (const Buffer got(gst_harness_try_pull(h.get())); got) ++shown;
  }
  EXPECT_EQ(shown, 2U);
  EXPECT_GE(key_requests(h.get()), 1);
}

TEST(Decoder, ReducedResolutionAndFramesInFlight) {
  const std::vector<Buffer> all = packets(6, -1, 1);
  Harness h = harness("ctvdec backend=cpu reduction=1 in-flight=3", nullptr);
  gst_harness_set_src_caps_str(h.get(), kCoded);
  for (const Buffer& packet : all)
    ASSERT_EQ(gst_harness_push(h.get(), copy_of(packet).release()), GST_FLOW_OK);
  ASSERT_TRUE(gst_harness_push_event(h.get(), gst_event_new_eos()));
  EXPECT_EQ(gst_harness_buffers_in_queue(h.get()), 6U);
  EXPECT_NE(caps_of(h.get()).find("width=(int)32"), std::string::npos);
}

TEST(Decoder, ANewSizeWaitsForThePicturesInFlight) {
  for (int round = 0; round < 10; ++round) {
    Harness h = harness("ctvparse ! ctvdec backend=cpu in-flight=8", "video/x-ctv");
    int expected = 0;
    for (const int size : {64, 32}) {
      Harness encoder = harness("ctvenc backend=cpu preset=fastest", nullptr);
      const std::string caps = "video/x-raw, format=I420, framerate=25/1, width=" + std::to_string(size) +
                               ", height=" + std::to_string(size);
      gst_harness_set_src_caps_str(encoder.get(), caps.c_str());
      for (int n = 0; n < 6; ++n, ++expected) {
        ASSERT_EQ(gst_harness_push(encoder.get(), picture(n, size, size).release()), GST_FLOW_OK);
        const Buffer packet(gst_harness_try_pull(encoder.get()));
        ASSERT_EQ(gst_harness_push(h.get(), copy_of(packet).release()), GST_FLOW_OK);
      }
    }
    ASSERT_TRUE(gst_harness_push_event(h.get(), gst_event_new_eos()));
    EXPECT_EQ(static_cast<int>(gst_harness_buffers_in_queue(h.get())), expected) << round;
  }
}

TEST(Formats, EveryFormatComesBack) {
  const std::pair<const char*, const char*> kFormats[] = {
      {"I420", "I420"}, {"NV12", "I420"}, {"Y42B", "Y42B"}, {"Y444", "Y444"}, {"GRAY8", "GRAY8"},
      {"RGB", "RGB"},   {"RGBA", "RGB"},  {"RGBx", "RGB"},  {"NV21", "I420"}, {"YUY2", "Y42B"},
      {"UYVY", "Y42B"}, {"BGR", "RGB"},   {"BGRA", "RGB"},  {"BGRx", "RGB"}};
  for (const auto& [in, out] : kFormats) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, gst_video_format_from_string(in), 33, 17);
    info.fps_n = 25;
    info.fps_d = 1;
    GstCaps* caps = gst_video_info_to_caps(&info);
    Harness h = harness("ctvenc backend=cpu ! ctvdec backend=cpu", nullptr);
    gst_harness_set_src_caps(h.get(), caps);
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, info.size, nullptr);
    gst_buffer_memset(buffer, 0, 100, info.size);
    GST_BUFFER_PTS(buffer) = 0;
    ASSERT_EQ(gst_harness_push(h.get(), buffer), GST_FLOW_OK) << in;
    const Buffer shown(gst_harness_try_pull(h.get()));
    ASSERT_TRUE(shown) << in;
    EXPECT_NE(caps_of(h.get()).find(std::string("format=(string)") + out), std::string::npos) << in;
    EXPECT_NEAR(bytes_of(shown.get())[0], 100, 2) << in;
  }
}

TEST(Formats, ColoursAndFieldsComeBack) {
  const char* caps =
      "video/x-raw, format=I420, width=64, height=48, framerate=30000/1001, pixel-aspect-ratio=12/11, "
      "colorimetry=bt709, chroma-site=mpeg2, interlace-mode=interleaved, field-order=bottom-field-first";
  Harness h = harness("ctvenc backend=cpu ! ctvdec backend=cpu", caps);
  ASSERT_EQ(gst_harness_push(h.get(), picture(0).release()), GST_FLOW_OK);
  const std::string got = caps_of(h.get());
  for (const char* part :
       {"framerate=(fraction)30000/1001", "pixel-aspect-ratio=(fraction)12/11", "colorimetry=(string)bt709",
        "chroma-site=(string)mpeg2", "interlace-mode=(string)interleaved", "bottom-field-first"})
    EXPECT_NE(got.find(part), std::string::npos) << part << " in " << got;
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
