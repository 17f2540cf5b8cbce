// SPDX-License-Identifier: BSD-3-Clause
// Files with an index in a pipeline: their duration, and where seeks go. Packets are large at first and small
// then, so that a guess by the mean rate is wrong.
#include <gtest/gtest.h>
#include <unistd.h>

#include <ctv/ctv.hpp>

#include <cstdio>
#include <fstream>

#include "tests/gstreamer/harness.hpp"

namespace {

using namespace ctv::gst_test;

constexpr int kFrames = 600;
constexpr int kInterval = 25;

class Seek : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ctv::Config config("fastest");
    config.width = kWidth, config.height = kHeight;
    config.format = CTV_FORMAT_GRAY8;
    config.key_interval = kInterval;
    config.scene_cut = 0;
    config.backend = CTV_BACKEND_CPU;
    ctv::Encoder encoder(config);
    std::ofstream file(path(), std::ios::binary);
    const auto put = [&](const ctv::Unit& unit) {
      file.write(reinterpret_cast<const char*>(unit.data), static_cast<std::streamsize>(unit.size));
    };
    put(encoder.header());
    Bytes samples(size_t{kWidth} * kHeight, 128);
    uint32_t seed = 1;
    for (int n = 0; n < kFrames; ++n) {
      for (uint8_t& sample : samples) {
        seed = seed * 1664525 + 1013904223;
        sample = static_cast<uint8_t>(n < kFrames / 4 ? seed >> 24 : 100 + n % 8);
      }
      ctv_picture picture{};
      picture.struct_size = sizeof picture;
      picture.format = CTV_FORMAT_GRAY8;
      picture.width = kWidth, picture.height = kHeight;
      picture.data[0] = samples.data(), picture.stride[0] = kWidth;
      ASSERT_TRUE(encoder.send(picture));
      put(*encoder.receive());
    }
    put(encoder.index());
  }
  static void TearDownTestSuite() {
    std::remove(path().c_str());
    std::remove((path() + ".mkv").c_str());
  }
  static std::string path() { return testing::TempDir() + "ctv_seek_" + std::to_string(getpid()) + ".ctv"; }

  void SetUp() override { launch(path() + " ! ctvparse ! ctvdec backend=cpu ! fakesink name=sink"); }
  void TearDown() override {
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(pipeline_);
  }
  void launch(const std::string& file_and_elements) {
    pipeline_ = gst_parse_launch(("filesrc location=" + file_and_elements).c_str(), nullptr);
    ASSERT_NE(pipeline_, nullptr);
    gst_element_set_state(pipeline_, GST_STATE_PAUSED);
    wait();
  }
  void wait() {
    EXPECT_EQ(gst_element_get_state(pipeline_, nullptr, nullptr, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  }
  /// The time of the picture that is shown.
  GstClockTime shown() {
    GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline_), "sink");
    GstSample* sample = nullptr;
    g_object_get(sink, "last-sample", &sample, nullptr);
    const GstClockTime time =
        sample == nullptr ? GST_CLOCK_TIME_NONE : GST_BUFFER_PTS(gst_sample_get_buffer(sample));
    if (sample != nullptr) gst_sample_unref(sample);
    gst_object_unref(sink);
    return time;
  }

  GstElement* pipeline_ = nullptr;
};

TEST_F(Seek, TheDurationIsThatOfTheIndex) {
  gint64 duration = 0;
  ASSERT_TRUE(gst_element_query_duration(pipeline_, GST_FORMAT_TIME, &duration));
  EXPECT_EQ(static_cast<GstClockTime>(duration), kFrames * kFrame);
}

TEST_F(Seek, SeeksShowWhatTheyAskFor) {
  struct Row {
    int flags;
    int from, to;  // frames
  };
  const Row rows[] = {{GST_SEEK_FLAG_NONE, 410, 410},
                      {GST_SEEK_FLAG_NONE, 3, 3},
                      {GST_SEEK_FLAG_ACCURATE, 599, 599},
                      {GST_SEEK_FLAG_KEY_UNIT, 410, 400},
                      {GST_SEEK_FLAG_KEY_UNIT, 400, 400},
                      {GST_SEEK_FLAG_KEY_UNIT, 599, 575},
                      {GST_SEEK_FLAG_KEY_UNIT | GST_SEEK_FLAG_SNAP_AFTER, 401, 425},
                      {GST_SEEK_FLAG_KEY_UNIT | GST_SEEK_FLAG_SNAP_AFTER, 599, 575},
                      {GST_SEEK_FLAG_KEY_UNIT | GST_SEEK_FLAG_SNAP_NEAREST, 412, 400},
                      {GST_SEEK_FLAG_KEY_UNIT | GST_SEEK_FLAG_SNAP_NEAREST, 413, 425}};
  for (const Row& row : rows) {
    const auto flags = static_cast<GstSeekFlags>(row.flags | GST_SEEK_FLAG_FLUSH);
    ASSERT_TRUE(gst_element_seek_simple(pipeline_, GST_FORMAT_TIME, flags,
                                        static_cast<gint64>(static_cast<GstClockTime>(row.from) * kFrame)));
    wait();
    EXPECT_EQ(shown(), static_cast<GstClockTime>(row.to) * kFrame) << row.flags << " " << row.from;
  }
}

// The demuxer seeks, and the parser has the header from the first key frame.
TEST_F(Seek, MatroskaSeeksToKeyFrames) {
  TearDown();
  const std::string file = path() + ".mkv";
  launch(path() +
         " ! ctvparse repeat-header=true ! capssetter join=false caps=video/x-wmv,wmvversion=3,format=CTV1"
         " ! matroskamux ! filesink location=" +
         file);
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline_);
  GstMessage* end = gst_bus_timed_pop_filtered(
      bus, 20 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  gst_object_unref(bus);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(GST_MESSAGE_TYPE(end), GST_MESSAGE_EOS);
  gst_message_unref(end);
  TearDown();
  launch(file + " ! matroskademux ! ctvparse ! ctvdec backend=cpu ! fakesink name=sink");
  for (const int frame : {410, 30, 599}) {
    ASSERT_TRUE(gst_element_seek_simple(
        pipeline_, GST_FORMAT_TIME, static_cast<GstSeekFlags>(GST_SEEK_FLAG_KEY_UNIT | GST_SEEK_FLAG_FLUSH),
        static_cast<gint64>(static_cast<GstClockTime>(frame) * kFrame)));
    wait();
    EXPECT_EQ(shown(), static_cast<GstClockTime>(frame / kInterval * kInterval) * kFrame) << frame;
  }
}

}  // namespace
