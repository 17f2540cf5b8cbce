// SPDX-License-Identifier: BSD-3-Clause
// Symbols of several classes to Huffman blocks (docs/bitstream.md, 6.3), the encoder's side: a walk notes
// events and counts them by class; the counts decide which classes share a table and which tables code their
// zeros as runs; then the events are sorted into the tables' arrays, and each array becomes a block.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/entropy/bits.hpp"
#include "codec/entropy/class_merge.hpp"
#include "codec/entropy/growing.hpp"
#include "codec/entropy/huffman_writer.hpp"

namespace ctv {

/// Bit k: class k begins a table; that table codes its zeros as runs.
struct TableMap {
  uint32_t begins = 1;
  uint32_t run_coded = 0;
};

class SymbolSorter {
 public:
  /// zeros << 16 | class << 8 | symbol: a symbol, and before it zeros of class 0 that need no events of their
  /// own.
  using Event = uint32_t;
  static constexpr uint32_t kMaxZeros = 0xffff;
  static constexpr Event event(uint32_t symbol_class, uint32_t symbol, uint32_t zeros = 0) {
    return zeros << 16 | symbol_class << 8 | symbol;
  }

  /// zeros: tables end in zeros for ever, so that those at their end need not be written; without, no event
  /// may have zeros before it and no table be run coded.
  SymbolSorter(int classes, TablePrice (*price)(const SymbolCounts&, bool), bool zeros)
      : classes_(static_cast<size_t>(classes)), price_(price), zeros_(zeros) {}

  void start() {
    counts_ = {};
    count_ = 0;
  }
  /// Where to note up to `events` more; end() takes them.
  Event* room(size_t events) { return events_.reserve(count_ + events, count_) + count_; }
  void end(const Event* end) { count_ = static_cast<size_t>(end - events_.data()); }
  /// Of a class; all symbols are to be counted, zeros without an event too.
  SymbolCounts& counts(size_t symbol_class) { return counts_[symbol_class]; }

  /// Counts the symbols of all events, for callers who have not.
  void count_events();

  /// Decides and sorts.
  TableMap sort();
  /// The blocks of all tables; extra bits of runs go to `extra`.
  void write(HuffmanWriter& writer, BitWriter& extra);

 private:
  struct Table {
    bool run_coded = false;
    uint8_t* values = nullptr;
    uint32_t* runs = nullptr;
    size_t count = 0;
  };
  void sort_events();
  void sort_plain();

  size_t classes_;
  TablePrice (*price_)(const SymbolCounts&, bool);
  bool zeros_;
  Growing<Event> events_;
  size_t count_ = 0;
  std::array<SymbolCounts, kMaxClasses> counts_;
  std::array<SymbolCounts, kMaxClasses> merged_;
  std::array<uint8_t, kMaxClasses> table_of_{};
  std::array<Table, kMaxClasses> tables_;
  size_t table_count_ = 0;
  Growing<uint8_t> values_;
  Growing<uint32_t> runs_;
  Growing<uint8_t> symbols_;  // of one block of runs
};

}  // namespace ctv
