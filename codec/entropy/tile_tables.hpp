// SPDX-License-Identifier: BSD-3-Clause
// Trained, fixed symbol tables (docs/entropy.md). ctv_train_symbols writes data/tile_tables.inc.
#pragma once

#include <array>
#include <cstdint>

#include "codec/entropy/table_digits.hpp"
#include "codec/model/rans.hpp"
#include "codec/model/tile_contexts.hpp"

namespace ctv {

using TableSizes = IntervalSizes<kTables>;

struct TileTables {
  std::array<SymbolTable, kTables + 1> symbols;  // the last table is 0
};

const TileTables& tile_tables();

}  // namespace ctv
