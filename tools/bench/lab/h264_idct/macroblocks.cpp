// SPDX-License-Identifier: BSD-3-Clause
// Frames of coefficients, with and without their zero blocks.
#include <algorithm>
#include <random>

#include "bench/lab/h264_idct/h264_idct.hpp"

namespace ctv::lab {
namespace {

constexpr int kMaxCoefficient = 1200;
static_assert(6 * kMaxCoefficient <= kMaxBlockSum);

// Numbers that look random and are the same on every machine, which the standard promises of this generator
// but not of its distributions.
struct Random {
  std::mt19937 numbers;
  /// In [0, n), near enough to uniform for small n.
  int below(int n) { return static_cast<int>(numbers() % static_cast<uint32_t>(n)); }
  bool chance(double share) { return static_cast<double>(numbers()) < share * 4294967296.0; }
};

// 1 to 6 coefficients among the quarter of lowest frequencies in each direction, at least 2x2.
void fill_block(Random& random, int16_t* block, int size) {
  const int low = std::max(2, size / 2);
  for (int n = random.below(6); n >= 0; --n) {
    const int place = random.below(low) * size + random.below(low);
    const int magnitude = 1 + random.below(kMaxCoefficient);
    block[place] = static_cast<int16_t>(random.below(2) == 0 ? magnitude : -magnitude);
  }
}

}  // namespace

MacroblockFrame make_macroblocks(int columns, int rows, const Densities& densities, uint32_t seed) {
  const size_t count = static_cast<size_t>(columns) * static_cast<size_t>(rows);
  MacroblockFrame frame = {std::vector<int16_t>(count * kMacroblockSamples), std::vector<uint32_t>(count)};
  Random random{std::mt19937(seed)};
  for (size_t m = 0; m < count; ++m) {
    int16_t* coefficients = frame.coefficients.data() + m * kMacroblockSamples;
    uint32_t& flags = frame.flags[m];
    int b = 0;
    if (random.chance(densities.macroblocks8)) {
      flags = MacroblockFrame::k8x8;
      for (; b < 16; b += 4) {
        if (!random.chance(densities.blocks8)) continue;
        flags |= 0xfU << b;
        fill_block(random, coefficients + b * 16, 8);
      }
    }
    for (; b < kBlocks4; ++b) {
      if (!random.chance(densities.blocks4)) continue;
      flags |= 1U << b;
      fill_block(random, coefficients + b * 16, 4);
    }
  }
  return frame;
}

Blocks compact(const MacroblockFrame& frame) {
  Blocks out;
  for (size_t m = 0; m < frame.flags.size(); ++m)
    for (int b = 0; b < kBlocks4;) {
      const bool is8 = b < 16 && (frame.flags[m] & MacroblockFrame::k8x8) != 0;
      const auto begin =
          frame.coefficients.begin() + static_cast<std::ptrdiff_t>(m * kMacroblockSamples) + b * 16;
      if ((frame.flags[m] >> b & 1) != 0) out[is8].insert(out[is8].end(), begin, begin + (is8 ? 64 : 16));
      b += is8 ? 4 : 1;
    }
  return out;
}

}  // namespace ctv::lab
