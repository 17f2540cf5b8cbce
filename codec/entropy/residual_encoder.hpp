// SPDX-License-Identifier: BSD-3-Clause
// Encodes the macroblocks of a predicted frame in pieces, and groups pieces into regions, the components of
// its packet (docs/bitstream.md, 12).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/component_coder.hpp"
#include "codec/entropy/growing.hpp"
#include "codec/format/macroblocks.hpp"
#include "codec/format/packet.hpp"
#include "codec/model/rans.hpp"
#include "codec/model/residual_contexts.hpp"

namespace ctv {

/// Number of occurrences of each symbol.
using ResidualCounts = std::array<std::array<uint64_t, kTableSymbols>, kResidualTables>;

/// A written region. Its head lists its pieces.
struct WrittenRegion {
  size_t macroblocks = 0;
  size_t head_begin = 0, head_size = 0;
  std::span<const uint8_t> bytes;
};

class ResidualEncoder final : public ComponentCoder {
 public:
  /// resilient: divides the frame into several regions, so that a loss costs only some of them.
  ResidualEncoder(const MacroblockGrid& grid, const MotionGrid& cells, bool resilient)
      : grid_(grid), cells_(cells), resilient_(resilient) {}

  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override;
  bool decode(std::span<const uint8_t>, const CodedFrameBuffers&) override { return false; }
  size_t start_encoding(const CodedFrame& frame, Growing<uint8_t>& out) override;
  void run(size_t task) override;
  size_t finish_encoding(Growing<uint8_t>& out) override;

  /// Valid after finish_encoding(), whose buffer has the heads: the regions; none if nothing is coded.
  std::span<const WrittenRegion> regions() const { return regions_; }
  /// Counts symbols from now on. Single-threaded only.
  void count_in(ResidualCounts* counts) { counts_ = counts; }

 private:
  struct Writer;
  // Encodes consecutive pieces.
  struct Worker {
    Growing<uint32_t> events;
    Growing<uint8_t> bytes;
    size_t size = 0;
  };
  void cut_pieces();
  size_t encode_piece(size_t first, size_t count, Worker& worker);
  void make_regions(Growing<uint8_t>& heads);

  MacroblockGrid grid_;
  MotionGrid cells_;
  bool resilient_;
  CodedFrame frame_;
  CodedTiles coded_;
  std::vector<CodedPiece> pieces_;
  std::vector<size_t> first_;   // first macroblock of each piece
  std::vector<uint8_t> empty_;  // whether a piece has no coded block
  std::vector<Worker> workers_;
  size_t tasks_ = 0;
  Growing<uint8_t> joined_;
  std::vector<WrittenRegion> regions_;
  ResidualCounts* counts_ = nullptr;
};

}  // namespace ctv
