// SPDX-License-Identifier: BSD-3-Clause
// The weights of the loop filter, in 128ths. Normative; trained (docs/compression.md).
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

}  // namespace ctv
