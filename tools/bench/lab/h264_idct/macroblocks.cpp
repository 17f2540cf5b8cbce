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
class Random {
 public:
  explicit Random(uint32_t seed) : numbers_(seed) {}
  /// In [0, n), near enough to uniform for small n.
  int below(int n) { return static_cast<int>(numbers_() % static_cast<uint32_t>(n)); }
  bool chance(double share) { return static_cast<double>(numbers_()) < share * 4294967296.0; }

 private:
  std::mt19937 numbers_;
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
  Random random(seed);
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

namespace {

// body(offset of the block's 16 or 64 coefficients in the frame, their number) for each block that is not
// zero.
template <typename Body>
void for_each_block(const std::vector<uint32_t>& flags, Body&& body) {
  for (size_t m = 0; m < flags.size(); ++m)
    for (int b = 0; b < kBlocks4;) {
      const int blocks = b < 16 && (flags[m] & MacroblockFrame::k8x8) != 0 ? 4 : 1;
      if ((flags[m] >> b & 1) != 0)
        body(m * kMacroblockSamples + static_cast<size_t>(b) * 16, static_cast<size_t>(blocks) * 16);
      b += blocks;
    }
}

}  // namespace

CompactedFrame compact(const MacroblockFrame& frame) {
  CompactedFrame out;
  for_each_block(frame.flags, [&](size_t offset, size_t count) {
    const auto begin = frame.coefficients.begin() + static_cast<std::ptrdiff_t>(offset);
    std::vector<int16_t>& blocks = count == 16 ? out.blocks4 : out.blocks8;
    blocks.insert(blocks.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  });
  return out;
}

std::vector<int16_t> expand(const CompactedFrame& blocks, const std::vector<uint32_t>& flags) {
  std::vector<int16_t> out(flags.size() * kMacroblockSamples);
  auto next4 = blocks.blocks4.begin();
  auto next8 = blocks.blocks8.begin();
  for_each_block(flags, [&](size_t offset, size_t count) {
    auto& next = count == 16 ? next4 : next8;
    std::copy(next, next + static_cast<std::ptrdiff_t>(count),
              out.begin() + static_cast<std::ptrdiff_t>(offset));
    next += static_cast<std::ptrdiff_t>(count);
  });
  return out;
}

}  // namespace ctv::lab
