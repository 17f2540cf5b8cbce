// SPDX-License-Identifier: BSD-3-Clause
// A component's levels to bytes by contexts (docs/bitstream.md, 6.5): a walk over all quads notes an event
// for each quad whose surroundings are not all zero, with the class of what the decoder will know there;
// symbol_sorter.hpp does the rest.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/context_bands.hpp"
#include "codec/entropy/growing.hpp"
#include "codec/entropy/huffman_writer.hpp"
#include "codec/entropy/quad_contexts.hpp"
#include "codec/entropy/symbol_sorter.hpp"

namespace ctv {

class ContextEncoder {
 public:
  explicit ContextEncoder(std::vector<ContextBand> bands);
  ContextEncoder(const ContextEncoder&) = delete;  // members refer to each other
  ContextEncoder& operator=(const ContextEncoder&) = delete;

  /// planes: the levels of all planes. Returns the bytes written to `out`; none if every level is 0.
  size_t encode(std::span<const Level* const> planes, Growing<uint8_t>& out);
  /// The same bytes from events that a backend has found; planes: the levels of lowpasses.
  size_t encode(std::span<const Level* const> planes, const QuadEvents& found, Growing<uint8_t>& out);

 private:
  bool prediction_pays(std::span<const Level* const> planes) const;
  void walk_band(size_t band, std::span<const Level* const> planes, bool predict);
  void walk_row(const Level* above, const Level* below, int cols, const uint8_t* sums);
  void code_quads(const Level* above, const Level* below, int cols, SymbolSorter::Event* events,
                  size_t count);
  void start();
  void take_row(const QuadRow& row, const QuadEvent* events, const uint16_t* magnitudes, int quads);
  void sum_counts();
  size_t finish(bool predict, Growing<uint8_t>& out);

  std::vector<ContextBand> bands_;
  QuadContexts contexts_;
  std::vector<uint16_t> folded_;   // a row of levels, both rows of its quads together
  std::vector<uint16_t> context_;  // T of a row of quads
  std::vector<uint8_t> active_;    // of a row of quads: 0 if quad and T are
  struct Coded {
    uint32_t x;      // of a quad that is not 0
    uint32_t event;  // from the row's first one
  };
  std::vector<Coded> coded_;   // of a row
  std::vector<Level> errors_;  // of the lowpass
  uint64_t quad_count_ = 0;

  SymbolSorter quads_;
  SymbolSorter magnitudes_;
  uint32_t zeros_ = 0;  // inactive quads since the last event
  std::array<uint32_t, 1U << (kLog2QuadSymbols + kLog2QuadClasses)> found_{};  // events by class and symbol
  Growing<uint8_t> walk_bytes_;  // signs and extra bits of magnitudes
  BitWriter walk_bits_;
  Growing<uint8_t> raw_;  // extra bits of runs, then walk_bytes_
};

}  // namespace ctv
