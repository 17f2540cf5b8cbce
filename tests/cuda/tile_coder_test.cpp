// SPDX-License-Identifier: BSD-3-Clause
// The device's coder of tiles against the CPU's: equal bytes, equal levels, equal verdicts on damaged bytes.
#include "tests/cuda/tile_coding.hpp"

namespace ctv::test {
namespace {

TEST_F(CudaTiles, BytesAndLevelsAreThoseOfTheCpu) {
  const int trials = only_small() ? 4 : 60;
  for (int trial = 0; trial < trials && !HasFailure(); ++trial) {
    const bool large = trial % 12 == 11 && !only_small();
    Frame f = some_frame(large ? 700 : 90, large ? 900 : 120);
    const CodingPlan plan = plan_of(f.components);
    cuda::TileEncoder encoder;
    ASSERT_TRUE(ok(encoder.initialise(*device_, plan)));
    cuda::TileDecoder decoder;
    ASSERT_TRUE(ok(decoder.initialise(*device_, plan)));
    for (const int kind : {6, 3, 0, 1, 2, 4, 5}) {
      if (large && kind == 4) continue;
      SCOPED_TRACE("kind " + std::to_string(kind) + " of trial " + std::to_string(trial));
      fill(f.components, f.levels, kind);
      ASSERT_TRUE(ok(encoder.encode(*device_, copied(f.levels), copied(f.skips), device_->stream())));
      ASSERT_EQ(cudaStreamSynchronize(device_->stream()), cudaSuccess);
      std::vector<std::vector<uint8_t>> bytes;
      for (size_t c = 0; c < f.components.size(); ++c) {
        bytes.push_back(bytes_of_cpu(f.components[c], f.levels, f.skips));
        ASSERT_EQ(with_index(encoder.coded(c)), bytes[c]) << "component " << c;
      }
      Levels back = f.levels;
      for (const Sets& sets : f.components) {  // guards stay, levels do not
        for (const TileSet& s : sets) {
          for (size_t b = 0; b < static_cast<size_t>(s.bands); ++b)
            std::fill_n(back[static_cast<size_t>(s.plane)].begin() + static_cast<ptrdiff_t>(s.offsets[b]),
                        s.levels(), Level{77});
        }
      }
      const std::vector<bool> sound = decode(decoder, f.components, bytes, f.skips, back);
      ASSERT_EQ(sound, std::vector<bool>(f.components.size(), true));
      for (size_t p = 0; p < 3; ++p) ASSERT_EQ(back[p], f.levels[p]) << "plane " << p;
    }
  }
}

// Ramps are predicted, noise is not; the device and the CPU agree which.
TEST_F(CudaTiles, LowpassIsPredictedWhereThatPays) {
  int predicted = 0;
  int coded = 0;
  const int trials = only_small() ? 6 : 40;
  for (int trial = 0; trial < trials && !HasFailure(); ++trial) {
    std::vector<Sets> components(static_cast<size_t>(between(1, 2)));
    Levels levels;
    for (Sets& sets : components) {
      size_t tiles = 0;
      for (int p = 0; p < 3; ++p) {
        // A few of more rows than threads have at once.
        const int most_rows = trial % 20 == 19 ? 2100 : 70;
        TileSet s{
            .rows = between(1, most_rows), .cols = between(1, 90), .bands = 1, .plane = p, .lowpass = p < 2};
        std::vector<Level>& plane = levels[static_cast<size_t>(p)];
        s.offsets[0] = plane.size();
        s.first = tiles;
        tiles += s.tiles();
        const bool ramp = (trial + (&sets - components.data())) % 2 == 0;  // few trials have both
        for (int y = 0; y < s.rows; ++y) {
          for (int x = 0; x < s.cols; ++x)
            plane.push_back(static_cast<Level>(ramp ? 3 * x - 2 * y + between(0, 1) : between(-9, 9)));
        }
        sets.push_back(s);
      }
    }
    cuda::TileEncoder encoder;
    ASSERT_TRUE(ok(encoder.initialise(*device_, plan_of(components))));
    cuda::TileDecoder decoder;
    ASSERT_TRUE(ok(decoder.initialise(*device_, plan_of(components))));
    ASSERT_TRUE(ok(encoder.encode(*device_, copied(levels), {}, device_->stream())));
    ASSERT_EQ(cudaStreamSynchronize(device_->stream()), cudaSuccess);
    std::vector<std::vector<uint8_t>> bytes;
    for (size_t c = 0; c < components.size(); ++c) {
      bytes.push_back(bytes_of_cpu(components[c], levels, {}));
      ASSERT_EQ(with_index(encoder.coded(c)), bytes[c]) << "component " << c;
      predicted += encoder.coded(c).predicted ? 1 : 0;
      ++coded;
    }
    Levels back = levels;
    ASSERT_EQ(decode(decoder, components, bytes, {}, back), std::vector<bool>(components.size(), true));
    for (size_t p = 0; p < 3; ++p) ASSERT_EQ(back[p], levels[p]) << "plane " << p;
  }
  EXPECT_GT(predicted, 0);
  EXPECT_LT(predicted, coded);
}

TEST_F(CudaTiles, DamageHasTheSameVerdict) {
  const int trials = only_small() ? 3 : 60;
  reseed(20261);
  size_t damaged = 0;
  for (int trial = 0; trial < trials && !HasFailure(); ++trial) {
    Frame f = some_frame(70, 100);
    fill(f.components, f.levels, trial % 3 == 0 ? 3 : 6);
    const CodingPlan plan = plan_of(f.components);
    cuda::TileDecoder decoder;
    ASSERT_TRUE(ok(decoder.initialise(*device_, plan)));
    std::vector<std::vector<uint8_t>> whole;
    for (const Sets& sets : f.components) whole.push_back(bytes_of_cpu(sets, f.levels, f.skips));
    for (int again = 0; again < 12; ++again) {
      SCOPED_TRACE("damage " + std::to_string(again) + " of trial " + std::to_string(trial));
      auto bytes = whole;
      for (auto& b : bytes) {
        const int how = between(0, 6);
        if (how == 0) {  // any bytes, of one piece or of what the index says
          b.resize(static_cast<size_t>(between(1, 3000)));
          for (uint8_t& v : b) v = static_cast<uint8_t>(between(0, 255));
          if (between(0, 3) != 0) b[0] = 0;
        } else if (how == 1) {
          b.resize(b.size() / 2);
        } else if (how == 2) {
          b.push_back(static_cast<uint8_t>(between(0, 255)));
        } else if (how < 6 && !b.empty()) {
          for (int i = 0; i < how; ++i)
            b[static_cast<size_t>(between(0, static_cast<int>(b.size()) - 1))] ^=
                static_cast<uint8_t>(1U << between(0, 7));
        }
      }
      Levels back = f.levels;
      Levels expected = f.levels;
      const std::vector<bool> sound = decode_by_cpu(f.components, bytes, f.skips, expected);
      ASSERT_EQ(decode(decoder, f.components, bytes, f.skips, back), sound);
      damaged += static_cast<size_t>(std::count(sound.begin(), sound.end(), false));
      clear_damage(f.components, bytes, f.skips, back);
      clear_damage(f.components, bytes, f.skips, expected);
      for (size_t p = 0; p < 3; ++p) ASSERT_EQ(back[p], expected[p]) << "plane " << p;
    }
  }
  EXPECT_GT(damaged, 10U);
}

TEST_F(CudaTiles, LongerCodesThanAnyLevelsHaveAreRefused) {
  const std::vector<Sets> components = {{{.rows = 16, .cols = 16, .bands = 1}}};
  cuda::TileDecoder decoder;
  ASSERT_TRUE(ok(decoder.initialise(*device_, plan_of(components))));
  std::vector<uint8_t> bytes(5000, 0xff);
  bytes[0] = 0;
  Levels levels;
  levels[0].resize(256);
  EXPECT_EQ(decode(decoder, components, {bytes}, {}, levels), std::vector<bool>{false});
  EXPECT_EQ(decode(decoder, components, {{}}, {}, levels), std::vector<bool>{true});
  EXPECT_EQ(levels[0], std::vector<Level>(256));
}

}  // namespace
}  // namespace ctv::test
