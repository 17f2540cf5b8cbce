// SPDX-License-Identifier: BSD-3-Clause
// Quantises and dequantises `count` coefficients; may work in place.
#pragma once

#include "codec/dsp/quantise.hpp"
#include "cpu/transform/zero_blocks.hpp"

namespace ctv {

void quantise_row(const Coefficient* coefficients, const SubbandQuantiser& quantiser, Level* levels,
                  int count);
void dequantise_row(const Level* levels, const SubbandQuantiser& quantiser, Coefficient* coefficients,
                    int count);
/// The same for wanted blocks only; returns the blocks with nonzero coefficients.
BlockMask dequantise_blocks(const Level* levels, const SubbandQuantiser& quantiser, Coefficient* coefficients,
                            int count, BlockMask wanted = kAllBlocks);

}  // namespace ctv
