// SPDX-License-Identifier: BSD-3-Clause
// Smoothing. The full search treats all blocks at once, so the cost of a vector depends on its length. In the
// stream it costs its difference to the predictor. Now that the neighbours' vectors are known, each block
// tries these, their median and zero at that cost: at most ten SADs, most of equal vectors.
#include "codec/control/motion_decisions.hpp"
#include "cpu/motion/refine.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/smooth.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

template <int kBlock>
uint32_t SadOfBlock(const SearchPlanes& planes, ptrdiff_t y, ptrdiff_t x, MotionVector v) {
  const uint8_t* current = planes.current + y * planes.current_stride + x;
  const uint8_t* reference =
      planes.reference + (y + v.y / kVectorUnit) * planes.reference_stride + x + v.x / kVectorUnit;
  int sum = 0;
  for (int r = 0; r < kBlock; ++r) {
    for (int i = 0; i < kBlock; ++i) sum += abs_of(current[i] - reference[i]);
    current += planes.current_stride;
    reference += planes.reference_stride;
  }
  return static_cast<uint32_t>(sum);
}

template <int kBlock>
void Smooth(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, uint32_t lambda,
            uint32_t* costs, const MotionVector* vectors, MotionVector* smoothed) {
  for (int b = 0; b < blocks.cols; ++b) {
    MotionVector tried[kSmoothCandidates + 1];
    const MotionVector own = vectors[static_cast<ptrdiff_t>(block_row) * blocks.cols + b];
    if (costs[b] == 0) {  // equal or still
      smoothed[b] = own;
      continue;
    }
    const MotionVector origin = predicted_vector(vectors, blocks.cols, block_row, b);
    MotionVector best = own;
    uint32_t best_cost = costs[b] + motion_cost(0, lambda, vector_difference(own, origin));
    int count = 0;
    tried[count++] = own;
    for (int i = 0; i < kSmoothCandidates; ++i) {
      const MotionVector v = smooth_candidate(vectors, blocks.rows, blocks.cols, block_row, b, i);
      bool known = false;
      for (int k = 0; k < count; ++k) known = known || tried[k] == v;
      if (known) continue;
      tried[count++] = v;
      const uint32_t price = motion_cost(0, lambda, vector_difference(v, origin));
      if (price >= best_cost) continue;
      const uint32_t cost =
          16 * SadOfBlock<kBlock>(planes, ptrdiff_t{block_row} * kBlock, ptrdiff_t{b} * kBlock, v) + price;
      if (cost < best_cost) {
        best = v;
        best_cost = cost;
      }
    }
    smoothed[b] = best;
    costs[b] = best_cost - motion_cost(0, lambda, vector_difference(best, origin));
  }
}

void SmoothBlockRow(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, uint32_t lambda,
                    uint32_t* costs, const MotionVector* vectors, MotionVector* smoothed) {
  switch (blocks.log2_block) {
    case 3:
      return Smooth<8>(planes, blocks, block_row, lambda, costs, vectors, smoothed);
    case 4:
      return Smooth<16>(planes, blocks, block_row, lambda, costs, vectors, smoothed);
    default:
      return Smooth<32>(planes, blocks, block_row, lambda, costs, vectors, smoothed);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(SmoothBlockRow);

void smooth_block_row(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, uint32_t lambda,
                      uint32_t* costs, const MotionVector* vectors, MotionVector* smoothed) {
  HWY_DYNAMIC_DISPATCH(SmoothBlockRow)
  (planes, blocks, block_row, lambda, costs, vectors, smoothed);
}

}  // namespace ctv
#endif  // HWY_ONCE
