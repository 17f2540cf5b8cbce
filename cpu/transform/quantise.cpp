// SPDX-License-Identifier: BSD-3-Clause
// The quantiser of codec/dsp/quantise.hpp on rows. The definition divides; here a 32-bit multiplication and a
// shift handle eight or sixteen coefficients at once, while the row is in the first-level cache.
#include "cpu/transform/quantise.hpp"

#include <algorithm>

#include "codec/util/host_device.hpp"
#include "cpu/runtime/aligned_buffer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transform/quantise.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/transform/zero_blocks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kAhead = 1024;  // prefetch distance: hardware prefetchers stop at the end of a page

void Quantise(const Coefficient* coefficients, SubbandQuantiser quantiser, Level* levels, int count) {
  const uint32_t multiplier = quantiser.multiplier;
  const uint32_t offset = quantiser.rounding_offset;
  if (multiplier == 1 << 16 && offset < 1 << 16) {  // the level is the coefficient
    if (levels == coefficients) return;
    int i = 0;
    for (; i + kBlock <= count; i += kBlock) {
      __builtin_prefetch(levels + i + kAhead, 1);
      std::memcpy(levels + i, coefficients + i, kBlock * sizeof(Level));
    }
    std::copy_n(coefficients + i, count - i, levels + i);
    return;
  }
  CTV_INDEPENDENT
  for (int i = 0; i < count; ++i) levels[i] = quantise(coefficients[i], multiplier, offset);
}

void Dequantise(const Level* levels, SubbandQuantiser quantiser, Coefficient* coefficients, int count) {
  const uint32_t step = quantiser.step;
  const uint32_t reconstruction_offset = quantiser.reconstruction_offset;
  CTV_INDEPENDENT
  for (int i = 0; i < count; ++i) coefficients[i] = dequantise(levels[i], step, reconstruction_offset);
}

[[gnu::always_inline]] inline void DequantiseRow(const Level* levels, uint32_t step, uint32_t offset,
                                                 Coefficient* __restrict coefficients, int count) {
  for (int i = 0; i < count; ++i) coefficients[i] = dequantise(levels[i], step, offset);
}

// Elements after the last whole block are processed with the elements before them.
BlockMask DequantiseBlocks(const Level* levels, SubbandQuantiser quantiser, Coefficient* coefficients,
                           int count, BlockMask wanted) {
  const uint32_t step = quantiser.step;
  const uint32_t offset = quantiser.reconstruction_offset;
  if (count < kBlock) {
    DequantiseRow(levels, step, offset, coefficients, count);
    return BlockMask{any_nonzero(levels, count)} & wanted;
  }
  BlockMask mask = 0;
  for (BlockRun run(wanted, count); run.next();) {
    for (int at = run.first; at < run.end; at += kBlock) {
      const int from = min_of(at, count - kBlock);
      __builtin_prefetch(levels + from +
                         count);  // prefetches the next row, which the hardware cannot predict
      if (AnyAbove<kBlock>(levels + from, kBlock, 0)) {
        DequantiseRow(levels + from, step, offset, coefficients + from, kBlock);
        mask |= block_bit(at, true);
      } else {
        std::fill_n(coefficients + from, kBlock, Coefficient{0});
      }
    }
  }
  return mask;
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(Quantise);
HWY_EXPORT(Dequantise);
HWY_EXPORT(DequantiseBlocks);

void quantise_row(const Coefficient* coefficients, const SubbandQuantiser& quantiser, Level* levels,
                  int count) {
  HWY_DYNAMIC_DISPATCH(Quantise)(coefficients, quantiser, levels, count);
}
void dequantise_row(const Level* levels, const SubbandQuantiser& quantiser, Coefficient* coefficients,
                    int count) {
  HWY_DYNAMIC_DISPATCH(Dequantise)(levels, quantiser, coefficients, count);
}
BlockMask dequantise_blocks(const Level* levels, const SubbandQuantiser& quantiser, Coefficient* coefficients,
                            int count, BlockMask wanted) {
  return HWY_DYNAMIC_DISPATCH(DequantiseBlocks)(levels, quantiser, coefficients, count, wanted);
}

}  // namespace ctv
#endif
