// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_tree.hpp"

#include <algorithm>

namespace ctv {
namespace {

constexpr int kRootsOfASlice = 60;
constexpr int kMostSlices = 16;

// Probabilities of a 0 in 65536ths, in the order of MotionContexts.
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

// Which roots are filtered. sink: where that goes (decoder), or null.
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

// Rows of roots of all slices but the last, which has those that are left. So no slice is much longer than
// the others: a frame waits for the longest.
int slice_rows(const MotionGrid& grid) {
  const int rows = grid.root_rows();
  const int slices = std::clamp(rows * grid.root_cols() / kRootsOfASlice, 1, rows);
  return std::max(rows / slices, (rows + kMostSlices - 1) / kMostSlices);
}

// First row of cells of a slice; slice = motion_slices(): behind the last.
int first_row(const MotionGrid& grid, int slice) {
  return std::min(slice * slice_rows(grid) << kRootLevel, grid.rows);
}

MotionGrid slice_of(const MotionGrid& grid, int slice) {
  MotionGrid own = grid;
  own.rows = first_row(grid, slice + 1) - first_row(grid, slice);
  return own;
}

template <typename Side>
Side moved(Side side, size_t cells) {
  side.vectors += cells;
  if (side.skips != nullptr) side.skips += cells;
  return side;
}

}  // namespace

int motion_slices(const MotionGrid& grid) {
  return (grid.root_rows() + slice_rows(grid) - 1) / slice_rows(grid);
}

MotionTree::MotionTree(const MotionGrid& grid, int slice, int subpel, bool skips, bool filter)
    : grid_(slice_of(grid, slice)),
      first_(static_cast<size_t>(first_row(grid, slice)) * static_cast<size_t>(grid.cols)),
      shift_(kVectorFractionBits - subpel),
      skips_(skips),
      filtered_(filter && slice == 0 ? Extent{grid.root_rows(), grid.root_cols()} : Extent{}),
      scratch_(grid_) {}

size_t MotionTree::start_encoding(const CodedFrame& frame, Growing<uint8_t>& out) {
  bits_ = kStart;
  changes_ = frame.side.changes;
  ContextCoder coder(RangeEncoder(out), bits_);
  MotionWalk walk(coder, grid_, shift_, skips_, moved(frame.side, first_), {}, scratch_);
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
  MotionWalk(coder, grid_, shift_, skips_, {}, moved(sink_, first_), scratch_).trees();
  decoder_ = coder.range();
  return 1;
}

void MotionTree::run(size_t) {
  ContextCoder coder(decoder_, bits_);
  MotionWalk(coder, grid_, shift_, skips_, {}, moved(sink_, first_), scratch_).vectors();
  code_filtered(coder, filtered_, sink_.changes, sink_.changes);
  decoder_ = coder.range();
}

size_t MotionTree::bytes(const MotionGrid& grid) {
  size_t bytes = 0;
  for (int i = 0; i < motion_slices(grid); ++i) {
    bytes += sizeof(MotionTree) + MotionScratch::bytes(slice_of(grid, i));
  }
  return bytes;
}

}  // namespace ctv
