// SPDX-License-Identifier: BSD-3-Clause
// The decoder's side of symbol_sorter.hpp (docs/symbols.md, 2): Huffman blocks become arrays, one for each
// table, from which symbols are taken class by class.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/entropy/bits.hpp"
#include "codec/entropy/growing.hpp"
#include "codec/entropy/huffman_reader.hpp"
#include "codec/entropy/symbol_sorter.hpp"

namespace ctv {

class SymbolTables {
 public:
  struct Table {
    const uint8_t* value;
    const uint32_t* run;  // zeros before each value; behind the last, zeros for ever
    uint32_t zeros;       // left before *value
    const uint8_t* end;   // of the values

    /// The next symbol of the table.
    unsigned take() {
      if (zeros != 0) {
        --zeros;
        return 0;
      }
      zeros = *run++;
      return *value++;
    }
  };

  SymbolTables(int classes, int alphabet) : classes_(static_cast<size_t>(classes)), alphabet_(alphabet) {}

  /// Which classes share tables. False unless class 0 begins one and only tables that begin are run coded.
  bool map(const TableMap& map);
  /// Reads all blocks, no more than `most` symbols in all.
  bool read(HuffmanReader& huffman, size_t most);
  /// Makes the tables ready; extra bits of runs come from `extra`. Returns how many.
  uint64_t open(BitReader& extra);
  /// The same for tables without zeros, of which value and end alone are used.
  void open_plain();

  Table& of(size_t symbol_class) { return tables_[table_of_[symbol_class]]; }
  /// The same in two steps, for callers with a shorter way from context to table.
  uint8_t index_of(size_t symbol_class) const { return table_of_[symbol_class]; }
  Table* tables() { return tables_.data(); }
  /// Every value has been taken.
  bool used_up() const;

 private:
  struct Array {
    size_t runs, values, count;  // begins in symbols_
  };
  size_t classes_;
  int alphabet_;
  size_t table_count_ = 0;
  std::array<uint8_t, kMaxClasses> table_of_{};
  std::array<bool, kMaxClasses> run_coded_{};
  std::array<Array, kMaxClasses> arrays_{};
  std::array<Table, kMaxClasses> tables_{};
  Growing<uint8_t> symbols_;  // all arrays, one after the other
  Growing<uint32_t> runs_;
};

}  // namespace ctv
