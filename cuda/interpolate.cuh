// SPDX-License-Identifier: BSD-3-Clause
// The taps of codec/math/motion.hpp in constant memory: a table that is indexed at run time would be copied
// to each thread's local memory.
#pragma once

#include "codec/math/motion.hpp"

namespace ctv::cuda {

struct InterpolationTable {
  int weights[8][kInterpolationTaps];
};

constexpr InterpolationTable make_interpolation_table() {
  InterpolationTable table{};
  for (int eighth = 0; eighth < 8; ++eighth) {
    for (int t = 0; t < kInterpolationTaps; ++t) table.weights[eighth][t] = interpolation_weight(eighth, t);
  }
  return table;
}

static __constant__ const InterpolationTable kInterpolation = make_interpolation_table();

__device__ __forceinline__ int tap_weight(int eighth, int tap) { return kInterpolation.weights[eighth][tap]; }

// The same, four signed bytes to a word, as dp2a and dp4a take them: taps 0..3 in `low`, 4..7 in `high`.
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

// Eight taps of 16-bit samples in pairs.
__device__ __forceinline__ int dot_eight(PackedTaps taps, uint32_t s01, uint32_t s23, uint32_t s45,
                                         uint32_t s67, int sum) {
  sum = __dp2a_lo(static_cast<int>(s01), static_cast<int>(taps.low), sum);
  sum = __dp2a_hi(static_cast<int>(s23), static_cast<int>(taps.low), sum);
  sum = __dp2a_lo(static_cast<int>(s45), static_cast<int>(taps.high), sum);
  return __dp2a_hi(static_cast<int>(s67), static_cast<int>(taps.high), sum);
}

}  // namespace ctv::cuda
