// SPDX-License-Identifier: BSD-3-Clause
// Several sizes of one capture: each is what an encoder of its own makes of the scaled pictures, and a
// receiver can go from one to another at key frames.
#include <ctv/simulcast.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/support/backends.hpp"
#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

constexpr int kFrames = 8;

struct Close {
  void operator()(ctv_simulcast* s) const { ctv_simulcast_close(s); }
};
using Simulcast = std::unique_ptr<ctv_simulcast, Close>;

Simulcast open(const ctv_config& config, int sizes, const int64_t* bitrates = nullptr) {
  ctv_simulcast* s = nullptr;
  EXPECT_EQ(ctv_simulcast_open(&config, bitrates, sizes, &s), CTV_OK) << ctv_last_error();
  return Simulcast(s);
}

/// The filter by its definition: 6x6 weights for each sample, edges repeated.
std::vector<uint8_t> halved(const std::vector<uint8_t>& in, int rows, int cols, int step) {
  constexpr std::array<int, 6> kTaps = {-3, 7, 28, 28, 7, -3};
  std::vector<uint8_t> out;
  for (int r = 0; r < (rows + 1) / 2; ++r) {
    for (int c = 0; c < (cols + 1) / 2 * step; ++c) {
      int sum = 0;
      for (int i = 0; i < 36; ++i) {
        const int y = std::clamp(2 * r - 2 + i / 6, 0, rows - 1);
        const int x = std::clamp(c / step * 2 - 2 + i % 6, 0, cols - 1);
        sum += kTaps[static_cast<size_t>(i / 6)] * kTaps[static_cast<size_t>(i % 6)] *
               in[static_cast<size_t>((y * cols + x) * step + c % step)];
      }
      out.push_back(
          static_cast<uint8_t>(std::clamp(static_cast<int>(std::floor(sum / 4096.0 + 0.5)), 0, 255)));
    }
  }
  return out;
}

/// The same of words; sums of columns are shifted to 16 bits.
std::vector<uint8_t> halved_words(const std::vector<uint8_t>& in, int rows, int cols, int step, int bits,
                                  int unused) {
  constexpr std::array<int, 6> kTaps = {-3, 7, 28, 28, 7, -3};
  const int shift = bits - 8;
  std::vector<uint8_t> out;
  for (int r = 0; r < (rows + 1) / 2; ++r) {
    for (int c = 0; c < (cols + 1) / 2 * step; ++c) {
      int sum = 0;
      for (int i = 0; i < 6; ++i) {
        int column = 0;
        for (int k = 0; k < 6; ++k) {
          const int y = std::clamp(2 * r - 2 + k, 0, rows - 1);
          const int x = std::clamp(c / step * 2 - 2 + i, 0, cols - 1);
          const auto at = 2 * static_cast<size_t>((y * cols + x) * step + c % step);
          column += kTaps[static_cast<size_t>(k)] * ((in[at] | in[at + 1] << 8) >> unused);
        }
        sum += kTaps[static_cast<size_t>(i)] * (column >> shift);
      }
      const int word = std::clamp((sum + (2048 >> shift)) >> (12 - shift), 0, (1 << bits) - 1) << unused;
      out.push_back(static_cast<uint8_t>(word));
      out.push_back(static_cast<uint8_t>(word >> 8));
    }
  }
  return out;
}

Frame halved(const Frame& in) {
  Frame out = make_frame(in.format, (in.width + 1) / 2, (in.height + 1) / 2);
  const bool bgr = in.format == CTV_FORMAT_RGB8 || in.format == CTV_FORMAT_RGBA8;
  const auto shapes = plane_shapes(in.format, in.width, in.height);
  for (size_t p = 0; p < shapes.size() && shapes[p].rows > 0; ++p) {
    int step = 1;
    if (bgr) step = in.format == CTV_FORMAT_RGB8 ? 3 : 4;
    if (with_8_bits(in.format) == CTV_FORMAT_NV12 && p == 1) step = 2;
    if (bits_of(in.format) > 8) {
      out.planes[p] = halved_words(in.planes[p], static_cast<int>(shapes[p].rows),
                                   static_cast<int>(shapes[p].row_bytes) / (2 * step), step,
                                   bits_of(in.format), in.format == CTV_FORMAT_P010 ? 6 : 0);
      continue;
    }
    out.planes[p] = halved(in.planes[p], static_cast<int>(shapes[p].rows),
                           static_cast<int>(shapes[p].row_bytes) / step, step);
  }
  return out;
}

