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

}  // namespace ctv::cuda
