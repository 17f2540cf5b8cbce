// SPDX-License-Identifier: BSD-3-Clause
// The tables of symbols, trained beforehand and fixed (docs/symbols.md). ctv_train_symbols makes
// tile_tables.inc.
#pragma once

#include <array>
#include <cstdint>

#include "codec/entropy/model/rans.hpp"
#include "codec/entropy/model/tile_contexts.hpp"

namespace ctv {

/// Sizes of the symbols' intervals, in 4096ths; 0 where a symbol cannot occur.
using TableSizes = std::array<std::array<uint16_t, kTableSymbols>, kTables>;

/// Of many symbols, in each model: model m is at bit 32 (m / 2) of even or odd.
struct ModelCosts {
  uint64_t even = 0, odd = 0;
  /// costs: 16 bits for each model, the first least.
  void add(uint64_t costs) {
    constexpr uint64_t kLanes = 0x0000ffff0000ffffULL;
    even += costs & kLanes;
    odd += costs >> 16 & kLanes;
  }
  uint32_t of(uint32_t model) const {
    return static_cast<uint32_t>((model % 2 == 0 ? even : odd) >> (model / 2 * 32));
  }
  uint32_t cheapest() const {
    uint32_t best = 0;
    for (uint32_t m = 1; m < kModels; ++m) best = of(m) < of(best) ? m : best;
    return best;
  }
};

struct TileTables {
  std::array<SymbolTable, kTables + 1> symbols{};  // the last is all 0
  std::array<uint16_t, kWhole> cost{};             // of a symbol, by its interval's size, in 256ths of a bit
  /// The costs in each model of the symbols that are coded with one, as ModelCosts adds them.
  std::array<std::array<uint64_t, kTableSymbols>, kTablesOfModel> model_costs{};
  explicit TileTables(const TableSizes& sizes);
};

const TileTables& tile_tables();

}  // namespace ctv
