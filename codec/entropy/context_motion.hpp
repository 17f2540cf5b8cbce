// SPDX-License-Identifier: BSD-3-Clause
// Differences of motion vectors to bytes by contexts (docs/bitstream.md, 7): both coordinates share the
// tables, of which one is chosen by the differences to the left and above. Where neighbours are predicted
// well, so is the next vector. That a block is split is one more symbol, in place of its first vector's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/growing.hpp"
#include "codec/entropy/huffman_reader.hpp"
#include "codec/entropy/symbol_sorter.hpp"
#include "codec/entropy/symbol_tables.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/util/types.hpp"

namespace ctv {

class ContextMotion {
 public:
  explicit ContextMotion(const MotionGrid& grid)
      : grid_(grid),
        sizes_(static_cast<size_t>(grid.rows + 1) * static_cast<size_t>(grid.cols + 1)),
        tables_(kClasses, kSymbols + grid.split) {}
  ContextMotion(const ContextMotion&) = delete;  // members refer to each other
  ContextMotion& operator=(const ContextMotion&) = delete;

  /// splits, differences: as of motion_symbols.hpp. Returns the bytes written to `out`; none if all are 0.
  size_t encode(std::span<const uint8_t> splits, std::span<const Level> differences, Growing<uint8_t>& out);
  /// Writes every split and difference. False if the bytes are not exactly their encoding.
  bool decode(std::span<const uint8_t> bytes, std::span<uint8_t> splits, std::span<Level> differences);

 private:
  struct Size {  // of a difference: |y|, |x|
    uint16_t y = 0, x = 0;
  };
  template <typename Split, typename Code>
  void walk(Split split, Code code);

  MotionGrid grid_;
  std::vector<Size> sizes_;  // [rows + 1][cols + 1]: of the grid, with zeros above and to the left
  SymbolSorter sorter_{kClasses, price, true};
  SymbolTables tables_;
  Growing<uint8_t> walk_bytes_;  // signs and extra bits
  Growing<uint8_t> raw_;         // extra bits of runs, then walk_bytes_; or raw bytes of several blocks
  HuffmanReader huffman_;

  static constexpr int kClasses = 8;
  static constexpr int kSymbols = 40;  // number_symbols(16); the next one: split
  static TablePrice price(const SymbolCounts& counts, bool first);
};

}  // namespace ctv
