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
using MotionBits = std::array<AdaptiveBit, MotionContexts::kCount>;
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
    : grid_(grid),
      shift_(kVectorFractionBits - subpel),
      skips_(skips),
      filtered_(filter && slice == 0 ? Extent{grid.root_rows(), grid.root_cols()} : Extent{}) {
  const int first = first_row(grid, slice);
  grid_.rows = first_row(grid, slice + 1) - first;
  first_ = static_cast<size_t>(first) * static_cast<size_t>(grid.cols);
  cells_.resize(static_cast<size_t>(grid.cols + 2));
}

size_t MotionTree::encode(const CodedFrame& frame, Growing<uint8_t>& out) {
  MotionBits bits = kStart;
  ContextCoder coder(RangeEncoder(out), bits);
  code_filtered(coder, filtered_, frame.side.changes, nullptr);
  MotionWalk(coder, grid_, shift_, skips_, cells_).run(moved(frame.side, first_), {});
  return coder.range().finish();
}

bool MotionTree::decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) {
  MotionBits bits = kStart;
  ContextCoder coder(RangeDecoder(bytes), bits);
  code_filtered(coder, filtered_, frame.side.changes, frame.side.changes);
  MotionWalk(coder, grid_, shift_, skips_, cells_).run({}, moved(frame.side, first_));
  return coder.range().sound();
}

size_t MotionTree::bytes(const MotionGrid& grid) {
  const auto slices = static_cast<size_t>(motion_slices(grid));
  return slices * (sizeof(MotionTree) + static_cast<size_t>(grid.cols + 2) * sizeof(MotionCell));
}

}  // namespace ctv
