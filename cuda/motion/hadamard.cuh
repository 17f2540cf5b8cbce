// SPDX-License-Identifier: BSD-3-Clause
// Hadamard transforms of eight 8x8 tiles of bytes at once by matrix products: a warp multiplies the 32
// samples of four rows by a matrix of signs, then adds and subtracts the two halves of a tile. Butterflies
// would take six additions per sample, and shuffles. Samples need only 8 bits, since the transform of a
// difference is the difference of transforms.
#pragma once

#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

// A lane's samples: rows lane % 4 and lane % 4 + 4 of tile lane / 4.
struct TileRows {
  uint32_t words[2][2];  // [row][half of a row]
};

// A lane's share of the transforms: 8 coefficients each, in any order, of tiles 2 (lane % 4), at even
// indices, and 2 (lane % 4) + 1.
struct TileTransforms {
  int values[4][4];
};

// d = a b + c. a: 16x32 signed bytes, b: 32x8 unsigned bytes, c and d: 16x8; fragments as specified for mma.
__device__ __forceinline__ void multiply(const uint32_t (&a)[4], const uint32_t (&b)[2], const int (&c)[4],
                                         int (&d)[4]) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %11, %12, %13};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]),
        "r"(c[3]));
#else
  const auto quarter = [](uint32_t rows, uint32_t cols, int c0, int c1, int& d0, int& d1) {
    asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};"
        : "=r"(d0), "=r"(d1)
        : "r"(rows), "r"(cols), "r"(c0), "r"(c1));
  };
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    int sum0, sum1;
    quarter(a[half], b[0], c[2 * half], c[2 * half + 1], sum0, sum1);
    quarter(a[half + 2], b[1], sum0, sum1, d[2 * half], d[2 * half + 1]);
  }
#endif
}

// The 32x32 Hadamard matrix: the sign at (m, k) is the parity of m & k. All words of a lane hold the same
// four signs or their opposites.
class HadamardMatrix {
 public:
  __device__ __forceinline__ explicit HadamardMatrix(int lane) {
    const int row = lane / 4;      // and row + 8, + 16, + 24
    const int col = lane % 4 * 4;  // and three more, and 16 further
    uint32_t signs = 0x01010101U;
    if ((row & 1) != 0) signs ^= 0xFE00FE00U;
    if ((row & 2) != 0) signs ^= 0xFEFE0000U;
    if ((row & col & 4) != 0) signs ^= kOpposite;
    first_ = signs;
    second_ = (col & 8) != 0 ? signs ^ kOpposite : signs;
  }

  // All lanes of a warp must call together.
  __device__ __forceinline__ TileTransforms transform(const TileRows& rows) const {
    TileTransforms t;
#pragma unroll
    for (int half = 0; half < 2; ++half) {  // rows 0..15 and 16..31 of the matrix
      const uint32_t flip = half == 0 ? 0 : kOpposite;
      const uint32_t plus[4] = {first_, second_, first_ ^ flip, second_ ^ flip};
      const uint32_t minus[4] = {first_ ^ kOpposite, second_ ^ kOpposite, first_ ^ flip ^ kOpposite,
                                 second_ ^ flip ^ kOpposite};
      const int zero[4] = {};
      int upper[4];
      multiply(plus, rows.words[0], zero, upper);
      multiply(plus, rows.words[1], upper, t.values[2 * half]);
      multiply(minus, rows.words[1], upper, t.values[2 * half + 1]);
    }
    return t;
  }

 private:
  static constexpr uint32_t kOpposite = 0xFEFEFEFEU;  // 1 and -1 differ by these bits
  uint32_t first_, second_;
};

}  // namespace ctv::cuda
