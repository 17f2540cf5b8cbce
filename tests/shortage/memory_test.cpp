// SPDX-License-Identifier: BSD-3-Clause
// What a decoder is said to need is a bound on the heap, for all streams, threads and frames in flight.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "codec/pipeline/stream.hpp"
#include "tests/shortage/heap.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

struct Case {
  std::string preset;
  int width, height;
  ctv_format format = CTV_FORMAT_I420;
  int threads = 1, flight = 1;
  ctv_entropy_coding entropy_coding = CTV_ENTROPY_TILES;
  int scales = 0;  // 0: the preset's
  int directions = 0;
  int slots = 1;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.preset << ' ' << c.width << 'x' << c.height << " format " << c.format << ", " << c.threads
       << " threads, " << c.flight << " in flight, entropy coding " << c.entropy_coding << ", scales "
       << c.scales << ", directions " << c.directions << ", slots " << c.slots;
}

Stream stream_of(const Case& c) {
  std::vector<Frame> clip;
  for (uint64_t seed = 1; seed <= 2; ++seed) clip.push_back(noise_frame(c.format, c.width, c.height, seed));
  Config config = config_for(clip[0], c.preset, 1);
  config.qp = 8;
  config.rdoq = 0;
  config.slots = config.prediction == CTV_PREDICTION_PICTURE ? c.slots : 1;
  config.entropy_coding = c.entropy_coding;
  if (config.transform == CTV_TRANSFORM_CONTOURLET) {
    if (c.scales > 0) config.scales = c.scales;
    std::fill(std::begin(config.directions), std::end(config.directions), 0);
    std::fill_n(config.directions, std::min(config.scales, 2), c.directions);
    config.filter_taps = 12;
  }
  return encode(clip, config);
}

// The most that a decoder takes for the stream, without the packets.
size_t peak_of(const Stream& stream, const Case& c) {
  DecoderConfig config = decoder_config(c.threads);
  config.frames_in_flight = c.flight;
  config.limits = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
  size_t packets = 0;
  for (const Bytes& packet : stream.packets) packets = std::max(packets, packet.size());
  const size_t before = heap_bytes();
  reset_heap_peak();
  {
    Decoder decoder(config);
    int shown = 0;
    const auto receive = [&] {
      while (decoder.receive()) ++shown;
    };
    const auto send = [&](const Bytes& unit) {
      while (!decoder.send(unit)) receive();
    };
    send(stream.header);
    for (int round = 0; round < 3; ++round) {
      for (const Bytes& packet : stream.packets) send(packet);
    }
    decoder.flush();
    receive();
    EXPECT_EQ(shown, 6);
  }
  const size_t peak = heap_peak() - before;
  return peak - std::min(peak, 2 * static_cast<size_t>(c.flight) * packets);
}

void expect_bound(const Case& c) {
  const Stream stream = stream_of(c);
  const auto header = read_sequence_header(stream.header);
  ASSERT_TRUE(header.ok());
  const uint64_t bound = decoder_memory(make_stream(*header), c.flight, c.threads);
  const size_t peak = peak_of(stream, c);
  EXPECT_LE(peak, bound) << testing::PrintToString(c);
  EXPECT_GE(peak + (2U << 20), bound / 4) << testing::PrintToString(c) << ": far from the truth";
  if (c.threads == 1 && c.flight == 1) {
    EXPECT_EQ(parse_header(stream.header).decoder_memory, bound);
  }
}

TEST(DecoderMemory, IsABoundForPicturesOfAnyShape) {
  const std::pair<int, int> shapes[] = {{1, 19633}, {65535, 1}, {1, 1}, {3, 4001}, {4001, 3}, {320, 240}};
  (void)peak_of(stream_of({"default", 64, 48}),
                {"default", 64, 48, CTV_FORMAT_I420, 4, 3});  // starts threads
  for (const char* preset : {"default", "paper", "fastest", "lossless", "dct8x8", "h264_4x4"}) {
    for (const auto& [width, height] : shapes) {
      const int directions = std::string(preset) == "paper" ? 8 : 0;
      expect_bound({preset, width, height, CTV_FORMAT_I420, 1, 1, CTV_ENTROPY_TILES, 0, directions});
    }
  }
}

TEST(DecoderMemory, IsABoundForRandomStreams) {
  Random random(12);
  constexpr ctv_format kFormats[] = {CTV_FORMAT_GRAY8, CTV_FORMAT_I420, CTV_FORMAT_I422, CTV_FORMAT_I444,
                                     CTV_FORMAT_RGB8};
  constexpr const char* kPresets[] = {"default", "paper", "fast", "slow", "h264_8x8"};
  for (int round = 0; round < 60; ++round) {
    const int narrow = random.between(1, 40);
    const int any = random.between(1, 3000);
    const bool wide = random.between(0, 1) != 0;
    const std::string preset = kPresets[random.between(0, 4)];
    const int scales = preset == "paper" ? random.between(1, 2) : random.between(1, 5);
    expect_bound({preset, wide ? any : narrow, wide ? narrow : any, kFormats[random.between(0, 4)],
                  random.between(1, 4), random.between(1, 4),
                  number<ctv_entropy_coding>(random.between(0, 1)), scales,
                  random.between(0, 1) * (1 << random.between(1, 3)), random.between(1, 8)});
    if (HasFailure()) FAIL() << "round " << round;
  }
}

}  // namespace
}  // namespace ctv::test
