// SPDX-License-Identifier: BSD-3-Clause
// ctv_limits.max_memory is a bound on the heap, for all streams, threads and frames in flight.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/shortage/heap.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/random.hpp"
#include "tests/support/repair.hpp"

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
  if (c.scales > 0) config.scales = c.scales;
  std::fill(std::begin(config.directions), std::end(config.directions), 0);
  std::fill_n(config.directions, std::min(config.scales, 2), c.directions);
  return encode(clip, config);
}

struct Run {
  size_t peak = 0;   // of the heap, without `apart`
  size_t apart = 0;  // packets, which are held up to twice, and the rows of threads
  int shown = 0;
};

// Sends the stream three times, whatever is refused.
Run run(const Stream& stream, const Case& c, uint64_t limit) {
  DecoderConfig config = decoder_config(c.threads);
  config.frames_in_flight = c.flight;
  config.limits = {UINT64_MAX, limit, UINT64_MAX};
  size_t packets = 0;
  for (const Bytes& packet : stream.packets) packets = std::max(packets, packet.size());
  const size_t before = heap_bytes();
  reset_heap_peak();
  Run result;
  {
    const Decoder decoder(config);
    ctv_picture picture;
    const auto noted = [&](ctv_status status) {
      EXPECT_TRUE(status >= 0 || status == CTV_ERROR_LIMIT || status == CTV_ERROR_STATE ||
                  status == CTV_ERROR_REFERENCE)
          << ctv_last_error();
      return status;
    };
    const auto receive = [&] {
      ctv_picture_init(&picture);
      const ctv_status status = noted(ctv_decoder_receive(decoder.get(), &picture));
      result.shown += status == CTV_OK ? 1 : 0;
      return status == CTV_OK || status < 0;
    };
    const auto send = [&](const Bytes& unit) {
      while (noted(ctv_decoder_send(decoder.get(), unit.data(), unit.size())) == CTV_AGAIN) receive();
    };
    send(stream.header);
    for (int round = 0; round < 3; ++round) {
      for (const Bytes& packet : stream.packets) send(packet);
    }
    (void)ctv_decoder_flush(decoder.get());
    while (receive()) {
    }
  }
  result.apart = 2 * static_cast<size_t>(c.flight) * packets + static_cast<size_t>(12 * c.threads * c.width);
  const size_t peak = heap_peak() - before;
  result.peak = peak - std::min(peak, result.apart);
  return result;
}

void expect_bound(const Case& c) {
  const Stream stream = stream_of(c);
  const Run free = run(stream, c, UINT64_MAX);
  EXPECT_EQ(free.shown, 6);
  for (const size_t eighths : {1, 3, 6, 8}) {
    const size_t limit = std::max(free.peak * eighths / 8, size_t{1} << 16);
    EXPECT_LE(run(stream, c, limit).peak, limit) << testing::PrintToString(c);
  }
  // Coders by runs hold packets once.
  const size_t ample =
      free.peak + free.peak / 8 + free.apart / 2 + (size_t{5 + static_cast<size_t>(c.flight)} << 18);
  const Run bounded = run(stream, c, ample);
  EXPECT_EQ(bounded.shown, 6) << testing::PrintToString(c) << ": more is counted than is held";
  EXPECT_LE(bounded.peak, ample) << testing::PrintToString(c);
}

TEST(DecoderMemory, IsABoundForPicturesOfAnyShape) {
  const std::pair<int, int> shapes[] = {{1, 19633}, {65535, 1}, {1, 1}, {3, 4001}, {4001, 3}, {320, 240}};
  (void)run(stream_of({"default", 64, 48}), {"default", 64, 48, CTV_FORMAT_I420, 4, 3},
            UINT64_MAX);  // starts threads
  for (const char* preset : {"default", "paper", "fastest", "lossless"}) {
    for (const auto& [width, height] : shapes) {
      const int directions = std::string(preset) == "paper" ? 8 : 0;
      expect_bound({preset, width, height, CTV_FORMAT_I420, 1, 1, CTV_ENTROPY_TILES, 0, directions});
    }
  }
}

TEST(DecoderMemory, IsABoundForRandomStreams) {
  Random random(12);
  constexpr ctv_format kFormats[] = {CTV_FORMAT_GRAY8, CTV_FORMAT_I420,    CTV_FORMAT_I422,   CTV_FORMAT_I444,
                                     CTV_FORMAT_RGB8,  CTV_FORMAT_I420_10, CTV_FORMAT_I444_10};
  constexpr const char* kPresets[] = {"default", "paper", "fast", "slow"};
  for (int round = 0; round < 60; ++round) {
    const int narrow = random.between(1, 40);
    const int any = random.between(1, 3000);
    const bool wide = random.between(0, 1) != 0;
    const std::string preset = kPresets[random.between(0, 3)];
    const int scales = preset == "paper" ? random.between(1, 2) : random.between(1, 5);
    expect_bound({preset, wide ? any : narrow, wide ? narrow : any, kFormats[random.between(0, 6)],
                  random.between(1, 4), random.between(1, 4),
                  number<ctv_entropy_coding>(random.between(0, 1)), scales,
                  random.between(0, 1) * (1 << random.between(1, 3)), random.between(1, 8)});
    if (HasFailure()) FAIL() << "round " << round;
  }
}

// Whatever a header says: an error, or a decoder within the limit.
TEST(DecoderMemory, IsABoundForHostileHeaders) {
  const std::pair<int, int> sizes[] = {{65535, 65535}, {65535, 1},   {1, 65535},
                                       {40000, 9000},  {5000, 5000}, {1500, 900}};
  int refused = 0, taken = 0;
  for (const ctv_format format : {CTV_FORMAT_GRAY8, CTV_FORMAT_I420, CTV_FORMAT_I444_12, CTV_FORMAT_RGB8}) {
    for (const char* preset : {"default", "paper"}) {
      for (const int slots : {1, 8}) {
        Bytes header = stream_of({preset, 16, 16, format, 1, 1, CTV_ENTROPY_TILES, 0, 0, slots}).header;
        for (const auto& [width, height] : sizes) {
          header = resized(header, width, height);
          for (const size_t limit : {size_t{2} << 20, size_t{30} << 20, size_t{300} << 20}) {
            DecoderConfig config = decoder_config(2);
            config.frames_in_flight = 2;
            config.limits = {UINT64_MAX, limit, UINT64_MAX};
            const size_t before = heap_bytes();
            reset_heap_peak();
            const Decoder decoder(config);
            const ctv_status status = ctv_decoder_send(decoder.get(), header.data(), header.size());
            EXPECT_LE(heap_peak() - before, limit);
            EXPECT_TRUE(status == CTV_OK || status == CTV_ERROR_LIMIT) << ctv_last_error();
            ++(status == CTV_OK ? taken : refused);
            if (status == CTV_OK) continue;
            EXPECT_LE(heap_bytes() - before, size_t{1} << 17) << "it is given back";
          }
        }
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(taken, 50);
}

}  // namespace
}  // namespace ctv::test
