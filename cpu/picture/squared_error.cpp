// SPDX-License-Identifier: BSD-3-Clause
// Sum of squared differences of two planes. A task sums a band of rows; integers give the same total in any
// order.
#include "cpu/picture/squared_error.hpp"

#include <algorithm>
#include <atomic>

#include "codec/util/host_device.hpp"
#include "codec/util/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/picture/squared_error.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// A difference has 17 bits including its sign, so its square fits in 32 bits unsigned.
uint64_t SquaredErrorOfRow(const Sample* a, const Sample* b, int count) {
  uint64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    const auto d = static_cast<uint32_t>(a[i] - b[i]);
    sum += d * d;
  }
  return sum;
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(SquaredErrorOfRow);

uint64_t squared_error(int threads, PlaneView<const Sample> a, PlaneView<const Sample> b) {
  constexpr int kRows = 16;
  std::atomic<uint64_t> sum = 0;
  parallel_for(threads, ceil_div(a.rows, kRows), [&](int task) {
    uint64_t own = 0;
    for (int r = task * kRows; r < std::min(a.rows, (task + 1) * kRows); ++r)
      own += HWY_DYNAMIC_DISPATCH(SquaredErrorOfRow)(a.row(r), b.row(r), a.cols);
    sum += own;
  });
  return sum;
}

}  // namespace ctv
#endif  // HWY_ONCE
