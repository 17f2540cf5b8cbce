// SPDX-License-Identifier: BSD-3-Clause
// The motion of a slice of a frame as bytes (docs/bitstream.md, 7): quadtrees whose leaves are squares of 1
// to 8 vectors of the grid on a side. A leaf has one vector, a neighbour's or a coded difference, and with
// picture prediction it may be skipped.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/entropy/component_coder.hpp"
#include "codec/entropy/motion_walk.hpp"
#include "codec/entropy/range_coder.hpp"
#include "codec/format/motion_grid.hpp"

namespace ctv {

using MotionBits = std::array<AdaptiveBit, MotionContexts::kCount>;

/// Slices of a grid: rectangles of roots that are coded apart from the others, so that they can be coded at
/// the same time.
int motion_slices(const MotionGrid& grid);

class MotionTree final : public ComponentCoder {
 public:
  /// grid: of the frame. slice: 0 .. motion_slices(grid) - 1. subpel: vector precision. skips: whether cells
  /// may be skipped. filter: whether the first slice says which roots are filtered.
  MotionTree(const MotionGrid& grid, int slice, int subpel, bool skips, bool filter = false);
  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override {
    start_encoding(frame, out);
    return finish_encoding(out);
  }
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override {
    start_decoding(bytes, frame);
    run(0);
    return finish_decoding();
  }
  /// Encodes all but which roots are filtered.
  size_t start_encoding(const CodedFrame& frame, Growing<uint8_t>& out) override;
  size_t finish_encoding(Growing<uint8_t>& out) override;
  /// Decodes skips. The one task decodes the rest.
  size_t start_decoding(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override;
  void run(size_t task) override;
  bool finish_decoding() override { return decoder_.sound(); }
  /// Bytes that the decoders of all slices allocate.
  static size_t bytes(const MotionGrid& grid);

 private:
  MotionGrid grid_;  // of the slice
  int cols_;         // of the frame
  size_t first_;     // cell of the slice in the frame
  int shift_;        // vectors are multiples of 2^shift
  bool skips_;
  Extent filtered_;  // roots of the frame, if this slice says which are filtered
  MotionScratch scratch_;
  // Between the steps.
  MotionBits bits_;
  std::optional<RangeEncoder> encoder_;
  RangeDecoder decoder_;
  const int64_t* changes_ = nullptr;  // encoder
  SideInfo sink_;                     // decoder
};

}  // namespace ctv
