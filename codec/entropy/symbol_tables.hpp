// SPDX-License-Identifier: BSD-3-Clause
// The decoder's side of symbol_sorter.hpp (docs/bitstream.md, 6.3): Huffman blocks become arrays, one for
// each table, from which symbols are taken class by class. Runs are written out as zeros, so that taking a
// symbol is the same for all tables and has no branch that only chance could foretell.
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
    const uint8_t* next;
    const uint8_t* end;  // where a 0 stands: zeros for ever

    unsigned take() {
      const unsigned symbol = *next;
      next += next != end ? 1 : 0;
      return symbol;
    }
  };

  SymbolTables(int classes, int alphabet) : classes_(static_cast<size_t>(classes)), alphabet_(alphabet) {}

  /// Which classes share tables. False unless class 0 begins one and only tables that begin are run coded.
  bool map(const TableMap& map);
  /// Reads all blocks; false if they have more than `most` symbols.
  bool read(HuffmanReader& huffman, size_t most);
  /// Makes the tables ready. Extra bits of runs are taken from the front of `raw`, to the end of their last
  /// byte. False if they are not there, or if there are more zeros before values than symbols allowed.
  bool open(std::span<const uint8_t>& raw);
  /// The same for tables without runs.
  void open_plain();

  Table& of(size_t symbol_class) { return tables_[table_of_[symbol_class]]; }
  /// The same in two steps, for callers with a shorter way from context to table.
  uint8_t index_of(size_t symbol_class) const { return table_of_[symbol_class]; }
  Table* tables() { return tables_.data(); }
  /// Where the values of the first run coded table stand, counted from its first symbol; then UINT32_MAX.
  const uint32_t* places() const { return places_.data(); }
  /// Every value has been taken.
  bool used_up() const;

 private:
  struct Array {
    size_t runs, values, count;  // begins in symbols_
  };
  size_t classes_;
  int alphabet_;
  size_t table_count_ = 0;
  size_t most_ = 0;
  std::array<uint8_t, kMaxClasses> table_of_{};
  std::array<bool, kMaxClasses> run_coded_{};
  std::array<Array, kMaxClasses> arrays_{};
  std::array<Table, kMaxClasses> tables_{};
  Growing<uint8_t> symbols_;  // all arrays, one after the other, each with a 0 behind it
  Growing<uint8_t> spread_;   // run coded tables with their zeros, each with a 0 behind it
  Growing<uint32_t> places_;  // of values in spread_, table by table; -1 behind each table's
};

}  // namespace ctv
