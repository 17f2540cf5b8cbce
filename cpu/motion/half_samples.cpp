// SPDX-License-Identifier: BSD-3-Clause
#include "cpu/motion/half_samples.hpp"

#include "codec/control/motion_decisions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/half_samples.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/interpolate-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

void FillHalfRow(const SearchPlanes& planes, const HalfPlanes& halves, int row, int begin, int end) {
  const ptrdiff_t stride = planes.reference_stride;
  const ptrdiff_t start = row * stride;
  const uint8_t* __restrict whole = planes.reference + start;
  uint8_t* __restrict right = halves.right + start;
  uint8_t* __restrict below = halves.below + start;
  uint8_t* __restrict diagonal = halves.diagonal + start;
  CTV_KEEP_LOOP
  for (int x = begin - kBefore; x < end + kTaps - kBefore - 1; ++x) below[x] = half_sample(whole + x, stride);
  CTV_KEEP_LOOP
  for (int x = begin; x < end; ++x) right[x] = half_sample(whole + x, 1);
  CTV_KEEP_LOOP
  for (int x = begin; x < end; ++x) diagonal[x] = half_sample(below + x, 1);
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(FillHalfRow);

void fill_half_row(const SearchPlanes& planes, const HalfPlanes& halves, int row, int begin, int end) {
  HWY_DYNAMIC_DISPATCH(FillHalfRow)(planes, halves, row, begin, end);
}

}  // namespace ctv
#endif  // HWY_ONCE
