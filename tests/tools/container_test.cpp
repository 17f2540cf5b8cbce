// SPDX-License-Identifier: BSD-3-Clause
// Videos that libavformat reads: samples, times, description; and the times in containers that we write.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "bindings/libav/demuxer.h"
#include "bindings/libav/frame_times.h"
#include "cli/exit.h"
#include "ctenc/encode.h"
#include "io/clip_generator.h"
#include "io/container.h"
#include "io/unit_reader.h"

namespace ctv::tools {
namespace {

/// 48x32 I420 pictures of any samples, frame i shown at times[i] milliseconds, in Matroska without loss.
std::string write_video(const std::string& path, const std::vector<int64_t>& times, AVRational rate) {
  AVFormatContext* format = nullptr;
  avformat_alloc_output_context2(&format, nullptr, "matroska", path.c_str());
  AVStream* track = avformat_new_stream(format, nullptr);
  const auto encoder = own(avcodec_alloc_context3(avcodec_find_encoder(AV_CODEC_ID_FFV1)));
  encoder->width = 48, encoder->height = 32;
  encoder->pix_fmt = AV_PIX_FMT_YUV420P;
  encoder->time_base = {1, 1000};
  encoder->sample_aspect_ratio = {4, 3};
  encoder->color_range = AVCOL_RANGE_MPEG;
  encoder->colorspace = AVCOL_SPC_BT709;
  encoder->color_primaries = AVCOL_PRI_BT2020;
  encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  EXPECT_EQ(avcodec_open2(encoder.get(), nullptr, nullptr), 0);
  avcodec_parameters_from_context(track->codecpar, encoder.get());
  track->sample_aspect_ratio = {4, 3};
  track->avg_frame_rate = rate;
  track->time_base = {1, 1000};
  EXPECT_EQ(avio_open(&format->pb, path.c_str(), AVIO_FLAG_WRITE), 0);
  EXPECT_EQ(avformat_write_header(format, nullptr), 0);
  const auto frame = own(av_frame_alloc());
  const auto packet = own(av_packet_alloc());
  frame->width = 48, frame->height = 32, frame->format = AV_PIX_FMT_YUV420P;
  EXPECT_EQ(av_frame_get_buffer(frame.get(), 0), 0);
  for (size_t i = 0; i <= times.size(); ++i) {
    if (i < times.size()) {
      av_frame_make_writable(frame.get());
      for (int p = 0; p < 3; ++p)
        for (int y = 0; y < (p > 0 ? 16 : 32); ++y)
          for (int x = 0; x < (p > 0 ? 24 : 48); ++x)
            frame->data[p][y * frame->linesize[p] + x] =
                static_cast<uint8_t>(31 * p + 7 * y + 3 * x + 50 * static_cast<int>(i));
      frame->pts = times[i];
    }
    avcodec_send_frame(encoder.get(), i < times.size() ? frame.get() : nullptr);
    while (avcodec_receive_packet(encoder.get(), packet.get()) == 0) {
      packet->stream_index = 0;
      EXPECT_EQ(av_write_frame(format, packet.get()), 0);
    }
  }
  av_write_trailer(format);
  avio_closep(&format->pb);
  avformat_free_context(format);
  return path;
}

std::vector<int64_t> timestamps(FrameReader& reader) {
  std::vector<int64_t> result;
  for (Frame frame; reader.read(frame);) {
    EXPECT_EQ(frame.plane(0)[33], static_cast<uint8_t>(3 * 33 + 50 * result.size()));
    EXPECT_EQ(frame.plane(1)[24 + 5], static_cast<uint8_t>(31 + 7 + 3 * 5 + 50 * result.size()));
    result.push_back(frame.picture().timestamp);
  }
  return result;
}

class Container : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("ctv_container_" + std::to_string(getpid()) +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string at(const char* name) const { return (folder_ / name).string(); }
  static std::unique_ptr<FrameReader> open(const std::string& path) {
    InputOptions options;
    options.path = path;
    return open_input(options);
  }

  std::filesystem::path folder_;
};

TEST_F(Container, AConstantRateHasItsExactTimes) {
  // 30000/1001 frames per second, as Matroska rounds them.
  const auto reader = open(write_video(at("a.mkv"), {0, 33, 67, 100, 133, 167}, {30000, 1001}));
  EXPECT_EQ(reader->video().fps_num, 30000);
  EXPECT_EQ(reader->video().fps_den, 1001);
  EXPECT_EQ(timestamps(*reader), (std::vector<int64_t>{0, 1001, 2002, 3003, 4004, 5005}));
}

TEST_F(Container, MissingFramesLeaveGaps) {
  const auto reader = open(write_video(at("a.mkv"), {0, 40, 160, 200}, {25, 1}));
  EXPECT_EQ(reader->video().fps_num, 25);
  EXPECT_EQ(timestamps(*reader), (std::vector<int64_t>{0, 1, 4, 5}));
}

TEST_F(Container, OtherTimesAreKeptInFinerUnits) {
  const auto reader = open(write_video(at("a.mkv"), {500, 517, 590, 591}, {25, 1}));
  EXPECT_EQ(reader->video().fps_num, 90000);
  EXPECT_EQ(reader->video().fps_den, 3600);
  EXPECT_EQ(timestamps(*reader), (std::vector<int64_t>{45000, 46530, 53100, 53190}));
}

TEST_F(Container, AStartBetweenTwoFramesIsKept) {
  const auto reader = open(write_video(at("a.mkv"), {300, 340, 380, 500}, {25, 1}));
  EXPECT_EQ(reader->video().fps_num, 90000);
  EXPECT_EQ(reader->video().fps_den, 3600);
  EXPECT_EQ(timestamps(*reader), (std::vector<int64_t>{27000, 30600, 34200, 45000}));
}

TEST_F(Container, SkippedFramesKeepTheTimesOfTheOthers) {
  const auto reader = open(write_video(at("a.mkv"), {0, 40, 80, 120}, {25, 1}));
  reader->skip(2);
  Frame frame;
  ASSERT_TRUE(reader->read(frame));
  EXPECT_EQ(frame.picture().timestamp, 2);
}

TEST_F(Container, TheUsersRateCountsFromZero) {
  InputOptions options;
  options.path = write_video(at("a.mkv"), {500, 517}, {25, 1});
  options.rate = {50, 1};
  const auto reader = open_input(options);
  EXPECT_EQ(reader->video().fps_num, 50);
  Frame frame;
  ASSERT_TRUE(reader->read(frame));
  EXPECT_EQ(frame.picture().timestamp, 0);
  EXPECT_EQ(frame.picture().duration, 0);  // as its number says
}

TEST_F(Container, TheDescriptionIsKept) {
  const auto reader = open(write_video(at("a.mkv"), {0, 40}, {25, 1}));
  const VideoFormat& video = reader->video();
  EXPECT_EQ(video.format, CTV_FORMAT_I420);
  EXPECT_EQ(video.description.aspect, (std::pair{4, 3}));
  EXPECT_EQ(video.description.range, CTV_RANGE_LIMITED);
  EXPECT_EQ(video.description.matrix, 1);
  EXPECT_EQ(video.description.primaries, 9);
  EXPECT_EQ(video.description.transfer, 2);
  EXPECT_EQ(video.dropped, "");
}

TEST_F(Container, TimesNeverStandStill) {
  FrameTimes times({0, 40, 80}, {1, 1000}, {25, 1});
  EXPECT_EQ(times.next(40), 1);
  EXPECT_EQ(times.next(40), 2);
  EXPECT_EQ(times.next(AV_NOPTS_VALUE), 3);
  EXPECT_EQ(times.next(0), 4);
}

TEST_F(Container, WhatWeWriteHasTheTimesOfTheStream) {
  // Frames at 0, 3, 4, 9 of 1/100 s, so that each container can hold them exactly.
  Config config;
  config.width = 48, config.height = 32, config.format = CTV_FORMAT_I420;
  config.fps_num = 100, config.fps_den = 4;
  Encoder encoder(config);
  std::ofstream stream(at("a.ctv"), std::ios::binary);
  const auto put = [&](std::span<const uint8_t> bytes) {
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  put(encoder.header().bytes());
  VideoFormat video;
  video.format = CTV_FORMAT_I420, video.width = 48, video.height = 32;
  Frame frame;
  frame.reset(video);
  const std::vector<int64_t> shown = {0, 3, 4, 9};
  for (size_t i = 0; i < shown.size(); ++i) {
    frame.set_time(shown[i], 1);
    ASSERT_TRUE(encoder.send(frame.picture()));
    while (const auto unit = encoder.receive()) put(unit->bytes());
  }
  encoder.flush();
  while (const auto unit = encoder.receive()) put(unit->bytes());
  stream.close();
  for (const char* name : {"a.mkv", "a.nut", "a.mov"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(write_container(at("a.ctv"), at(name)), 4);
    Demuxer demuxer(at(name), false);
    const auto packet = own(av_packet_alloc());
    std::vector<int64_t> found;
    int keys = 0;
    while (demuxer.read(*packet)) {
      found.push_back(av_rescale_q(packet->dts, demuxer.track().time_base, {1, 100}));
      keys += packet->flags & AV_PKT_FLAG_KEY;
    }
    EXPECT_EQ(found, shown);
    EXPECT_EQ(keys, 1);
  }
}

}  // namespace
}  // namespace ctv::tools
