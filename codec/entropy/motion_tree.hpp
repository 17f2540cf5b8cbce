// SPDX-License-Identifier: BSD-3-Clause
// Codes the motion of a slice of a frame (docs/bitstream.md, 7) as quadtrees. Leaves are squares of 1 to 8
// cells per side. A leaf has one vector, merged or with a coded difference; with picture prediction it may be
// skipped.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/entropy/component_coder.hpp"
#include "codec/entropy/motion_slices.hpp"
#include "codec/entropy/motion_walk.hpp"
#include "codec/entropy/range_coder.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/util/memory_budget.hpp"

namespace ctv {

using MotionBits = std::array<AdaptiveBit, MotionContexts::kCount>;

inline MotionSkips motion_skips(const SequenceHeader& header) {
  if (header.prediction != Prediction::kPicture) return MotionSkips::kNone;
  return header.macroblocks() ? MotionSkips::kStill : MotionSkips::kAny;
}

class MotionTree final : public ComponentCoder {
 public:
  /// grid: of the frame. subpel: vector precision. filter: whether this slice codes which roots of the frame
  /// are filtered. Call take() before the other functions.
  MotionTree(const MotionGrid& grid, int subpel, MotionSkips skips, bool filter = false);
  /// Assigns an area of the grid. leaves: room for as many leaves as the area has cells. Returns their
  /// number.
  size_t take(const RootArea& area, MotionLeaf* leaves);
  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override {
    start_encoding(frame, out);
    return finish_encoding(out);
  }
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override {
    start_decoding(bytes, frame);
    run(0);
    return finish_decoding();
  }
  /// Encodes everything except which roots are filtered.
  size_t start_encoding(const CodedFrame& frame, Growing<uint8_t>& out) override;
  size_t finish_encoding(Growing<uint8_t>& out) override;
  /// Decodes skips. The single task decodes the rest.
  size_t start_decoding(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override;
  void run(size_t task) override;
  bool finish_decoding() override { return decoder_.sound(); }

 private:
  Held held_{sizeof(MotionTree)};
  MotionGrid frame_;
  MotionGrid grid_;   // of the area
  size_t first_ = 0;  // number of its first cell in the frame
  int shift_;         // vectors are multiples of 2^shift
  MotionSkips skips_;
  Extent filtered_;  // roots of the frame, if this slice codes which are filtered
  MotionScratch scratch_;
  // State between the steps.
  MotionBits bits_;
  std::optional<RangeEncoder> encoder_;
  RangeDecoder decoder_;
  const int64_t* changes_ = nullptr;  // encoder
  SideInfo sink_;                     // decoder
};

}  // namespace ctv
