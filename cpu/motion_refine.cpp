// SPDX-License-Identifier: BSD-3-Clause
// Refinement: the eight half-sample neighbours of the best whole vector, then the eight quarter-sample and the
// eight eighth-sample neighbours of the best so far; 24 predictions of 64 products a sample. The three candidates of a
// column share the pass along rows, and the pass along columns is compared as it is made: predictions are
// never stored.
#include "cpu/motion_refine.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion_refine.cpp"
#include "cpu/simd_foreach.hpp"

#include "cpu/interpolate-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// SAD of a block against the pass along columns over sums of rows.
template <int kBlock>
uint32_t SadOfColumns(const uint8_t* current, ptrdiff_t stride, const int16_t* sums, int eighth) {
  alignas(64) int16_t prediction[kBlock * kBlock];
  FilterColumnsOfSums<kBlock>(sums, kBlock, eighth, prediction);
  int sad = 0;
  for (int r = 0; r < kBlock; ++r) {
    const uint8_t* __restrict c = current + r * stride;
    const int16_t* __restrict p = prediction + r * kBlock;
    for (int x = 0; x < kBlock; ++x) sad += abs_of(c[x] - p[x]);
  }
  return static_cast<uint32_t>(sad);
}

// reference: the block's own place. Tries the neighbours `step` eighths away from best.
template <int kBlock>
void Improve(const uint8_t* current, ptrdiff_t current_stride, const uint8_t* reference, ptrdiff_t stride,
             int step, uint32_t lambda, MotionVector& best, uint32_t& best_cost) {
  constexpr int kRows =
      kBlock + kTaps;  // one more than a prediction needs: the candidates' rows differ by one
  alignas(64) int16_t sums[kRows * kBlock];
  const MotionVector centre = best;
  const int top = displacement(centre.y - step, 0).whole;
  uint32_t costs[3][3];
  for (int j = 0; j < 3; ++j) {
    const Displacement dx = displacement(centre.x + (j - 1) * step, 0);
    RowSums<kBlock>(reference + (top - kBefore) * stride + dx.whole, stride, kRows, dx.eighth, sums);
    for (int i = 0; i < 3; ++i) {
      if (i == 1 && j == 1) continue;
      const MotionVector v{static_cast<int16_t>(centre.y + (i - 1) * step),
                           static_cast<int16_t>(centre.x + (j - 1) * step)};
      const Displacement dy = displacement(v.y, 0);
      const uint32_t sad =
          SadOfColumns<kBlock>(current, current_stride, sums + (dy.whole - top) * kBlock, dy.eighth);
      costs[i][j] = motion_cost(sad, lambda, v);
    }
  }
  for (int i = 0; i < 3; ++i) {  // the centre wins ties, then raster order
    for (int j = 0; j < 3; ++j) {
      if ((i == 1 && j == 1) || costs[i][j] >= best_cost) continue;
      best_cost = costs[i][j];
      best = {static_cast<int16_t>(centre.y + (i - 1) * step),
              static_cast<int16_t>(centre.x + (j - 1) * step)};
    }
  }
}

template <int kBlock>
void Refine(const SearchPlanes& planes, int block_row, int block_cols, int subpel, uint32_t lambda,
            const int64_t* keys, MotionVector* vectors) {
  for (int b = 0; b < block_cols; ++b) {
    const ptrdiff_t y = static_cast<ptrdiff_t>(block_row) * kBlock;
    const ptrdiff_t x = static_cast<ptrdiff_t>(b) * kBlock;
    const uint8_t* current = planes.current + y * planes.current_stride + x;
    const uint8_t* reference = planes.reference + y * planes.reference_stride + x;
    uint32_t cost = static_cast<uint32_t>(keys[b] >> kKeyIndexBits);
    MotionVector best = vectors[b];
    for (int step = kVectorUnit / 2; step >= kVectorUnit >> subpel; step /= 2) {
      Improve<kBlock>(current, planes.current_stride, reference, planes.reference_stride, step, lambda, best,
                      cost);
    }
    vectors[b] = best;
  }
}

void RefineBlockRow(const SearchPlanes& planes, int log2_block, int block_row, int block_cols, int subpel,
                    uint32_t lambda, const int64_t* keys, MotionVector* vectors) {
  switch (log2_block) {
    case 3:
      return Refine<8>(planes, block_row, block_cols, subpel, lambda, keys, vectors);
    case 4:
      return Refine<16>(planes, block_row, block_cols, subpel, lambda, keys, vectors);
    default:
      return Refine<32>(planes, block_row, block_cols, subpel, lambda, keys, vectors);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(RefineBlockRow);

void refine_block_row(const SearchPlanes& planes, int log2_block, int block_row, int block_cols, int subpel,
                      uint32_t lambda, const int64_t* keys, MotionVector* vectors) {
  HWY_DYNAMIC_DISPATCH(RefineBlockRow)
  (planes, log2_block, block_row, block_cols, subpel, lambda, keys, vectors);
}

}  // namespace ctv
#endif  // HWY_ONCE
