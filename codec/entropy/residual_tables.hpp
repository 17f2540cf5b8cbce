// SPDX-License-Identifier: BSD-3-Clause
// Trained, fixed symbol tables of the residual (docs/bitstream.md, 12). ctv_train_symbols writes
// data/residual_tables.inc.
#pragma once

#include "codec/entropy/table_digits.hpp"
#include "codec/model/residual_contexts.hpp"

namespace ctv {

using ResidualSizes = IntervalSizes<kResidualTables>;
/// [kResidualTables + 1]; the last table is 0.
const SymbolTable* residual_tables();

}  // namespace ctv
