// SPDX-License-Identifier: BSD-3-Clause
// Which classes share a Huffman table: an encoder's choice (docs/entropy.md). Neighbouring classes are
// merged, the best saving first, while the estimated price of their tables falls. Prices are integers, so one
// input gives one stream on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/entropy/model/quad_alphabet.hpp"
#include "codec/entropy/number_buckets.hpp"

namespace ctv {

inline constexpr size_t kMaxClasses = 16;

struct SymbolCounts {
  std::array<uint64_t, kQuadSymbols + 1> of{};
  uint64_t total = 0;

  void sum_up() {
    total = 0;
    for (const uint64_t n : of) total += n;
  }
  void add(const SymbolCounts& other) {
    for (size_t s = 0; s < of.size(); ++s) of[s] += other.of[s];
    total += other.total;
  }
};

struct TablePrice {
  uint64_t bits;
  bool run_coded;
};
/// must_run: table 0, whose zeros are always run coded.
TablePrice quad_table_price(const SymbolCounts& counts, bool must_run);
TablePrice magnitude_table_price(const SymbolCounts& counts, bool unused = false);

/// table_of[k]: the table of class k, rising from 0. tables[t]: the counts of table t. Returns the number of
/// tables.
int merge_classes(std::span<const SymbolCounts> classes, TablePrice (*price)(const SymbolCounts&, bool),
                  std::span<uint8_t> table_of, std::span<SymbolCounts> tables);

}  // namespace ctv
