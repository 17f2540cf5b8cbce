// SPDX-License-Identifier: BSD-3-Clause
// The loop filter by definition (docs/bitstream.md, section 11), sample by sample.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "codec/dsp/filter_weights.hpp"
#include "tests/reference/motion.hpp"

namespace ctv::reference {

/// Class of the sample at (row, col) of a plane, with this base step.
inline int filter_class_of(const SampleAt& at, int base_step, int row, int col) {
  const auto sum = [&](int dy, int dx) {
    int total = 0;
    for (int r = row - 1; r <= row + 1; ++r) {
      for (int c = col - 1; c <= col + 1; ++c) total += std::abs(at(r - dy, c - dx) - at(r + dy, c + dx));
    }
    return total;
  };
  const int across = sum(0, 1), down = sum(1, 0);
  const int falling = sum(1, 1) - sum(1, 1) / 4, rising = sum(-1, 1) - sum(-1, 1) / 4;
  const int total = across + down;
  const int straight = std::abs(across - down), diagonal = std::abs(falling - rising);
  int number = across > down ? 1 : 0;
  if (diagonal > straight) number = falling > rising ? 3 : 2;
  for (const int part : {8, 4, 2}) number += std::max(straight, diagonal) > total / part ? 4 : 0;
  const int step = std::min(base_step, 16384);
  for (const int limit : {step / 8, 3 * step / 8, step}) number += total > limit ? 16 : 0;
  return number;
}

/// The bits beyond 8 of the samples that the filter works on. shift: those of the plane's samples.
inline int filtered_bits(int base_step, int shift) {
  int bits = 0;
  while (bits < std::min(shift, 2) && int64_t{base_step} << (bits + 1) <= 1024) ++bits;
  return bits;
}

/// The correction of the sample at (row, col) of a plane that the filter works on. base_step: sixteenths of
/// one of its samples.
inline int filter_correction(const SampleAt& at, int base_step, bool key, bool chroma, int row, int col) {
  const int bound = std::min(std::max((base_step + 64) / 128, key ? 0 : 1), kMostFilterBound);
  const auto& weights = kFilterWeights[(chroma ? 2 : 0) + (key ? 0 : 1)];
  const auto number = static_cast<size_t>(filter_class_of(at, base_step, row, col));
  int sum = 1 << (kFilterBits - 1);
  for (size_t k = 0; k < size_t{kFilterPairs}; ++k) {
    const auto [dy, dx] = kFilterNeighbours[k];
    for (const int side : {-1, 1}) {
      const int difference = at(row + side * dy, col + side * dx) - at(row, col);
      sum += weights[k][number] * std::clamp(difference, -bound, bound);
    }
  }
  return static_cast<int>(floor_div(sum, 1 << kFilterBits));
}

}  // namespace ctv::reference
