// SPDX-License-Identifier: BSD-3-Clause
// Shared by refinement and split: the workspace of a block, and the step to fractional neighbours. Included
// once per instruction set, so it has no ordinary include guard.
#if defined(CTV_CPU_MOTION_REFINE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_MOTION_REFINE_INL_HPP
#undef CTV_CPU_MOTION_REFINE_INL_HPP
#else
#define CTV_CPU_MOTION_REFINE_INL_HPP
#endif

#include "codec/control/motion_decisions.hpp"
#include "cpu/motion/interpolate-inl.hpp"
#include "cpu/motion/search.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Workspace of one block.
template <int kBlock>
struct Work {
  static constexpr int kWide =
      kBlock == 8 ? 16 : kBlock + 16;  // one more column than the block, whole SIMD vectors
  static constexpr int kPitch = kWide + 8;
  static constexpr int kEdge = 4;
  alignas(64) int16_t current[kBlock * kBlock];
  static constexpr int kPatchRows = kBlock + 2 * kEdge + 2;
  alignas(64) int16_t patch[kPatchRows * kPitch];  // the reference around a whole vector
  alignas(64) int16_t sums[(kBlock + kTaps) * kWide];
  alignas(64) int16_t horizontal[kBlock * kWide];       // from column -1
  alignas(64) int16_t vertical[(kBlock + 1) * kBlock];  // from row -1
  alignas(64) int16_t diagonal[(kBlock + 1) * kWide];   // from row and column -1
  const int16_t* at(int row, int col) const { return patch + (row + kEdge) * kPitch + col + kEdge; }

  // The block of the current picture at (y, x).
  void load_current(const SearchPlanes& planes, ptrdiff_t y, ptrdiff_t x) {
    const uint8_t* from = planes.current + y * planes.current_stride + x;
    for (int r = 0; r < kBlock; ++r, from += planes.current_stride) {
      CTV_KEEP_LOOP
      for (int i = 0; i < kBlock; ++i) current[r * kBlock + i] = from[i];
    }
  }
  // The reference samples that the block's vectors around `whole` use.
  void load_patch(const SearchPlanes& planes, ptrdiff_t y, ptrdiff_t x, MotionVector whole) {
    const uint8_t* from = planes.reference + (y + whole.y / kVectorUnit - kEdge) * planes.reference_stride +
                          x + whole.x / kVectorUnit - kEdge;
    for (int r = 0; r < kPatchRows; ++r, from += planes.reference_stride) {
      CTV_KEEP_LOOP
      for (int i = 0; i < kPitch; ++i) patch[r * kPitch + i] = from[i];
    }
  }
};

struct Best {
  MotionVector vector;
  uint32_t cost;
  MotionVector origin;  // the cost of a vector is that of its difference to it
  void offer(MotionVector v, uint32_t sad, uint32_t lambda) {
    const uint32_t c = motion_cost(sad, lambda, vector_difference(v, origin));
    if (c < cost) {
      vector = v;
      cost = c;
    }
  }
};

inline MotionVector Moved(MotionVector v, int y, int x) {
  return {static_cast<int16_t>(v.y + y), static_cast<int16_t>(v.x + x)};
}

// Tries neighbours at distance `step`: eight, or the nearest four. whole: the vector at the centre of the
// patch; all candidates are less than two samples from it.
template <int kBlock, bool kNearest>
void ImproveByFractions(Work<kBlock>& w, MotionVector whole, int step, uint32_t lambda, Best& best) {
  constexpr int kRows = kBlock + kTaps;  // the candidates' rows differ by one
  const MotionVector centre = best.vector;
  const int top = displacement(centre.y - whole.y - step, 0).whole;
  uint32_t sads[3][3] = {};
  for (int j = 0; j < 3; ++j) {
    const Displacement dx = displacement(centre.x - whole.x + (j - 1) * step, 0);
    RowSums<kBlock>(w.at(top - kBefore, dx.whole), Work<kBlock>::kPitch, kRows, dx.eighth, w.sums);
    for (int i = 0; i < 3; ++i) {
      if (kNearest ? i % 2 == j % 2 : i == 1 && j == 1) continue;
      const Displacement dy = displacement(centre.y - whole.y + (i - 1) * step, 0);
      FilterColumnsOfSums<kBlock>(w.sums + (dy.whole - top) * kBlock, kBlock, dy.eighth, w.diagonal);
      sads[i][j] = SadOfSamples<kBlock>(w.current, w.diagonal, kBlock);
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (kNearest ? i % 2 == j % 2 : i == 1 && j == 1) continue;
      best.offer(Moved(centre, (i - 1) * step, (j - 1) * step), sads[i][j], lambda);
    }
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