/// The clip of each size, from the smallest.
std::vector<std::vector<Frame>> sizes_of(const std::vector<Frame>& clip, int sizes) {
  std::vector<std::vector<Frame>> all(static_cast<size_t>(sizes));
  all.back() = clip;
  for (size_t i = all.size() - 1; i-- > 0;) {
    for (const Frame& frame : all[i + 1]) all[i].push_back(halved(frame));
  }
  return all;
}

struct Packet {
  Bytes bytes;
  int64_t number, timestamp;
  bool key;
};

/// Receives what is ready of one size.
std::vector<Packet> receive(ctv_simulcast* s, int size) {
  std::vector<Packet> packets;
  Unit unit;
  while (ctv_encoder_receive(ctv_simulcast_encoder(s, size), &unit) == CTV_OK) {
    packets.push_back(
        {{unit.data, unit.data + unit.size}, unit.frame_number, unit.timestamp, unit.key_frame != 0});
  }
  return packets;
}

Bytes header_of(ctv_simulcast* s, int size) {
  Unit unit;
  EXPECT_EQ(ctv_encoder_header(ctv_simulcast_encoder(s, size), &unit), CTV_OK);
  return {unit.data, unit.data + unit.size};
}

Config config_of(const Frame& frame) {
  Config config = config_for(frame, "default", 1);
  config.key_interval = 0;
  config.slots = 3;
  return config;
}

/// One packet of each size that is on.
std::vector<std::vector<Packet>> code(ctv_simulcast* s, int sizes, const Frame& frame) {
  const ctv_picture picture = picture_of(frame);
  EXPECT_EQ(ctv_simulcast_send(s, &picture), CTV_OK) << ctv_last_error();
  std::vector<std::vector<Packet>> packets;
  for (int i = 0; i < sizes; ++i) packets.push_back(receive(s, i));
  return packets;
}

class SimulcastBytes : public testing::TestWithParam<std::tuple<ctv_backend, ctv_format, int>> {};

TEST_P(SimulcastBytes, AreThoseOfTheScaledPictures) {
  const auto [backend, format, in_flight] = GetParam();
  if (backend == CTV_BACKEND_CUDA && ctv_device_count() <= 0) GTEST_SKIP() << "no device";
  for (const auto& [width, height] : {std::pair{96, 64}, {83, 61}, {5, 1}}) {
    const auto clips = sizes_of(moving_clip(format, width, height, kFrames), CTV_SIMULCAST_SIZES);
    Config config = config_of(clips.back()[0]);
    config.backend = backend;
    config.frames_in_flight = in_flight;
    config.threads = in_flight;
    const int64_t bitrates[] = {60000, 150000, 400000};
    const Simulcast s = open(config, CTV_SIMULCAST_SIZES, bitrates);
    std::vector<Stream> streams(clips.size());
    const auto take = [&] {
      for (int i = 0; i < CTV_SIMULCAST_SIZES; ++i) {
        for (Packet& p : receive(s.get(), i))
          streams[static_cast<size_t>(i)].packets.push_back(std::move(p.bytes));
      }
    };
    for (const Frame& frame : clips.back()) {
      const ctv_picture picture = picture_of(frame);
      ctv_status status = CTV_AGAIN;
      while ((status = ctv_simulcast_send(s.get(), &picture)) == CTV_AGAIN) take();
      ASSERT_EQ(status, CTV_OK) << ctv_last_error();
    }
    for (int i = 0; i < CTV_SIMULCAST_SIZES; ++i) ctv_encoder_flush(ctv_simulcast_encoder(s.get(), i));
    take();
    for (size_t i = 0; i < clips.size(); ++i) {
      streams[i].header = header_of(s.get(), static_cast<int>(i));
      Config alone = config;
      alone.width = clips[i][0].width;
      alone.height = clips[i][0].height;
      alone.bitrate = bitrates[i];
      alone.backend = CTV_BACKEND_CPU;
      EXPECT_EQ(streams[i], encode(clips[i], alone)) << width << "x" << height << ", size " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, SimulcastBytes,
                         testing::Combine(testing::ValuesIn(built_backends()),
                                          testing::Values(CTV_FORMAT_GRAY8, CTV_FORMAT_I420, CTV_FORMAT_NV12,
                                                          CTV_FORMAT_I422, CTV_FORMAT_RGB8, CTV_FORMAT_RGBA8,
                                                          CTV_FORMAT_P010, CTV_FORMAT_I420_12),
                                          testing::Values(1, 3)));

// One decoder follows a server that forwards the sizes in turn, and has the pictures of each.
TEST(SimulcastCall, ReceiverSwitchesAtKeyFrames) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 83, 61, 3 * kFrames);
  const Simulcast s = open(config_of(clip[0]), 3);
  Decoder receiver(decoder_config(1));
  std::array<std::optional<Decoder>, 3> own;
  for (int i = 0; i < 3; ++i) {
    own[static_cast<size_t>(i)].emplace(decoder_config(1));
    EXPECT_TRUE(own[static_cast<size_t>(i)]->send(header_of(s.get(), i)));
  }
  int forwarded = -1;
  for (int n = 0; n < static_cast<int>(clip.size()); ++n) {
    const int wanted = n / kFrames;
    if (n % kFrames == 3) {
      EXPECT_EQ(ctv_simulcast_request_key_frame(s.get()), CTV_OK);
    }
    const auto packets = code(s.get(), 3, clip[static_cast<size_t>(n)]);
    for (int i = 0; i < 3; ++i) {
      const auto& list = packets[static_cast<size_t>(i)];
      ASSERT_EQ(list.size(), 1U);
      EXPECT_EQ(list[0].number, n);
      EXPECT_EQ(list[0].key, n == 0 || n % kFrames == 3) << "all sizes at once";
      EXPECT_TRUE(own[static_cast<size_t>(i)]->send(list[0].bytes));
    }
    if (packets[static_cast<size_t>(wanted)][0].key) {
      if (wanted != forwarded) {
        EXPECT_TRUE(receiver.send(header_of(s.get(), wanted)));
      }
      forwarded = wanted;
    }
    EXPECT_TRUE(receiver.send(packets[static_cast<size_t>(forwarded)][0].bytes));
    const auto picture = receiver.receive();
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->frame_number, n);
    for (size_t i = 0; i < own.size(); ++i) {
      const auto other = own[i]->receive();
      ASSERT_TRUE(other);
      if (static_cast<int>(i) == forwarded) {
        EXPECT_EQ(copy_of(*picture), copy_of(*other));
      }
    }
  }
  EXPECT_EQ(forwarded, 2);
}

