// SPDX-License-Identifier: BSD-3-Clause
// One block after the other, one number after the other: rows, then columns, as ITU-T H.264, 8.5.12.2 and
// 8.5.13. The build forbids vector instructions in this file, which is the baseline of comparisons.
#include "bench/lab/h264_idct/h264_idct.hpp"
#include "codec/util/parallel.hpp"

namespace ctv::lab {
namespace {

template <int N>
void scalar(const int16_t* blocks, int count, int16_t* residuals) {
  for (int b = 0; b < count; ++b, blocks += N * N, residuals += N * N) {
    int32_t in[N], out[N];  // NOLINT(*-member-init)
    for (int r = 0; r < N; ++r) {
      for (int k = 0; k < N; ++k) in[k] = blocks[r * N + k];
      inverse_line(in, out);
      for (int k = 0; k < N; ++k) residuals[r * N + k] = static_cast<int16_t>(out[k]);
    }
    for (int c = 0; c < N; ++c) {
      for (int k = 0; k < N; ++k) in[k] = residuals[k * N + c];
      inverse_line(in, out);
      for (int k = 0; k < N; ++k) residuals[k * N + c] = rounded_residual(out[k]);
    }
  }
}

}  // namespace

void idct_scalar(int size, const int16_t* blocks, int count, int16_t* residuals) {
  size == 4 ? scalar<4>(blocks, count, residuals) : scalar<8>(blocks, count, residuals);
}

void idct_parallel(int size, const int16_t* blocks, int count, int16_t* residuals, int threads) {
  constexpr int kGrain = 1024;  // blocks: 32 or 128 KiB
  parallel_ranges(threads, count, kGrain, [&](int begin, int end) {
    const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(begin) * size * size;
    idct_simd(size, blocks + offset, end - begin, residuals + offset);
  });
}

}  // namespace ctv::lab
