// SPDX-License-Identifier: BSD-3-Clause
// Refinement: the eight half-sample neighbours of the best whole vector, then the eight quarter-sample
// neighbours of the best so far, and so on. The definition needs sixteen predictions of 36 products per
// sample. Half-sample predictions on opposite sides are the same filtered block, shifted by one sample, so
// three filtered blocks serve all eight. The three quarter-sample predictions of a column share the
// horizontal pass.
#include "cpu/motion/refine.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/refine.cpp"
#include "codec/control/motion_decisions.hpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/refine-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// On ties the centre wins, then raster order.
template <int kBlock>
void ImproveByHalves(Work<kBlock>& w, uint32_t lambda, Best& best) {
  constexpr int kWide = Work<kBlock>::kWide;
  constexpr int kPitch = Work<kBlock>::kPitch;
  constexpr int kDcOffset = 4;
  RowSums<kWide>(w.at(-1 - kBefore, -1), kPitch, kBlock + kTaps, kDcOffset, w.sums);
  CTV_KEEP_LOOP
  for (int i = 0; i < kBlock * kWide; ++i)
    w.horizontal[i] = static_cast<int16_t>((w.sums[(1 + kBefore) * kWide + i] + 32) >> 6);
  FilterColumns<kBlock>(w.at(-1, 0), kPitch, kBlock + 1, kDcOffset, w.vertical);
  FilterColumnsOfSums<kWide>(w.sums, kBlock + 1, kDcOffset, w.diagonal);
  const MotionVector v = best.vector;
  const auto diagonal = [&](int row, int col) {
    return SadOfSamples<kBlock>(w.current, w.diagonal + row * kWide + col, kWide);
  };
  const auto vertical = [&](int row) {
    return SadOfSamples<kBlock>(w.current, w.vertical + row * kBlock, kBlock);
  };
  const auto horizontal = [&](int col) { return SadOfSamples<kBlock>(w.current, w.horizontal + col, kWide); };
  constexpr int kHalf = kVectorUnit / 2;
  best.offer(Moved(v, -kHalf, -kHalf), diagonal(0, 0), lambda);
  best.offer(Moved(v, -kHalf, 0), vertical(0), lambda);
  best.offer(Moved(v, -kHalf, kHalf), diagonal(0, 1), lambda);
  best.offer(Moved(v, 0, -kHalf), horizontal(0), lambda);
  best.offer(Moved(v, 0, kHalf), horizontal(1), lambda);
  best.offer(Moved(v, kHalf, -kHalf), diagonal(1, 0), lambda);
  best.offer(Moved(v, kHalf, 0), vertical(1), lambda);
  best.offer(Moved(v, kHalf, kHalf), diagonal(1, 1), lambda);
}

template <int kBlock>
void Refine(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, int subpel, uint32_t lambda,
            uint32_t* costs, const MotionVector* vectors, MotionVector* refined) {
  Work<kBlock> w;
  for (int b = 0; b < blocks.cols; ++b) {
    const ptrdiff_t y = static_cast<ptrdiff_t>(block_row) * kBlock;
    const ptrdiff_t x = static_cast<ptrdiff_t>(b) * kBlock;
    const MotionVector whole = vectors[static_cast<ptrdiff_t>(block_row) * blocks.cols + b];
    if (costs[b] == 0) {  // equal or still
      refined[b] = whole;
      continue;
    }
    const MotionVector origin = predicted_vector(vectors, blocks.cols, block_row, b);
    w.load_current(planes, y, x);
    w.load_patch(planes, y, x, whole);
    Best best{whole, costs[b] + motion_cost(0, lambda, vector_difference(whole, origin)), origin};
    ImproveByHalves<kBlock>(w, lambda, best);
    for (int step = kVectorUnit / 4; step >= kVectorUnit >> subpel; step /= 2) {
      ImproveByFractions<kBlock, false>(w, whole, step, lambda, best);
    }
    refined[b] = best.vector;
    costs[b] = best.cost - motion_cost(0, lambda, vector_difference(best.vector, origin));
  }
}

void RefineBlockRow(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, int subpel,
                    uint32_t lambda, uint32_t* costs, const MotionVector* vectors, MotionVector* refined) {
  switch (blocks.log2_block) {
    case 3:
      return Refine<8>(planes, blocks, block_row, subpel, lambda, costs, vectors, refined);
    case 4:
      return Refine<16>(planes, blocks, block_row, subpel, lambda, costs, vectors, refined);
    default:
      return Refine<32>(planes, blocks, block_row, subpel, lambda, costs, vectors, refined);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(RefineBlockRow);

void refine_block_row(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, int subpel,
                      uint32_t lambda, uint32_t* costs, const MotionVector* vectors, MotionVector* refined) {
  HWY_DYNAMIC_DISPATCH(RefineBlockRow)
  (planes, blocks, block_row, subpel, lambda, costs, vectors, refined);
}

}  // namespace ctv
#endif  // HWY_ONCE
