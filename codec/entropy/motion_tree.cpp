// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_tree.hpp"

#include <algorithm>

namespace ctv {
namespace {

// Longest side of a slice, in roots of cells of 8x8. Many are decoded at once, but each begins without
// contexts.
constexpr int kSide = 10;
constexpr int kSideOfMany = 5;
constexpr size_t kManyRoots = 400;

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

// Slices in a row or column of so many roots.
int slices_along(const MotionGrid& grid, int roots) {
  const int larger = grid.log2_block - kLog2Cell;  // cells
  const int side = (grid.roots() << 2 * larger) < kManyRoots ? kSide : kSideOfMany;
  return ceil_div(roots, std::max(side >> larger, 1));
}

// The cells of a row or column of `roots` that the slice has: first, and how many. All but the last have the
// same roots.
struct Cells {
  int first, count;
};
Cells cells_along(const MotionGrid& grid, int roots, int cells, int slice) {
  const int side = ceil_div(roots, slices_along(grid, roots)) << kRootLevel;
  return {slice * side, std::min(side, cells - slice * side)};
}

Cells rows_of(const MotionGrid& grid, int slice) {
  return cells_along(grid, grid.root_rows(), grid.rows, slice / slices_along(grid, grid.root_cols()));
}
Cells cols_of(const MotionGrid& grid, int slice) {
  return cells_along(grid, grid.root_cols(), grid.cols, slice % slices_along(grid, grid.root_cols()));
}

MotionGrid slice_of(const MotionGrid& grid, int slice) {
  return {grid.log2_block, rows_of(grid, slice).count, cols_of(grid, slice).count};
}

template <typename Side>
Side moved(Side side, size_t cells) {
  side.vectors += cells;
  if (side.skips != nullptr) side.skips += cells;
  return side;
}

}  // namespace

int motion_slices(const MotionGrid& grid) {
  return slices_along(grid, grid.root_rows()) * slices_along(grid, grid.root_cols());
}

MotionTree::MotionTree(const MotionGrid& grid, int slice, int subpel, bool skips, bool filter)
    : grid_(slice_of(grid, slice)),
      cols_(grid.cols),
      first_(static_cast<size_t>(rows_of(grid, slice).first) * static_cast<size_t>(grid.cols) +
             static_cast<size_t>(cols_of(grid, slice).first)),
      shift_(kVectorFractionBits - subpel),
      skips_(skips),
      filtered_(filter && slice == 0 ? Extent{grid.root_rows(), grid.root_cols()} : Extent{}),
      scratch_(grid_) {}

size_t MotionTree::start_encoding(const CodedFrame& frame, Growing<uint8_t>& out) {
  bits_ = kStart;
  changes_ = frame.side.changes;
  ContextCoder coder(RangeEncoder(out), bits_);
  MotionWalk walk(coder, grid_, cols_, shift_, skips_, moved(frame.side, first_), {}, scratch_);
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
  MotionWalk(coder, grid_, cols_, shift_, skips_, {}, moved(sink_, first_), scratch_).trees();
  decoder_ = coder.range();
  return 1;
}

void MotionTree::run(size_t) {
  ContextCoder coder(decoder_, bits_);
  MotionWalk(coder, grid_, cols_, shift_, skips_, {}, moved(sink_, first_), scratch_).vectors();
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
