// SPDX-License-Identifier: BSD-3-Clause
// Times of the device's coder of tiles; run by hand with --gtest_also_run_disabled_tests.
#include <cstdio>

#include "codec/config/presets.hpp"
#include "codec/pipeline/stream.hpp"
#include "tests/cuda/tile_coding.hpp"

namespace ctv::test {
namespace {

// The components of a stream without a lowpass, and levels that come in clusters, fewer in finer subbands.
TEST_F(CudaTiles, DISABLED_PrintTimes) {
  for (const int density : {1, 4, 16, 100}) {
    ctv_config config;
    ASSERT_EQ(ctv_config_init(&config, "default"), CTV_OK);
    config.width = 1920;
    config.height = 1080;
    config.format = CTV_FORMAT_I420;
    const auto header = make_sequence_header(config);
    ASSERT_TRUE(header.ok());
    const Stream stream = make_stream(*header);
    Frame f;
    for (const Component& c : make_components(stream.picture, header->grouping)) {
      Sets sets = make_tile_sets(stream.picture, c);
      const auto lowpass = [](const TileSet& s) { return s.lowpass; };
      if (std::none_of(sets.begin(), sets.end(), lowpass)) f.components.push_back(std::move(sets));
    }
    for (size_t p = 0; p < 3; ++p) f.levels[p].assign(stream.picture.subbands[p].num_coefficients, Level{0});
    size_t tiles = 0;
    for (const Sets& sets : f.components) {
      tiles += tiles_in(sets);
      for (const TileSet& s : sets) {
        const auto levels_of_plane = f.levels[static_cast<size_t>(s.plane)].size();
        const auto fineness = static_cast<int>(levels_of_plane / s.levels());  // small in the finest
        for (size_t b = 0; b < static_cast<size_t>(s.bands); ++b) {
          Level* const band = f.levels[static_cast<size_t>(s.plane)].data() + s.offsets[b];
          int busy = 0;
          for (size_t i = 0; i < s.levels(); ++i) {
            if (i % 8 == 0) busy = between(0, 99) < density * (1 + 32 / (1 + 64 / fineness)) ? 2 : 60;
            if (between(0, busy) == 0)
              band[i] = static_cast<Level>(between(-1, 1) * between(1, 1 + busy / 3));
          }
        }
      }
    }
    const CodingPlan plan = plan_of(f.components);
    cuda::TileEncoder encoder;
    ASSERT_TRUE(ok(encoder.initialise(*device_, plan)));
    cuda::TileDecoder decoder;
    ASSERT_TRUE(ok(decoder.initialise(*device_, plan)));
    const auto levels = copied(f.levels);
    const auto time = [&](auto work) {
      cudaEvent_t begin = nullptr;
      cudaEvent_t end = nullptr;
      EXPECT_EQ(cudaEventCreate(&begin), cudaSuccess);
      EXPECT_EQ(cudaEventCreate(&end), cudaSuccess);
      float least = 1e9F;
      for (int i = 0; i < 30; ++i) {
        EXPECT_EQ(cudaEventRecord(begin, device_->stream()), cudaSuccess);
        work();
        EXPECT_EQ(cudaEventRecord(end, device_->stream()), cudaSuccess);
        EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
        float milliseconds = 0;
        EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
        least = std::min(least, milliseconds);
      }
      cudaEventDestroy(begin);
      cudaEventDestroy(end);
      return 1000.0 * static_cast<double>(least);
    };
    const double encode =
        time([&] { EXPECT_TRUE(ok(encoder.encode(*device_, levels, {}, device_->stream()))); });
    std::vector<std::vector<uint8_t>> bytes;
    size_t total = 0;
    size_t pieces = 0;
    for (size_t c = 0; c < f.components.size(); ++c) {
      bytes.push_back(with_index(encoder.coded(c)));
      total += bytes.back().size();
      pieces += encoder.coded(c).pieces.size();
    }
    Levels back = f.levels;
    ASSERT_EQ(decode(decoder, f.components, bytes, {}, back), std::vector<bool>(f.components.size(), true));
    for (size_t p = 0; p < 3; ++p) ASSERT_EQ(back[p], f.levels[p]);
    const std::array<Level*, 3> to = {on_device(0), on_device(1), on_device(2)};
    const double upload = time([&] { EXPECT_TRUE(ok(decoder.upload(*device_, device_->stream()))); });
    const double decode = time([&] { EXPECT_TRUE(ok(decoder.decode(*device_, to, {}, device_->stream()))); });
    std::printf(
        "1920x1080: %zu tiles, %zu pieces, %zu bytes: encoding %.1f us, upload %.1f us, decoding %.1f us\n",
        tiles, pieces, total, encode, upload, decode);
  }
}

}  // namespace
}  // namespace ctv::test
