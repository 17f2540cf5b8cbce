// SPDX-License-Identifier: BSD-3-Clause
// Refinement: the eight half-sample neighbours of the best whole vector, then the eight quarter-sample
// neighbours of the best so far; sixteen predictions of 36 products a sample. Half-sample predictions on
// opposite sides are the same filtered block shifted by one sample, so three filtered blocks serve all eight;
// of the quarter-sample ones, the three of a column share the pass along rows.
#include "cpu/motion_refine.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion_refine.cpp"
#include "cpu/simd_foreach.hpp"

#include "cpu/interpolate-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Workspace of one block.
template <int kBlock>
struct Work {
  static constexpr int kWide =
      kBlock == 8 ? 16 : kBlock + 16;  // a column more than the block, to whole vectors
  static constexpr int kPitch = kWide + 8;
  static constexpr int kEdge = 4;
  alignas(64) int16_t current[kBlock * kBlock];
  alignas(64) int16_t patch[(kBlock + 2 * kEdge + 1) * kPitch];  // the reference around the best whole vector
  alignas(64) int16_t sums[(kBlock + kTaps) * kWide];
  alignas(64) int16_t horizontal[kBlock * kWide];       // from column -1
  alignas(64) int16_t vertical[(kBlock + 1) * kBlock];  // from row -1
  alignas(64) int16_t diagonal[(kBlock + 1) * kWide];   // from row and column -1
  const int16_t* at(int row, int col) const { return patch + (row + kEdge) * kPitch + col + kEdge; }
};

struct Best {
  MotionVector vector;
  uint32_t cost;
  void offer(MotionVector v, uint32_t sad, uint32_t lambda) {
    const uint32_t c = motion_cost(sad, lambda, v);
    if (c < cost) *this = {v, c};
  }
};

MotionVector Moved(MotionVector v, int y, int x) {
  return {static_cast<int16_t>(v.y + y), static_cast<int16_t>(v.x + x)};
}

// The centre wins ties, then raster order.
template <int kBlock>
void ImproveByHalves(Work<kBlock>& w, uint32_t lambda, Best& best) {
  constexpr int kWide = Work<kBlock>::kWide;
  constexpr int kPitch = Work<kBlock>::kPitch;
  constexpr int kMiddle = 4;
  RowSums<kWide>(w.at(-1 - kBefore, -1), kPitch, kBlock + kTaps, kMiddle, w.sums);
  CTV_KEEP_LOOP
  for (int i = 0; i < kBlock * kWide; ++i)
    w.horizontal[i] = static_cast<int16_t>((w.sums[(1 + kBefore) * kWide + i] + 32) >> 6);
  FilterColumns<kBlock>(w.at(-1, 0), kPitch, kBlock + 1, kMiddle, w.vertical);
  FilterColumnsOfSums<kWide>(w.sums, kBlock + 1, kMiddle, w.diagonal);
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

// Neighbours `step` away, a quarter of a sample or less. whole: the vector the patch lies around.
template <int kBlock>
void ImproveByFractions(Work<kBlock>& w, MotionVector whole, int step, uint32_t lambda, Best& best) {
  constexpr int kRows =
      kBlock + kTaps;  // one more than a prediction needs: the candidates' rows differ by one
  const MotionVector centre = best.vector;
  const int top = displacement(centre.y - whole.y - step, 0).whole;
  uint32_t sads[3][3] = {};
  for (int j = 0; j < 3; ++j) {
    const Displacement dx = displacement(centre.x - whole.x + (j - 1) * step, 0);
    RowSums<kBlock>(w.at(top - kBefore, dx.whole), Work<kBlock>::kPitch, kRows, dx.eighth, w.sums);
    for (int i = 0; i < 3; ++i) {
      if (i == 1 && j == 1) continue;
      const Displacement dy = displacement(centre.y - whole.y + (i - 1) * step, 0);
      FilterColumnsOfSums<kBlock>(w.sums + (dy.whole - top) * kBlock, kBlock, dy.eighth, w.diagonal);
      sads[i][j] = SadOfSamples<kBlock>(w.current, w.diagonal, kBlock);
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (i != 1 || j != 1) best.offer(Moved(centre, (i - 1) * step, (j - 1) * step), sads[i][j], lambda);
    }
  }
}

template <int kBlock>
void Refine(const SearchPlanes& planes, int block_row, int block_cols, int subpel, uint32_t lambda,
            const int64_t* keys, MotionVector* vectors) {
  Work<kBlock> w;
  for (int b = 0; b < block_cols; ++b) {
    const ptrdiff_t y = static_cast<ptrdiff_t>(block_row) * kBlock;
    const ptrdiff_t x = static_cast<ptrdiff_t>(b) * kBlock;
    const uint8_t* current = planes.current + y * planes.current_stride + x;
    const uint8_t* reference = planes.reference + y * planes.reference_stride + x;
    const MotionVector whole = vectors[b];
    const ptrdiff_t moved =
        (whole.y / kVectorUnit - Work<kBlock>::kEdge) * planes.reference_stride + whole.x / kVectorUnit;
    for (int r = 0; r < kBlock; ++r) {
      CTV_KEEP_LOOP
      for (int i = 0; i < kBlock; ++i) w.current[r * kBlock + i] = current[r * planes.current_stride + i];
    }
    for (int r = 0; r < kBlock + 2 * Work<kBlock>::kEdge + 1; ++r) {
      const uint8_t* from = reference + moved + r * planes.reference_stride - Work<kBlock>::kEdge;
      CTV_KEEP_LOOP
      for (int i = 0; i < Work<kBlock>::kPitch; ++i) w.patch[r * Work<kBlock>::kPitch + i] = from[i];
    }
    Best best{whole, static_cast<uint32_t>(keys[b] >> kKeyIndexBits)};
    ImproveByHalves<kBlock>(w, lambda, best);
    for (int step = kVectorUnit / 4; step >= kVectorUnit >> subpel; step /= 2) {
      ImproveByFractions<kBlock>(w, whole, step, lambda, best);
    }
    vectors[b] = best.vector;
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
