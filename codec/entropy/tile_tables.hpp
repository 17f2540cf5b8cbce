// SPDX-License-Identifier: BSD-3-Clause
// The tables of symbols, trained beforehand and fixed (docs/entropy.md). ctv_train_symbols makes
// data/tile_tables.inc.
#pragma once

#include <array>
#include <cstdint>

#include "codec/model/rans.hpp"
#include "codec/model/tile_contexts.hpp"

namespace ctv {

/// Sizes of the symbols' intervals, in 4096ths; 0 where a symbol cannot occur.
using TableSizes = std::array<std::array<uint16_t, kTableSymbols>, kTables>;

struct TileTables {
  std::array<SymbolTable, kTables + 1> symbols{};  // the last is all 0
  explicit TileTables(const TableSizes& sizes);
};

const TileTables& tile_tables();

}  // namespace ctv
