// SPDX-License-Identifier: BSD-3-Clause
// Motion vectors: prediction, scaling, sub-sample filters, overlap windows. Normative.
#pragma once

#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

#include <cstdint>

namespace ctv {

inline constexpr int kVectorFractionBits = 3;  // vectors are in eighths of a luma sample
inline constexpr int kVectorUnit = 1 << kVectorFractionBits;
inline constexpr int kMaxSubpel = kVectorFractionBits;  // log2 of the precision: 0 whole .. 3 eighth samples
inline constexpr int kMaxSearchRange = 64;              // whole luma samples
inline constexpr int kFarStep = 4;    // step of the far search, which compares quarter samples
inline constexpr int kFarWindow = 2;  // whole samples searched to each side of the far search's result
inline constexpr int kMaxFarRange = kMaxSearchRange - kFarStep;  // a multiple of kFarStep
static_assert(kFarWindow <= kFarStep);
/// Effort of the passes after the search (motion_decisions.hpp). kQuick: passes over whole blocks only.
enum class MotionEffort : uint8_t { kQuick, kUsual, kThorough };

/// v / 2^shift to the nearest integer, halves towards plus infinity.
CTV_HOST_DEVICE int scale_vector(int v, int shift) {
  return shift == 0 ? v : (v + (1 << (shift - 1))) >> shift;
}

CTV_HOST_DEVICE int median_of(int a, int b, int c) { return max_of(min_of(a, b), min_of(max_of(a, b), c)); }
CTV_HOST_DEVICE MotionVector median_vector(MotionVector a, MotionVector b, MotionVector c) {
  return {static_cast<int16_t>(median_of(a.y, b.y, c.y)), static_cast<int16_t>(median_of(a.x, b.x, c.x))};
}

/// Sub-sample interpolation: weight in 64ths of tap 0..7 for a displacement of `eighth` eighths. Tap i
/// applies to sample i - kInterpolationBefore. Sums of 8-bit samples fit in 16 bits, and so do those of
/// samples of 8 + shift bits, shifted right by `shift` after the first pass, along rows.
inline constexpr int kInterpolationTaps = 8;
inline constexpr int kInterpolationBefore = 3;
CTV_HOST_DEVICE constexpr int interpolation_weight(int eighth, int tap) {
  constexpr int8_t kWeights[8][kInterpolationTaps] = {
      {0, 0, 0, 64, 0, 0, 0, 0},       {-1, 2, -5, 62, 8, -3, 1, 0},     {-1, 4, -10, 58, 17, -5, 1, 0},
      {-1, 3, -9, 47, 31, -10, 4, -1}, {-1, 4, -11, 40, 40, -11, 4, -1}, {-1, 4, -10, 31, 47, -9, 3, -1},
      {0, 1, -5, 17, 58, -10, 4, -1},  {0, 1, -3, 8, 62, -5, 2, -1}};
  return kWeights[eighth][tap];
}
/// Rounds a sum in 4096ths after both passes, halves up.
inline constexpr int kInterpolatedBits = 12;
inline constexpr int kInterpolatedHalf = 1 << (kInterpolatedBits - 1);
CTV_HOST_DEVICE int round_interpolated(int32_t sum, int shift = 0) {
  return (sum + (kInterpolatedHalf >> shift)) >> (kInterpolatedBits - shift);
}

/// Overlap window: weight, in 32nds, of a block at sample i of the 2^log2_size samples shared with the
/// preceding block. w(i) + w(size - 1 - i) = 32. A linear window needs 1 % fewer bits than a raised cosine.
CTV_HOST_DEVICE int overlap_weight(int log2_size, int i) {
  return log2_size <= 4 ? (2 * i + 1) << (4 - log2_size) : i + (i >> 4);
}

/// v / 2^shift to the nearest integer, halves to even, which avoids a bias in moving pictures.
CTV_HOST_DEVICE int halved_vector(int v, int shift) {
  return shift == 0 ? v : (v + (1 << (shift - 1)) - 1 + (v >> shift & 1)) >> shift;
}

/// One coordinate of a vector on a plane subsampled by 2^shift: whole samples, rounded down, and eighths.
struct Displacement {
  int whole;
  int eighth;  // 0..7
};
CTV_HOST_DEVICE Displacement displacement(int v, int shift) {
  const int eighths = halved_vector(v, shift);
  return {eighths >> kVectorFractionBits, eighths & (kVectorUnit - 1)};
}

/// In one dimension: the block that contains a sample of such a plane. The last block extends beyond the
/// grid.
CTV_HOST_DEVICE int block_of(int sample, int shift, int log2_block, int count) {
  return min_of((sample << shift) >> log2_block, count - 1);
}

/// In one dimension: the two blocks that overlap at a sample, and the weight of the second in 32nds. Windows
/// begin and end in the middle of blocks. Blocks of one sample do not overlap.
struct BlockPair {
  int first, second;
  int weight;
};
CTV_HOST_DEVICE BlockPair block_pair(int sample, int shift, int log2_block, int count) {
  const int log2_size = log2_block - shift;
  if (log2_size <= 0) {
    const int only = block_of(sample, shift, log2_block, count);
    return {only, only, 0};
  }
  const int from_middle = sample + (1 << (log2_size - 1));  // of block -1
  const int second = from_middle >> log2_size;
  return {clamp_to(second - 1, 0, count - 1), min_of(second, count - 1),
          overlap_weight(log2_size, from_middle & ((1 << log2_size) - 1))};
}

CTV_HOST_DEVICE bool same_vector(MotionVector a, MotionVector b) {
  return __builtin_bit_cast(uint32_t, a) ==
         __builtin_bit_cast(uint32_t, b);  // one comparison, without a branch
}

}  // namespace ctv
