// SPDX-License-Identifier: BSD-3-Clause
// The way back from context_encoder.hpp (docs/bitstream.md, 6.5). All Huffman blocks are read into arrays
// first; then one walk over the quads takes each symbol from the array of its class. Runs of zeros under T =
// 0 are stepped over as a whole. Any bytes end in levels or in false: arrays cannot outgrow the component's
// quads, and the walk has one step for each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/context_bands.hpp"
#include "codec/entropy/growing.hpp"
#include "codec/entropy/huffman_reader.hpp"
#include "codec/entropy/model/quad_alphabet.hpp"
#include "codec/entropy/number_buckets.hpp"
#include "codec/entropy/quad_contexts.hpp"
#include "codec/entropy/symbol_tables.hpp"

namespace ctv {

class ContextDecoder {
 public:
  explicit ContextDecoder(std::vector<ContextBand> bands);
  ContextDecoder(const ContextDecoder&) = delete;  // members refer to each other
  ContextDecoder& operator=(const ContextDecoder&) = delete;

  /// Writes every level of the component, whatever was there. False if the bytes are not exactly its
  /// encoding; the levels are then undefined.
  bool decode(std::span<const uint8_t> bytes, std::span<Level* const> planes);
  /// The same as a list of the quads that are not 0; of components without lowpass and levels of parents.
  bool decode(std::span<const uint8_t> bytes, QuadList& list);

 private:
  bool read(std::span<const uint8_t> bytes);
  bool walk_band(size_t band, std::span<Level* const> planes);
  struct Coded {          // a quad that is not 0
    uint32_t magnitudes;  // a symbol for each of its digits 2, close together
    uint16_t x;
    uint8_t symbol;
  };
  int skip(int x, int quads);
  /// put(x, lanes): of each quad that is not 0.
  template <typename Put>
  bool walk_row(int quads, uint8_t* sums, Put put);
  template <typename Put>
  int put_quads(const Coded* begin, const Coded* end, Put& put);
  bool used_up();
  void clear(std::span<Level* const> planes) const;

  std::vector<ContextBand> bands_;
  size_t quad_count_ = 0;
  QuadContexts contexts_;
  std::vector<uint16_t> context_;  // T of a row of quads but for the row's own part
  std::vector<Coded> coded_;       // of a row

  HuffmanReader huffman_;
  bool predicted_ = false;
  SymbolTables quads_{kQuadClasses, kQuadSymbols};
  SymbolTables magnitudes_{kMagnitudeClasses, kMagnitudeSymbols};
  std::array<uint32_t, kQuadClasses> ahead_{};                      // of each table's next symbol
  std::array<uint8_t, kContextValues> table_of_context_;            // of quads_, by T
  std::array<uint8_t, kContextValues> magnitude_table_of_context_;  // by T and the number of large levels
  const uint8_t* first_symbol_ = nullptr;                           // of the first table of quads_
  const uint32_t* next_value_ = nullptr;                            // of SymbolTables::places()
  Growing<uint8_t> joined_;  // raw bytes, if they are more than one stored block
  BitReader bits_;           // signs and extra bits of magnitudes
};

}  // namespace ctv
