// SPDX-License-Identifier: BSD-3-Clause
// The weights of the loop filter, in 128ths. Normative; trained (data/README.md).
#pragma once

#include <cstdint>

#include "codec/dsp/loop_filter.hpp"

namespace ctv {

#if defined(__CUDACC__)
CTV_CONST_TABLE
#else
alignas(64) inline constexpr
#endif
int8_t kFilterWeights[kFilterTables][kFilterPairs][kFilterClasses] = {
#include "data/filter_weights.inc"
};

#if !defined(__CUDACC__)
/// Whether the sums of filter_correction() fit in 16 bits for any neighbours.
constexpr bool filter_sums_fit() {
  for (const auto& table : kFilterWeights) {
    for (int c = 0; c < kFilterClasses; ++c) {
      int sum = 0;
      for (const auto& pair : table) sum += abs_of(pair[c]);
      if (sum * 2 * kMostFilterBound > INT16_MAX - (1 << (kFilterBits - 1))) return false;
    }
  }
  return true;
}
static_assert(filter_sums_fit());
#endif

}  // namespace ctv
