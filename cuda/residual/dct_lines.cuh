// SPDX-License-Identifier: BSD-3-Clause
// Lines of the DCT (codec/dsp/dct.hpp) in a thread's registers. Rows of the matrices are symmetric or
// antisymmetric, so even and odd frequencies need only half as many sums and differences. Sums are exact in
// 32 bits, so their order does not matter.
#pragma once

#include <cstddef>
#include <utility>

#include "codec/dsp/dct.hpp"

namespace ctv::cuda {

// Symmetry of the matrix: in the first kCount weights of a row, the second half mirrors the first, with
// opposite sign in rows of odd multiples of kSize / kCount.
template <int kSize>
constexpr bool dct_is_symmetric() {
  for (int count = kSize, step = 1; count > 1; count /= 2, step *= 2) {
    for (int k = 0; k < kSize; k += step) {
      const int sign = k / step % 2 == 0 ? 1 : -1;
      for (int n = 0; n < count; ++n) {
        if (DctMatrix<kSize>::kRows[k][n] != sign * DctMatrix<kSize>::kRows[k][count - 1 - n]) return false;
      }
    }
  }
  return true;
}
static_assert(dct_is_symmetric<4>() && dct_is_symmetric<8>() && dct_is_symmetric<16>());

template <int kSize, int kRow, int kCol>
inline constexpr int kDctWeight = DctMatrix<kSize>::kRows[kRow][kCol];

template <int kSize, int kRow, size_t... kCols>
__device__ __forceinline__ int dct_row_sum(const int* x, std::index_sequence<kCols...>) {
  return ((kDctWeight<kSize, kRow, static_cast<int>(kCols)> * x[kCols]) + ...);
}
template <int kSize, int kStep, int kCol, size_t... kOdd>
__device__ __forceinline__ int dct_col_sum(const int (&y)[kSize], std::index_sequence<kOdd...>) {
  return ((kDctWeight<kSize, kStep*(2 * static_cast<int>(kOdd) + 1), kCol> * y[kStep * (2 * kOdd + 1)]) +
          ...);
}
template <int kSize, int kStep, size_t... kOdd>
__device__ __forceinline__ void dct_odd_rows(const int* x, int (&sums)[kSize], std::index_sequence<kOdd...>) {
  using Cols = std::make_index_sequence<sizeof...(kOdd)>;
  ((sums[kStep * (2 * kOdd + 1)] = dct_row_sum<kSize, kStep*(2 * static_cast<int>(kOdd) + 1)>(x, Cols{})),
   ...);
}
template <int kSize, int kStep, size_t... kCols>
__device__ __forceinline__ void dct_odd_cols(const int (&y)[kSize], int* x, std::index_sequence<kCols...>) {
  using Odd = std::make_index_sequence<sizeof...(kCols)>;
  ((x[kCols] = dct_col_sum<kSize, kStep, static_cast<int>(kCols)>(y, Odd{})), ...);
}

/// sums = M x, for frequencies that are multiples of kStep. x: sums of samples with equal weights.
template <int kSize, int kStep = 1>
__device__ __forceinline__ void dct_forward(const int (&x)[kSize / kStep], int (&sums)[kSize]) {
  constexpr int kCount = kSize / kStep;
  if constexpr (kCount == 1) {
    sums[0] = kDctWeight<kSize, 0, 0> * x[0];
  } else {
    int even[kCount / 2];
    int odd[kCount / 2];
#pragma unroll
    for (int i = 0; i < kCount / 2; ++i) {
      even[i] = x[i] + x[kCount - 1 - i];
      odd[i] = x[i] - x[kCount - 1 - i];
    }
    dct_odd_rows<kSize, kStep>(odd, sums, std::make_index_sequence<kCount / 2>{});
    dct_forward<kSize, 2 * kStep>(even, sums);
  }
}

/// x = the first kSize / kStep elements of M^T y, from the frequencies that are multiples of kStep.
template <int kSize, int kStep = 1>
__device__ __forceinline__ void dct_inverse(const int (&y)[kSize], int (&x)[kSize / kStep]) {
  constexpr int kCount = kSize / kStep;
  if constexpr (kCount == 1) {
    x[0] = kDctWeight<kSize, 0, 0> * y[0];
  } else {
    int even[kCount / 2];
    int odd[kCount / 2];
    dct_inverse<kSize, 2 * kStep>(y, even);
    dct_odd_cols<kSize, kStep>(y, odd, std::make_index_sequence<kCount / 2>{});
#pragma unroll
    for (int i = 0; i < kCount / 2; ++i) {
      x[i] = even[i] + odd[i];
      x[kCount - 1 - i] = even[i] - odd[i];
    }
  }
}

}  // namespace ctv::cuda
