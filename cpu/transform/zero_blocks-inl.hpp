// SPDX-License-Identifier: BSD-3-Clause
// Whole blocks of zeros in rows (zero_blocks.hpp). Included once per instruction set.
#if defined(CTV_CPU_ZERO_BLOCKS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_ZERO_BLOCKS_INL_HPP
#undef CTV_CPU_ZERO_BLOCKS_INL_HPP
#else
#define CTV_CPU_ZERO_BLOCKS_INL_HPP
#endif

#include "cpu/runtime/simd.hpp"
#include "cpu/transform/zero_blocks.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

/// Whether any of `count` elements, kLanes or more, has a magnitude above `dead`.
#if CTV_VECTORS
template <int kLanes>
HWY_INLINE bool AnyAbove(const Coefficient* x, int count, int dead) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<uint16_t, kLanes> d;
  const auto added = hn::Set(d, static_cast<uint16_t>(dead));
  const auto most = hn::Set(d, static_cast<uint16_t>(2 * dead));
  auto above = hn::Zero(d);
  constexpr int kStride = static_cast<int>(hn::MaxLanes(d));
  for (int i = 0; i < count; i += kStride) {
    const auto v =
        hn::BitCast(d, hn::LoadU(hn::RebindToSigned<decltype(d)>(), x + min_of(i, count - kStride)));
    above = hn::Or(above, dead == 0 ? v : hn::SaturatedSub(hn::Add(v, added), most));
  }
  return !hn::AllTrue(d, hn::Eq(above, hn::Zero(d)));
}
#else
template <int kLanes>
bool AnyAbove(const Coefficient* x, int count, int dead) {
  uint16_t most = 0;  // maximum of the magnitudes, plus `dead` where positive, modulo 2^16
  for (int j = 0; j < count; ++j) most = max_of(most, static_cast<uint16_t>(x[j] + dead));
  return most > 2 * dead;
}
#endif

/// clear_blocks(). Most runs are so short that calling memset() takes longer.
inline void ClearBlocks(BlockMask mask, int count, Coefficient* row) {
  for (BlockRun run(mask, count); run.next();) {
    int i = run.first;
    for (; i + kBlock <= run.end; i += kBlock) std::memset(row + i, 0, kBlock * sizeof(Coefficient));
    for (; i < run.end; ++i) row[i] = 0;
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
