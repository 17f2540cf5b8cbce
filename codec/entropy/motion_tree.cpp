// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_tree.hpp"

#include <algorithm>

namespace ctv {
namespace {

// Initial probabilities of a 0 in 65536ths, in the order of MotionContexts.
constexpr std::array<uint16_t, MotionContexts::kCount> kPriors = {
#include "data/motion_priors.inc"
};
constexpr MotionBits kStart = [] {
  MotionBits bits{};
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = AdaptiveBit(kPriors[i]);
  return bits;
}();

/// A range coder with the contexts of motion. Copies share the contexts.
template <typename RangeCoder>
class ContextCoder {
 public:
  static constexpr bool kDecodes = RangeCoder::kDecodes;
  ContextCoder(const RangeCoder& coder, MotionBits& bits) : coder_(coder), bits_(bits.data()) {}
  [[gnu::always_inline]] bool bit(size_t context, bool one) { return coder_.bit(bits_[context], one); }
  [[gnu::always_inline]] bool even(bool one) { return coder_.even(one); }
  RangeCoder& range() { return coder_; }

 private:
  RangeCoder coder_;
  AdaptiveBit* bits_;
};

// Codes which roots are filtered. sink: output of a decoder, or null.
template <typename Coder>
void code_filtered(Coder& coder, Extent roots, const int64_t* changes, int64_t* sink) {
  for (int row = 0; row < roots.rows; ++row) {
    for (int col = 0; col < roots.cols; ++col) {
      const ptrdiff_t root = ptrdiff_t{row} * roots.cols + col;
      const int around = (col > 0 && changes[root - 1] < 0) + (row > 0 && changes[root - roots.cols] < 0);
      const bool filtered =
          coder.bit(MotionContexts::kFiltered + static_cast<size_t>(around), changes[root] < 0);
      if (sink != nullptr) sink[root] = filtered ? -1 : 0;
    }
  }
}

template <typename Side>
Side moved(Side side, size_t cells) {
  side.vectors += cells;
  if (side.skips != nullptr) side.skips += cells;
  return side;
}

}  // namespace

MotionTree::MotionTree(const MotionGrid& grid, int subpel, MotionSkips skips, bool filter)
    : frame_(grid),
      grid_(grid),
      shift_(kVectorFractionBits - subpel),
      skips_(skips),
      filtered_(filter ? Extent{grid.root_rows(), grid.root_cols()} : Extent{}),
      scratch_(grid) {}

size_t MotionTree::take(const RootArea& area, MotionLeaf* leaves) {
  const int row = area.row << kRootLevel;
  const int col = area.col << kRootLevel;
  first_ = static_cast<size_t>(row) * static_cast<size_t>(frame_.cols) + static_cast<size_t>(col);
  grid_ = {frame_.log2_block, std::min(area.rows << kRootLevel, frame_.rows - row),
           std::min(area.cols << kRootLevel, frame_.cols - col)};
  scratch_.leaves = leaves;
  return grid_.size();
}

size_t MotionTree::start_encoding(const CodedFrame& frame, Growing<uint8_t>& out) {
  bits_ = kStart;
  changes_ = frame.side.changes;
  ContextCoder coder(RangeEncoder(out), bits_);
  MotionWalk walk(coder, grid_, frame_.cols, shift_, skips_, moved(frame.side, first_), {}, scratch_);
  walk.trees();
  walk.vectors();
  encoder_ = coder.range();
  return 0;
}

size_t MotionTree::finish_encoding(Growing<uint8_t>&) {
  ContextCoder coder(*encoder_, bits_);
  code_filtered(coder, filtered_, changes_, nullptr);
  return coder.range().finish();
}

size_t MotionTree::start_decoding(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) {
  bits_ = kStart;
  sink_ = frame.side;
  ContextCoder coder(RangeDecoder(bytes), bits_);
  MotionWalk(coder, grid_, frame_.cols, shift_, skips_, {}, moved(sink_, first_), scratch_).trees();
  decoder_ = coder.range();
  return 1;
}

void MotionTree::run(size_t) {
  ContextCoder coder(decoder_, bits_);
  MotionWalk(coder, grid_, frame_.cols, shift_, skips_, {}, moved(sink_, first_), scratch_).vectors();
  code_filtered(coder, filtered_, sink_.changes, sink_.changes);
  decoder_ = coder.range();
}

}  // namespace ctv
