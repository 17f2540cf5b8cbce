// SPDX-License-Identifier: BSD-3-Clause
// Decodes a region of a predicted frame: consecutive macroblocks, in pieces.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/entropy/component_coder.hpp"
#include "codec/entropy/growing.hpp"
#include "codec/format/macroblocks.hpp"
#include "codec/util/memory_budget.hpp"

namespace ctv {

class RegionDecoder final : public ComponentCoder {
 public:
  RegionDecoder(const MacroblockGrid& grid, const MotionGrid& cells) : grid_(grid), cells_(cells) {}

  /// Sets the region's macroblocks in the next packet.
  void set_range(size_t first, size_t count) {
    first_ = first;
    count_ = count;
  }
  size_t encode(const CodedFrame&, Growing<uint8_t>&) override { return 0; }
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override;
  /// Without bytes, no macroblock of the region is coded.
  size_t start_decoding(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override;
  void run(size_t task) override;
  bool finish_decoding() override;
  bool send(std::span<const uint8_t> bytes, size_t component, ComponentReceiver& receiver) override;

 private:
  bool read_index(std::span<const uint8_t> bytes);
  bool decode_piece(const TilePiece& piece);

  MacroblockGrid grid_;
  MotionGrid cells_;
  size_t first_ = 0, count_ = 0;
  CodedFrameBuffers frame_;
  CountedVector<TilePiece> pieces_;  // with macroblock numbers of the frame
  Growing<uint8_t> bytes_;           // padded, since readers overrun
  std::array<bool, 16> sound_{};     // by task
  size_t tasks_ = 0;
  bool whole_ = true;
  Held held_{sizeof(RegionDecoder)};
};

}  // namespace ctv
