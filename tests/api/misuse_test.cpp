// SPDX-License-Identifier: BSD-3-Clause
// Wrong pointers, wrong sizes, wrong order: an error with words, never a crash.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

#include "tests/api/valid.hpp"
#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

ctv_unit empty_unit() {
  ctv_unit unit{};
  unit.struct_size = sizeof unit;
  return unit;
}
bool says(const char* words) { return std::string(ctv_last_error()).find(words) != std::string::npos; }

TEST(Version, IsTheHeaders) {
  EXPECT_EQ(std::string(ctv_version()), std::to_string(CTV_VERSION_MAJOR) + "." +
                                            std::to_string(CTV_VERSION_MINOR) + "." +
                                            std::to_string(CTV_VERSION_PATCH));
}

TEST(StatusNames, AreAllDifferent) {
  std::vector<std::string> names;
  for (int s = CTV_ERROR_REFERENCE; s <= CTV_END; ++s)
    names.emplace_back(ctv_status_name(static_cast<ctv_status>(s)));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_NE(ctv_status_name(number<ctv_status>(-77)), nullptr);
}

TEST(NullPointers, AreRefusedByEveryCall) {
  const Config c = valid();
  const DecoderConfig d;
  ctv_encoder* encoder = nullptr;
  ctv_decoder* decoder = nullptr;
  ctv_unit unit = empty_unit();
  ctv_picture picture = make_picture(CTV_FORMAT_I420, 32, 16);
  ctv_unit_kind kind{};
  uint64_t size = 0;
  size_t count = 0;
  const uint8_t bytes[16] = {};
  EXPECT_EQ(ctv_host_alloc(1, CTV_BACKEND_CPU, 0, nullptr), CTV_ERROR_ARGUMENT);
  ctv_host_free(nullptr);
  EXPECT_EQ(ctv_encoder_open(nullptr, &encoder), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_open(&c, nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_header(nullptr, &unit), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_send(nullptr, &picture), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_send_frame(nullptr, &picture, nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_acknowledge(nullptr, 0), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_lost(nullptr, 0), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_receive(nullptr, &unit), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_flush(nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_index(nullptr, &unit), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_request_key_frame(nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_set_quantiser(nullptr, 20, 0), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_set_crf(nullptr, 20), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_stage_times(nullptr, nullptr, 0, &count), CTV_ERROR_ARGUMENT);
  EXPECT_STREQ(ctv_encoder_description(nullptr), "");
  ctv_encoder_close(nullptr);
  EXPECT_EQ(ctv_decoder_config_init(nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_open(nullptr, &decoder), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_open(&d, nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_send(nullptr, bytes, 16), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_send_damaged(nullptr, &unit, nullptr, 0), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_held(nullptr, nullptr, 0, &count), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_receive(nullptr, &picture), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_flush(nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_reset(nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_stage_times(nullptr, nullptr, 0, &count), CTV_ERROR_ARGUMENT);
  EXPECT_STREQ(ctv_decoder_description(nullptr), "");
  ctv_decoder_close(nullptr);
  EXPECT_EQ(ctv_unit_parse(nullptr, 8, &kind, &size), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_unit_parse(bytes, 8, nullptr, &size), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_unit_parse(bytes, 8, &kind, nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_stream_info_parse(nullptr, 8, nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_packet_info_parse(nullptr, 0, bytes, 16, nullptr, nullptr, 0), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_packet_parts(nullptr, 0, bytes, 16, nullptr, 0, &count), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_part_check(nullptr, 16), 0U);
  int32_t rows = 0;
  int32_t cols = 0;
  EXPECT_EQ(ctv_packet_slopes(nullptr, 0, bytes, 16, 1, nullptr, 0, &rows, &cols), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_packet_slopes(bytes, 16, bytes, 16, 4, nullptr, 0, &rows, &cols), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_index_parse(nullptr, 0, nullptr, 0, &count), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_index_trailer_parse(nullptr, 8, &size), CTV_ERROR_ARGUMENT);

  Encoder real(c);
  EXPECT_EQ(ctv_encoder_header(real.get(), nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_send(real.get(), nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_receive(real.get(), nullptr), CTV_ERROR_ARGUMENT);
  ctv_frame_options options{};
  EXPECT_EQ(ctv_encoder_send_frame(real.get(), &picture, &options), CTV_ERROR_ARGUMENT) << "no struct_size";
  Decoder sink{decoder_config()};
  EXPECT_EQ(ctv_decoder_held(sink.get(), nullptr, 1, &count), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_held(sink.get(), nullptr, 0, &count), CTV_OK);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(ctv_decoder_send_damaged(sink.get(), &unit, nullptr, 1), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_send(sink.get(), nullptr, 5), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_decoder_receive(sink.get(), nullptr), CTV_ERROR_ARGUMENT);
}

TEST(StructSize, OfNoVersionIsRefusedAndNamed) {
  for (const size_t size : {size_t{0}, size_t{7}, sizeof(ctv_config) + 8, SIZE_MAX}) {
    ctv_config c = valid();
    c.struct_size = size;
    ctv_encoder* encoder = nullptr;
    EXPECT_EQ(ctv_encoder_open(&c, &encoder), CTV_ERROR_ARGUMENT) << size;
    EXPECT_TRUE(says("struct_size")) << ctv_last_error();
  }
  Encoder encoder(valid());
  ctv_unit unit{};
  EXPECT_EQ(ctv_encoder_header(encoder.get(), &unit), CTV_ERROR_ARGUMENT);
  EXPECT_TRUE(says("struct_size")) << ctv_last_error();
  ctv_picture picture = picture_of(moving_frame(CTV_FORMAT_I420, 32, 16, 0));
  picture.struct_size = 0;
  EXPECT_EQ(ctv_encoder_send(encoder.get(), &picture), CTV_ERROR_ARGUMENT);
}

TEST(StructSize, OfAnOlderVersionGetsTheDefaults) {
  // A program built before the fields after `backend` existed.
  ctv_config c = valid();
  c.struct_size = offsetof(ctv_config, engine);
  c.engine = number<ctv_engine>(77);
  c.frames_in_flight = -9;
  ctv_encoder* encoder = nullptr;
  EXPECT_EQ(ctv_encoder_open(&c, &encoder), CTV_OK) << ctv_last_error();
  ctv_encoder_close(encoder);

  Encoder whole(valid());
  alignas(ctv_unit) unsigned char room[sizeof(ctv_unit)];
  std::fill(std::begin(room), std::end(room), static_cast<unsigned char>(0xa5));
  auto* old = reinterpret_cast<ctv_unit*>(room);
  old->struct_size = offsetof(ctv_unit, key_frame);
  ASSERT_EQ(ctv_encoder_header(whole.get(), old), CTV_OK);
  for (size_t i = offsetof(ctv_unit, key_frame); i < sizeof room; ++i) EXPECT_EQ(room[i], 0xa5) << i;
}

TEST(StructSize, InitWritesNoMoreThanTheCallersHeaderKnows) {
  constexpr size_t kOld = offsetof(ctv_config, engine);
  alignas(ctv_config) unsigned char room[sizeof(ctv_config)];
  std::fill(std::begin(room), std::end(room), static_cast<unsigned char>(0xa5));
  auto* old = reinterpret_cast<ctv_config*>(room);
  ASSERT_EQ(ctv_config_init_sized(old, kOld, "paper"), CTV_OK);
  EXPECT_EQ(old->struct_size, kOld);
  for (size_t i = kOld; i < sizeof room; ++i) EXPECT_EQ(room[i], 0xa5) << i;
  ctv_decoder_config decoder{};
  for (const size_t size : {size_t{0}, sizeof(ctv_decoder_config) + 1}) {
    EXPECT_EQ(ctv_decoder_config_init_sized(&decoder, size), CTV_ERROR_ARGUMENT);
    EXPECT_TRUE(says("struct_size")) << ctv_last_error();
  }
}

TEST(Order, ReceiveBeforeSendSaysAgainAndAfterFlushEnd) {
  Encoder encoder(valid());
  ctv_unit unit = empty_unit();
  EXPECT_EQ(ctv_encoder_receive(encoder.get(), &unit), CTV_AGAIN);
  encoder.flush();
  EXPECT_EQ(ctv_encoder_receive(encoder.get(), &unit), CTV_END);
  Decoder decoder{decoder_config()};
  ctv_picture picture = make_picture(CTV_FORMAT_NONE, 0, 0);
  EXPECT_EQ(ctv_decoder_receive(decoder.get(), &picture), CTV_AGAIN);
  decoder.flush();
  EXPECT_EQ(ctv_decoder_receive(decoder.get(), &picture), CTV_END);
}

TEST(Order, SendAfterFlushIsRefused) {
  const Frame frame = moving_frame(CTV_FORMAT_I420, 32, 16, 0);
  Encoder encoder(valid());
  encoder.flush();
  const ctv_picture picture = picture_of(frame);
  EXPECT_EQ(ctv_encoder_send(encoder.get(), &picture), CTV_ERROR_STATE);
  EXPECT_TRUE(says("flush")) << ctv_last_error();
  const Stream stream = encode({frame}, valid());
  Decoder decoder{decoder_config()};
  decoder.flush();
  EXPECT_EQ(ctv_decoder_send(decoder.get(), stream.header.data(), stream.header.size()), CTV_ERROR_STATE);
}

TEST(Order, ASecondPictureWithoutReceivingTheFirstSaysAgain) {
  const Frame frame = moving_frame(CTV_FORMAT_I420, 32, 16, 0);
  Encoder encoder(valid());
  EXPECT_TRUE(encoder.send(picture_of(frame)));
  EXPECT_FALSE(encoder.send(picture_of(frame)));
  EXPECT_TRUE(encoder.receive().has_value());
  EXPECT_TRUE(encoder.send(picture_of(frame)));
}

TEST(Order, APacketBeforeTheHeaderIsRefused) {
  const Frame frame = moving_frame(CTV_FORMAT_I420, 32, 16, 0);
  const Stream stream = encode({frame}, valid());
  Decoder decoder{decoder_config()};
  EXPECT_EQ(ctv_decoder_send(decoder.get(), stream.packets[0].data(), stream.packets[0].size()),
            CTV_ERROR_STATE);
  EXPECT_TRUE(says("header")) << ctv_last_error();
}

TEST(Order, APredictedFrameBeforeAnyKeyFrameHasLostItsReference) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 32, 16, 2);
  const Stream stream = encode(clip, valid());
  Decoder decoder{decoder_config()};
  ASSERT_TRUE(decoder.send(stream.header));
  EXPECT_EQ(ctv_decoder_send(decoder.get(), stream.packets[1].data(), stream.packets[1].size()),
            CTV_ERROR_REFERENCE)
      << ctv_last_error();
}

TEST(Order, AReductionBeyondTheStreamsLevelsIsRefused) {
  const Stream stream = encode({moving_frame(CTV_FORMAT_I420, 32, 16, 0)},
                               config_for(moving_frame(CTV_FORMAT_I420, 32, 16, 0), "paper"));
  Decoder decoder{decoder_config(1, 2)};
  EXPECT_EQ(ctv_decoder_send(decoder.get(), stream.header.data(), stream.header.size()), CTV_ERROR_ARGUMENT);
  EXPECT_TRUE(says("reduction")) << ctv_last_error();
}

TEST(PictureChecks, NameTheField) {
  const Frame frame = moving_frame(CTV_FORMAT_I420, 32, 16, 0);
  Encoder encoder(valid());
  const auto refused = [&](const char* field, auto spoil) {
    ctv_picture p = picture_of(frame);
    spoil(p);
    EXPECT_EQ(ctv_encoder_send(encoder.get(), &p), CTV_ERROR_ARGUMENT) << field;
    EXPECT_TRUE(says(field)) << field << ": " << ctv_last_error();
  };
  refused("format", [](ctv_picture& p) { p.format = CTV_FORMAT_RGB8; });
  refused("format", [](ctv_picture& p) { p.format = number<ctv_format>(100); });
  refused("width", [](ctv_picture& p) { p.width = 31; });
  refused("height", [](ctv_picture& p) { p.height = 17; });
  refused("data[1]", [](ctv_picture& p) { p.data[1] = nullptr; });
  refused("stride[0]", [](ctv_picture& p) { p.stride[0] = 31; });
  refused("stride[2]", [](ctv_picture& p) { p.stride[2] = -15; });
  refused("memory", [](ctv_picture& p) { p.memory = CTV_MEMORY_CUDA; });
  EXPECT_TRUE(encoder.send(picture_of(frame))) << "and the encoder is as it was";
}

TEST(PlaneShapes, AreTheFormats) {
  for (int number = CTV_FORMAT_GRAY8; number <= CTV_FORMAT_I444_12; ++number) {
    const auto format = static_cast<ctv_format>(number);
    for (const auto& [w, h] : {std::pair{1, 1}, {2, 2}, {17, 33}, {854, 480}}) {
      const auto shapes = plane_shapes(format, w, h);
      for (int p = 0; p < 4; ++p) {
        EXPECT_EQ(ctv_plane_row_bytes(format, w, p), shapes[static_cast<size_t>(p)].row_bytes);
        EXPECT_EQ(ctv_plane_rows(format, h, p), shapes[static_cast<size_t>(p)].rows);
      }
    }
  }
  EXPECT_EQ(ctv_plane_rows(CTV_FORMAT_I420, 16, -1), 0U);
  EXPECT_EQ(ctv_plane_row_bytes(CTV_FORMAT_NONE, 16, 0), 0U);
}

TEST(LastError, BelongsToItsThreadAndIsClearedBySuccess) {
  Config c = valid();
  c.scales = 99;
  ctv_encoder* encoder = nullptr;
  EXPECT_EQ(ctv_encoder_open(&c, &encoder), CTV_ERROR_ARGUMENT);
  EXPECT_TRUE(says("scales"));
  std::thread([] { EXPECT_STREQ(ctv_last_error(), ""); }).join();
  EXPECT_TRUE(says("scales"));
  ctv_config fresh{};
  EXPECT_EQ(ctv_config_init(&fresh, "paper"), CTV_OK);
  EXPECT_STREQ(ctv_last_error(), "");
}

TEST(Log, GetsEveryErrorAsOneLineUntilItIsTakenAway) {
  std::vector<std::string> lines;
  ctv_set_log_callback(
      [](void* opaque, ctv_log_level, const char* message) {
        static_cast<std::vector<std::string>*>(opaque)->emplace_back(message);
      },
      &lines);
  ctv_config c{};
  EXPECT_EQ(ctv_config_init(&c, "nonsense"), CTV_ERROR_ARGUMENT);
  ctv_set_log_callback(nullptr, nullptr);
  EXPECT_EQ(ctv_config_init(&c, "nonsense"), CTV_ERROR_ARGUMENT);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("nonsense"), std::string::npos);
  EXPECT_EQ(lines[0].find('\n'), std::string::npos);
}

TEST(Devices, AreCountedWithAReasonWhereThereAreNone) {
  if (ctv_device_count() == 0) {
    EXPECT_STRNE(ctv_last_error(), "");
  }
  ctv_device_info info{};
  info.struct_size = sizeof info;
  EXPECT_LT(ctv_device_get_info(1000, &info), 0);
}

TEST(Devices, CudaAskedForWithoutADeviceIsADeviceError) {
  if (ctv_device_count() > 0) GTEST_SKIP() << "this machine has a device";
  Config c = valid();
  c.backend = CTV_BACKEND_CUDA;
  ctv_encoder* encoder = nullptr;
  EXPECT_EQ(ctv_encoder_open(&c, &encoder), CTV_ERROR_DEVICE);
  c.backend = CTV_BACKEND_AUTO;
  ASSERT_EQ(ctv_encoder_open(&c, &encoder), CTV_OK);
  EXPECT_NE(std::string(ctv_encoder_description(encoder)).find("cpu"), std::string::npos);
  ctv_encoder_close(encoder);
}

TEST(SideBySide, EncodersAndDecodersInThreadsGiveTheBytesThatEachGivesAlone) {
  struct Job {
    const char* preset;
    ctv_format format;
  };
  const std::vector<Job> jobs = {{"paper", CTV_FORMAT_I420},
                                 {"default", CTV_FORMAT_RGB8},
                                 {"lossless", CTV_FORMAT_I444},
                                 {"default", CTV_FORMAT_GRAY8}};
  std::vector<std::vector<Frame>> clips;
  std::vector<Stream> expected;
  for (const Job& job : jobs) {
    clips.push_back(moving_clip(job.format, 70, 50, 6));
    expected.push_back(encode(clips.back(), config_for(clips.back()[0], job.preset)));
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < jobs.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 2; ++round) {
        const Stream stream = encode(clips[i], config_for(clips[i][0], jobs[i].preset));
        if (!(stream == expected[i])) ++wrong;
        if (decode(stream) != decode(expected[i])) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(StageTimes, TellWhatHasRun) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, 3);
  Encoder encoder(config_for(clip[0], "default"));
  for (const Frame& frame : clip) {
    ASSERT_TRUE(encoder.send(picture_of(frame)));
    ASSERT_TRUE(encoder.receive().has_value());
  }
  size_t count = 0;
  ASSERT_EQ(ctv_encoder_stage_times(encoder.get(), nullptr, 0, &count), CTV_OK);
  ASSERT_GT(count, 3U);
  std::vector<ctv_stage_time> times(count);
  ASSERT_EQ(ctv_encoder_stage_times(encoder.get(), times.data(), count, &count), CTV_OK);
  for (const ctv_stage_time& t : times) {
    EXPECT_NE(t.name, nullptr);
    EXPECT_GT(t.calls, 0U) << t.name;
    EXPECT_GE(t.seconds, 0.0) << t.name;
  }
}

}  // namespace
}  // namespace ctv::test
