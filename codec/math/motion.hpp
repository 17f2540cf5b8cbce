// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of motion: which candidate wins, how vectors scale, sub-sample filters, overlap windows.
#pragma once

#include "codec/base/fn.hpp"
#include "codec/base/types.hpp"

#include <cstdint>

namespace ctv {

inline constexpr int kVectorFractionBits = 2;  // vectors are in quarter luma samples
inline constexpr int kMaxSearchRange = 64;     // whole luma samples

/// A vector of quarter luma samples on a grid `shift` powers of two coarser than quarter samples, to the nearest
/// whole position, halves towards plus infinity.
CTV_FN int scale_vector(int v, int shift) { return shift == 0 ? v : (v + (1 << (shift - 1))) >> shift; }

/// Order of candidates of equal cost: the shortest first, then in raster order. Unique per candidate of one search.
CTV_FN uint32_t candidate_rank(int dy, int dx, int range) {
  const int side = 2 * range + 1;
  return static_cast<uint32_t>(dy * dy + dx * dx) * static_cast<uint32_t>(side * side) +
         static_cast<uint32_t>((dy + range) * side + dx + range);
}

/// Sub-sample interpolation: six taps in 64ths for a displacement of `eighth` eighths, samples -2..3.
CTV_FN int interpolation_weight(int eighth, int tap) {
  constexpr int8_t kWeights[8][6] = {{0, 0, 64, 0, 0, 0},    {1, -5, 61, 9, -2, 0},  {1, -7, 55, 19, -5, 1},
                                     {1, -8, 47, 29, -6, 1}, {1, -7, 38, 38, -7, 1}, {1, -6, 29, 47, -8, 1},
                                     {1, -5, 19, 55, -7, 1}, {0, -2, 9, 61, -5, 1}};
  return kWeights[eighth][tap];
}
/// After both passes: 4096ths to a sample, halves rounded up.
CTV_FN int round_interpolated(int32_t sum) { return (sum + 2048) >> 12; }

/// Overlapped compensation: weight (32nds) of the nearer block's successor, i samples after the middle of a block of
/// 2^log2_size samples; i = 0..size-1. Rounded sin^2(pi (2i + 1) / (4 size)); w(i) + w(size - 1 - i) = 32.
CTV_FN int overlap_weight(int log2_size, int i) {
  constexpr uint8_t k2[2] = {5, 27};
  constexpr uint8_t k4[4] = {1, 10, 22, 31};
  constexpr uint8_t k8[8] = {0, 3, 7, 13, 19, 25, 29, 32};
  constexpr uint8_t k16[16] = {0, 1, 2, 4, 6, 8, 11, 14, 18, 21, 24, 26, 28, 30, 31, 32};
  constexpr uint8_t k32[32] = {0,  0,  0,  1,  2,  2,  3,  4,  5,  6,  8,  9,  11, 12, 14, 15,
                               17, 18, 20, 21, 23, 24, 26, 27, 28, 29, 30, 30, 31, 32, 32, 32};
  switch (log2_size) {
    case 0: return 16;
    case 1: return k2[i];
    case 2: return k4[i];
    case 3: return k8[i];
    case 4: return k16[i];
    default: return k32[i];
  }
}

}  // namespace ctv
