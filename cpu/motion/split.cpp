// SPDX-License-Identifier: BSD-3-Clause
// Split: a block may have four vectors, one per quarter, if the difference drops by more than they cost.
// Motion changes at the borders of objects. So a quarter tries the vectors of its block and of the two
// adjacent blocks, then four neighbours at half and quarter samples: at most eleven predictions per sample.
// Blocks that move like their neighbours are not split, nor blocks whose difference is small compared with
// the cost of a split.
#include "codec/control/motion_decisions.hpp"
#include "cpu/motion/refine.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/split.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/refine-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

MotionVector WholePart(MotionVector v) {
  return {static_cast<int16_t>(v.y & -kVectorUnit), static_cast<int16_t>(v.x & -kVectorUnit)};
}

// Finds the best vector of the kQuarter x kQuarter samples at (y, x). The first candidate is the block's
// vector.
template <int kQuarter>
Best MatchQuarter(Work<kQuarter>& w, const SearchPlanes& planes, ptrdiff_t y, ptrdiff_t x, uint32_t lambda,
                  const MotionVector (&candidates)[3]) {
  w.load_current(planes, y, x);
  Best best{candidates[0], UINT32_MAX, candidates[0]};
  for (int i = 0; i < 3; ++i) {
    const MotionVector v = candidates[i];
    if (i > 0 && (v == candidates[0] || v == candidates[i - 1])) continue;
    const MotionVector whole = WholePart(v);
    const MotionVector fraction = vector_difference(v, whole);
    w.load_patch(planes, y, x, whole);
    RowSums<kQuarter>(w.at(-kBefore, 0), Work<kQuarter>::kPitch, kQuarter + kTaps - 1, fraction.x, w.sums);
    FilterColumnsOfSums<kQuarter>(w.sums, kQuarter, fraction.y, w.diagonal);
    best.offer(v, SadOfSamples<kQuarter>(w.current, w.diagonal, kQuarter), lambda);
  }
  return best;
}

template <int kQuarter>
void ImproveQuarter(Work<kQuarter>& w, const SearchPlanes& planes, ptrdiff_t y, ptrdiff_t x, int step,
                    uint32_t lambda, Best& best) {
  const MotionVector whole = WholePart(best.vector);
  w.load_current(planes, y, x);
  w.load_patch(planes, y, x, whole);
  ImproveByFractions<kQuarter, true>(w, whole, step, lambda, best);
}

template <int kQuarter>
void Split(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, int subpel, uint32_t lambda,
           const uint32_t* costs, const MotionVector* vectors, MotionVector* split) {
  Work<kQuarter> w;
  const auto row = [&](int r) {
    return vectors + static_cast<ptrdiff_t>(clamp_to(r, 0, blocks.rows - 1)) * blocks.cols;
  };
  for (int b = 0; b < blocks.cols; ++b) {
    const MotionVector own = row(block_row)[b];
    MotionVector* out[4];
    for (int k = 0; k < 4; ++k) {
      out[k] = split + static_cast<ptrdiff_t>(k >> 1) * 2 * blocks.cols + 2 * b + (k & 1);
      *out[k] = own;
    }
    const uint32_t price = lambda * kSplitBits;
    const MotionVector before = row(block_row)[max_of(b - 1, 0)];
    const MotionVector behind = row(block_row)[min_of(b + 1, blocks.cols - 1)];
    if (price * kSplitWorth >= costs[b] ||
        (move_alike(own, before) && move_alike(own, behind) && move_alike(own, row(block_row - 1)[b]) &&
         move_alike(own, row(block_row + 1)[b]))) {
      continue;
    }
    const auto y = [&](int k) { return (2 * ptrdiff_t{block_row} + (k >> 1)) * kQuarter; };
    const auto x = [&](int k) { return (2 * ptrdiff_t{b} + (k & 1)) * kQuarter; };
    Best quarters[4];
    uint32_t sum = 0;
    for (int k = 0; k < 4; ++k) {
      const MotionVector above_or_below = row(block_row + 2 * (k >> 1) - 1)[b];
      quarters[k] = MatchQuarter<kQuarter>(w, planes, y(k), x(k), lambda,
                                           {own, (k & 1) != 0 ? behind : before, above_or_below});
      sum += quarters[k].cost;
    }
    for (int step = kVectorUnit / 2; step >= kSplitStep && step >= kVectorUnit >> subpel; step /= 2) {
      if (step < kVectorUnit / 2 && split_is_hopeless(costs[b], sum, lambda)) break;
      sum = 0;
      for (int k = 0; k < 4; ++k) {
        ImproveQuarter<kQuarter>(w, planes, y(k), x(k), step, lambda, quarters[k]);
        sum += quarters[k].cost;
      }
    }
    if (price + sum >= costs[b]) continue;
    for (int k = 0; k < 4; ++k) *out[k] = quarters[k].vector;
  }
}

void SplitBlockRow(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, int subpel,
                   uint32_t lambda, const uint32_t* costs, const MotionVector* vectors, MotionVector* split) {
  if (blocks.log2_block == 4)
    return Split<8>(planes, blocks, block_row, subpel, lambda, costs, vectors, split);
  Split<16>(planes, blocks, block_row, subpel, lambda, costs, vectors, split);
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(SplitBlockRow);

void split_block_row(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, int subpel,
                     uint32_t lambda, const uint32_t* costs, const MotionVector* vectors,
                     MotionVector* split) {
  HWY_DYNAMIC_DISPATCH(SplitBlockRow)
  (planes, blocks, block_row, subpel, lambda, costs, vectors, split);
}

}  // namespace ctv
#endif  // HWY_ONCE
