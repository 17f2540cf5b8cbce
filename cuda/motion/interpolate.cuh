// SPDX-License-Identifier: BSD-3-Clause
// Interpolation filter of codec/dsp/motion_vectors.hpp for dp2a and dp4a: packed taps in constant memory,
// eight products of samples in pairs, and the pass along columns. (A table with a run-time index would be
// copied to local memory of each thread.)
#pragma once

#include "codec/dsp/motion_vectors.hpp"

namespace ctv::cuda {

// Signed bytes: taps 0..3 in `low`, 4..7 in `high`.
struct PackedTaps {
  uint32_t low, high;
};
struct PackedTable {
  PackedTaps taps[8];
};

constexpr PackedTable make_packed_table() {
  PackedTable table{};
  for (int eighth = 0; eighth < 8; ++eighth) {
    for (int t = 0; t < 4; ++t) {
      table.taps[eighth].low |= (static_cast<uint32_t>(interpolation_weight(eighth, t)) & 255U) << (8 * t);
      table.taps[eighth].high |= (static_cast<uint32_t>(interpolation_weight(eighth, t + 4)) & 255U)
                                 << (8 * t);
    }
  }
  return table;
}

static __constant__ const PackedTable kPackedTaps = make_packed_table();

__device__ __forceinline__ PackedTaps packed_taps(int eighth) { return kPackedTaps.taps[eighth]; }

// A single tap, for sums without pairs.
__device__ __forceinline__ int tap_weight(PackedTaps taps, int tap) {
  return static_cast<int8_t>((tap < 4 ? taps.low : taps.high) >> (8 * (tap & 3)));
}

// Sum of eight taps times 16-bit samples in pairs.
__device__ __forceinline__ int dot_eight(PackedTaps taps, uint32_t s01, uint32_t s23, uint32_t s45,
                                         uint32_t s67, int sum) {
  sum = __dp2a_lo(static_cast<int>(s01), static_cast<int>(taps.low), sum);
  sum = __dp2a_hi(static_cast<int>(s23), static_cast<int>(taps.low), sum);
  sum = __dp2a_lo(static_cast<int>(s45), static_cast<int>(taps.high), sum);
  return __dp2a_hi(static_cast<int>(s67), static_cast<int>(taps.high), sum);
}

// Pass along columns: the sums along rows for a strip of kRows samples of one column, in pairs from even rows
// and pairs from odd rows. The last odd pair lacks its second sum.
template <int kRows>
struct SumStrip {
  static constexpr int kPairs = kRows / 2 + 4;
  uint32_t even[kPairs], odd[kPairs];

  /// from: first pair of rows; aligned to 8 bytes if kPairs is even.
  __device__ __forceinline__ explicit SumStrip(const uint32_t* from) {
    if constexpr (kPairs % 2 == 0) {
#pragma unroll
      for (int k = 0; k < kPairs; k += 2) {
        const uint2 two = *reinterpret_cast<const uint2*>(from + k);
        even[k] = two.x;
        even[k + 1] = two.y;
      }
    } else {
#pragma unroll
      for (int k = 0; k < kPairs; ++k) even[k] = from[k];
    }
#pragma unroll
    for (int k = 0; k + 1 < kPairs; ++k) odd[k] = __funnelshift_r(even[k], even[k + 1], 16);
    odd[kPairs - 1] = even[kPairs - 1] >> 16;
  }
  /// round_interpolated() of eight weighted sums from row k of the strip on.
  __device__ __forceinline__ int filtered(int k, PackedTaps taps, int shift) const {
    const uint32_t* s = k % 2 == 0 ? even + k / 2 : odd + k / 2;
    return dot_eight(taps, s[0], s[1], s[2], s[3], kInterpolatedHalf >> shift) >> (kInterpolatedBits - shift);
  }
};

}  // namespace ctv::cuda
