// SPDX-License-Identifier: BSD-3-Clause
// A component's levels to bytes by contexts (docs/symbols.md). First a walk over all quads: it notes an event
// for each quad whose surroundings are not all zero, and counts symbols by class. The counts decide which
// classes share a table; then the events are sorted into the tables' arrays, and each array becomes a Huffman
// block.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/class_merge.hpp"
#include "codec/entropy/context_bands.hpp"
#include "codec/entropy/growing.hpp"
#include "codec/entropy/huffman_writer.hpp"
#include "codec/entropy/quad_contexts.hpp"

namespace ctv {

class ContextEncoder {
 public:
  explicit ContextEncoder(std::vector<ContextBand> bands);
  ContextEncoder(const ContextEncoder&) = delete;  // members refer to each other
  ContextEncoder& operator=(const ContextEncoder&) = delete;

  /// planes: the levels of all planes. Returns the bytes written to `out`; none if every level is 0.
  size_t encode(std::span<Level* const> planes, Growing<uint8_t>& out);

 private:
  struct Table {
    bool run_coded = false;
    uint8_t* values = nullptr;
    uint32_t* runs = nullptr;
    size_t count = 0;
  };
  bool prediction_pays(std::span<Level* const> planes) const;
  void walk(std::span<Level* const> planes, bool predict);
  void walk_row(const Level* above, const Level* below, int cols, const uint8_t* sums);
  void sort_events(int tables, std::span<const uint8_t> table_of);
  void write_tables(HuffmanWriter& writer, int tables);
  void write_magnitudes(HuffmanWriter& writer, int tables, std::span<const uint8_t> table_of);

  std::vector<ContextBand> bands_;
  QuadContexts contexts_;
  std::vector<uint16_t> folded_;   // a row of levels, both rows of its quads together
  std::vector<uint16_t> context_;  // T of a row of quads
  std::vector<uint8_t> active_;    // of a row of quads: 0 if quad and T are
  std::vector<Level> errors_;      // of the lowpass

  // Event: zeros before the symbol << 16 | class << 8 | symbol. A zero quad is an event of one zero and
  // symbol 0.
  Growing<uint32_t> events_;
  size_t event_count_ = 0;
  Growing<uint16_t> magnitudes_;  // class << 8 | symbol
  size_t magnitude_count_ = 0;
  Growing<uint8_t> walk_bytes_;  // signs and extra bits of magnitudes
  BitWriter walk_bits_;
  uint32_t zeros_ = 0;         // quads with T = 0 since the last coded one
  uint64_t zeros_before_ = 0;  // such quads before coded ones
  std::array<SymbolCounts, kQuadClasses> quad_counts_;
  std::array<SymbolCounts, kMagnitudeClasses> magnitude_counts_;

  std::array<SymbolCounts, kMaxClasses> merged_;
  std::array<Table, kQuadClasses> tables_;
  Growing<uint8_t> values_;
  Growing<uint32_t> runs_;
  Growing<uint8_t> symbols_;  // of one block
  Growing<uint8_t> raw_;      // extra bits of runs, then walk_bytes_
  size_t raw_size_ = 0;
};

}  // namespace ctv