// A size that was off begins with a key frame that has the number and the time of the capture.
TEST(SimulcastCall, SizesGoOffAndOn) {
  const auto clips = sizes_of(moving_clip(CTV_FORMAT_I420, 64, 48, 2 * kFrames), 2);
  const Simulcast s = open(config_of(clips[1][0]), 2);
  ASSERT_EQ(ctv_encoder_set_quantiser(ctv_simulcast_encoder(s.get(), 0), 37, 0), CTV_OK);
  ASSERT_EQ(ctv_encoder_set_temporal_layers(ctv_simulcast_encoder(s.get(), 1), 2), CTV_OK);
  Decoder receiver(decoder_config(1));
  EXPECT_TRUE(receiver.send(header_of(s.get(), 0)));
  std::vector<Frame> shown;
  for (int n = 0; n < 2 * kFrames; ++n) {
    const bool small = n < 3 || n >= 9;
    const bool large = n < 5;
    if (n == 3 || n == 9) {
      EXPECT_EQ(ctv_simulcast_set_active(s.get(), 0, small), CTV_OK);
    }
    if (n == 5) {
      EXPECT_EQ(ctv_simulcast_set_active(s.get(), 1, 0), CTV_OK);
    }
    const auto packets = code(s.get(), 2, clips[1][static_cast<size_t>(n)]);
    ASSERT_EQ(packets[0].size(), small ? 1U : 0U) << n;
    ASSERT_EQ(packets[1].size(), large ? 1U : 0U) << n;
    if (!small) continue;
    EXPECT_EQ(packets[0][0].number, n);
    EXPECT_EQ(packets[0][0].timestamp, int64_t{n} * config_of(clips[1][0]).fps_den);
    EXPECT_EQ(packets[0][0].key, n == 0 || n == 9);
    EXPECT_TRUE(receiver.send(packets[0][0].bytes));
    const auto picture = receiver.receive();
    ASSERT_TRUE(picture);
    shown.push_back(copy_of(*picture));
  }
  // Pictures are those of streams that begin there, with the settings that the size had.
  Config alone = config_of(clips[0][0]);
  alone.qp = 37;
  std::vector<Frame> expected;
  for (const auto& [from, to] : {std::pair{0, 3}, {9, 2 * kFrames}}) {
    const auto part = decode(encode({clips[0].begin() + from, clips[0].begin() + to}, alone));
    expected.insert(expected.end(), part.begin(), part.end());
  }
  EXPECT_EQ(shown, expected);
}

// Reports and settings of one size are of no concern to the other.
TEST(SimulcastCall, SizesAreDrivenApart) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, kFrames);
  Config config = config_of(clip[0]);
  config.min_key_distance = 100;
  const Simulcast s = open(config, 2);
  for (int n = 0; n < kFrames; ++n) {
    if (n == 4) {
      EXPECT_EQ(ctv_encoder_lost(ctv_simulcast_encoder(s.get(), 0), 0), CTV_OK);
    }
    if (n == 6) {
      EXPECT_EQ(ctv_simulcast_request_key_frame(s.get()), CTV_OK);
    }
    const auto packets = code(s.get(), 2, clip[static_cast<size_t>(n)]);
    EXPECT_EQ(packets[0][0].key, n == 0 || n == 6) << n;
    EXPECT_EQ(packets[1][0].key, n == 0 || n == 6) << n;
  }
}

