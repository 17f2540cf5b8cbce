// SPDX-License-Identifier: BSD-3-Clause
// The way back from context_encoder.hpp (docs/symbols.md). All Huffman blocks are read into arrays first;
// then one walk over the quads takes each symbol from the array of its class. Runs of zeros under T = 0 are
// stepped over as a whole. Any bytes end in levels or in false: arrays cannot outgrow the component's quads,
// and the walk has one step for each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/context_bands.hpp"
#include "codec/entropy/growing.hpp"
#include "codec/entropy/huffman_reader.hpp"
#include "codec/entropy/quad_contexts.hpp"

namespace ctv {

class ContextDecoder {
 public:
  explicit ContextDecoder(std::vector<ContextBand> bands);
  ContextDecoder(const ContextDecoder&) = delete;  // members refer to each other
  ContextDecoder& operator=(const ContextDecoder&) = delete;

  /// Writes every level of the component, whatever was there. False if the bytes are not exactly its
  /// encoding; the levels are then undefined.
  bool decode(std::span<const uint8_t> bytes, std::span<Level* const> planes);

 private:
  struct Table {
    const uint8_t* value = nullptr;
    const uint32_t* run = nullptr;  // zeros before the next value
    uint32_t zeros = 0;             // left before *value
    const uint8_t* values_end = nullptr;
  };
  struct Magnitudes {
    const uint8_t* next = nullptr;
    const uint8_t* end = nullptr;
  };
  bool read_head(uint32_t head);
  bool read_tables(std::span<const uint8_t> stream);
  bool expand_runs();
  bool walk_band(size_t band, std::span<Level* const> planes);
  bool walk_row(Level* above, Level* below, int cols, uint8_t* sums);
  bool everything_was_used() const;
  void clear(std::span<Level* const> planes) const;

  std::vector<ContextBand> bands_;
  size_t quads_ = 0;
  QuadContexts contexts_;
  std::vector<uint16_t> context_;  // T of a row of quads but for the row's own part

  bool predicted_ = false;
  int quad_tables_ = 0;
  int magnitude_tables_ = 0;
  std::array<uint8_t, kQuadClasses> quad_table_of_{};
  std::array<uint8_t, kMagnitudeClasses> magnitude_table_of_{};
  std::array<bool, kQuadClasses> run_coded_{};

  HuffmanReader huffman_;
  Growing<uint8_t> symbols_;  // all arrays of symbols, one after the other
  struct Array {
    size_t runs, values, count;  // begins in symbols_
  };
  std::array<Array, kQuadClasses> arrays_{};
  Growing<uint32_t> runs_;
  Growing<uint8_t> joined_;  // raw bytes, if they are more than one stored block
  std::span<const uint8_t> raw_;
  BitReader bits_;  // signs and extra bits of magnitudes
  std::array<Table, kQuadClasses> tables_;
  std::array<Magnitudes, kMagnitudeClasses> magnitudes_;
};

}  // namespace ctv