TEST(SimulcastRules, RefusedPicturesReachNoSize) {
  const auto clips = sizes_of(moving_clip(CTV_FORMAT_I420, 64, 48, 3), 2);
  const Simulcast s = open(config_of(clips[1][0]), 2);
  const auto refused = [&](auto change) {
    ctv_picture picture = picture_of(clips[1][0]);
    change(picture);
    EXPECT_EQ(ctv_simulcast_send(s.get(), &picture), CTV_ERROR_ARGUMENT);
    EXPECT_STRNE(ctv_last_error(), "");
  };
  refused([](ctv_picture& p) { p.width = 32; });
  refused([](ctv_picture& p) { p.data[1] = nullptr; });
  refused([](ctv_picture& p) { p.format = CTV_FORMAT_GRAY8; });
  refused([](ctv_picture& p) { p.memory = CTV_MEMORY_CUDA; });
  refused([](ctv_picture& p) { p.struct_size = 0; });
  const ctv_picture picture = picture_of(clips[1][0]);
  EXPECT_EQ(ctv_simulcast_send(s.get(), &picture), CTV_OK);
  EXPECT_EQ(receive(s.get(), 1).size(), 1U);
  EXPECT_EQ(ctv_simulcast_send(s.get(), &picture), CTV_AGAIN) << "size 0 has a packet to receive";
  EXPECT_EQ(receive(s.get(), 1).size(), 0U);
  EXPECT_EQ(ctv_simulcast_set_active(s.get(), 0, 0), CTV_OK);
  EXPECT_EQ(ctv_simulcast_send(s.get(), &picture), CTV_OK);
  EXPECT_EQ(receive(s.get(), 1).size(), 1U);
  EXPECT_EQ(ctv_simulcast_set_active(s.get(), 0, 1), CTV_OK);
  EXPECT_EQ(ctv_simulcast_send(s.get(), &picture), CTV_AGAIN) << "it still has";
  EXPECT_EQ(receive(s.get(), 0).size(), 1U);
  const auto packets = code(s.get(), 2, clips[1][1]);
  EXPECT_EQ(packets[0].at(0).number, 2);
  EXPECT_EQ(packets[1].at(0).number, 2);
  EXPECT_EQ(ctv_encoder_flush(ctv_simulcast_encoder(s.get(), 0)), CTV_OK);
  EXPECT_EQ(ctv_simulcast_send(s.get(), &picture), CTV_ERROR_STATE);
}

TEST(SimulcastRules, WrongCallsAreRefused) {
  const Frame frame = moving_frame(CTV_FORMAT_I420, 64, 48, 0);
  Config config = config_of(frame);
  ctv_simulcast* s = nullptr;
  EXPECT_EQ(ctv_simulcast_open(&config, nullptr, 0, &s), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_simulcast_open(&config, nullptr, CTV_SIMULCAST_SIZES + 1, &s), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_simulcast_open(nullptr, nullptr, 2, &s), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_simulcast_open(&config, nullptr, 2, nullptr), CTV_ERROR_ARGUMENT);
  const int64_t bitrates[] = {-1, 100000};
  EXPECT_EQ(ctv_simulcast_open(&config, bitrates, 2, &s), CTV_ERROR_ARGUMENT);
  config.width = 0;
  EXPECT_EQ(ctv_simulcast_open(&config, nullptr, 2, &s), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(s, nullptr);
  const Simulcast two = open(config_of(frame), 2);
  EXPECT_EQ(ctv_simulcast_encoder(two.get(), -1), nullptr);
  EXPECT_EQ(ctv_simulcast_encoder(two.get(), 2), nullptr);
  EXPECT_EQ(ctv_simulcast_encoder(nullptr, 0), nullptr);
  EXPECT_EQ(ctv_simulcast_set_active(two.get(), 2, 1), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_simulcast_set_active(nullptr, 0, 1), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_simulcast_request_key_frame(nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_simulcast_send(two.get(), nullptr), CTV_ERROR_ARGUMENT);
  const ctv_picture picture = picture_of(frame);
  EXPECT_EQ(ctv_simulcast_send(nullptr, &picture), CTV_ERROR_ARGUMENT);
  ctv_simulcast_close(nullptr);
}

}  // namespace
}  // namespace ctv::test
