// SPDX-License-Identifier: BSD-3-Clause
// Several blocks at once in 16-bit lanes: 128 bits hold a row of an 8x8 block or a line of two 4x4 blocks, as
// with SSE2; two of them lie side by side, in one register where it has 256 bits. The butterflies of
// codec/dsp run across registers, so a block is transposed before the rows and between rows and columns,
// within 128 bits.
#include <cstring>

#include "bench/lab/h264_idct/h264_idct.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/lab/h264_idct/simd.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::lab::HWY_NAMESPACE {

// The compiler's own vectors. All is inlined, so that all is compiled for the instruction set at hand.
typedef int16_t Lanes __attribute__((vector_size(32)));
typedef int16_t Half __attribute__((vector_size(16)));

// 128 bits at p and those at p + apart.
void Load(Lanes& v, const int16_t* p, int apart) {
  Half low, high;
  std::memcpy(&low, p, sizeof low);
  std::memcpy(&high, p + apart, sizeof high);
  v = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
void Store(Lanes& v, int16_t* p, int apart) {
  v = (v + 32) >> 6;
  const Half low = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
  const Half high = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  std::memcpy(p, &low, sizeof low);
  std::memcpy(p + apart, &high, sizeof high);
}

// a[0] b[0] a[1] b[1] ... of the lower and of the upper half of each 128 bits.
void Interleave(const Lanes& a, const Lanes& b, Lanes& lower, Lanes& upper) {
  lower = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27);
  upper = __builtin_shufflevector(a, b, 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31);
}
// The same of 64 bits: lines of two blocks in one register, and back.
void Join(const Lanes& a, const Lanes& b, Lanes& lower, Lanes& upper) {
  lower = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
  upper = __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
}

// Rows 0 and 1, rows 2 and 3 of a 4x4 block in each 128 bits become columns.
void Transpose4(Lanes& low, Lanes& high) {
  Lanes even, odd;
  Interleave(low, high, even, odd);
  Interleave(even, odd, low, high);
}
void Transpose8(Lanes (&v)[8]) {
  for (int third = 0; third < 3; ++third) {
    Lanes next[8];
    for (int i = 0; i < 4; ++i) Interleave(v[i], v[i + 4], next[2 * i], next[2 * i + 1]);
    std::memcpy(v, next, sizeof v);
  }
}

// Two 4x4 blocks in each 128 bits: the second one's lines in the upper halves.
int Blocks4(const int16_t* blocks, int count, int16_t* residuals) {
  int b = 0;
  for (; b + 4 <= count; b += 4, blocks += 64, residuals += 64) {
    Lanes rows[4], lines[4], out[4];  // two rows of the first block in 0 and 1, of the second one in 2 and 3
    for (int i = 0; i < 4; ++i) Load(rows[i], blocks + 8 * i, 32);
    for (int direction = 0; direction < 2; ++direction) {
      for (int i = 0; i < 4; i += 2) Transpose4(rows[i], rows[i + 1]);
      for (int i = 0; i < 2; ++i) Join(rows[i], rows[i + 2], lines[2 * i], lines[2 * i + 1]);
      inverse_h264_4(lines, out);
      for (int i = 0; i < 2; ++i) Join(out[2 * i], out[2 * i + 1], rows[i], rows[i + 2]);
    }
    for (int i = 0; i < 4; ++i) Store(rows[i], residuals + 8 * i, 32);
  }
  return b;
}

int Blocks8(const int16_t* blocks, int count, int16_t* residuals) {
  int b = 0;
  for (; b + 2 <= count; b += 2, blocks += 128, residuals += 128) {
    Lanes rows[8], out[8];
    for (int i = 0; i < 8; ++i) Load(rows[i], blocks + 8 * i, 64);
    for (int direction = 0; direction < 2; ++direction) {
      Transpose8(rows);
      inverse_h264_8(rows, out);
      std::memcpy(rows, out, sizeof rows);
    }
    for (int i = 0; i < 8; ++i) Store(rows[i], residuals + 8 * i, 64);
  }
  return b;
}

// How many blocks were done: a few at the end may be left.
[[gnu::flatten]] int Blocks(int size, const int16_t* blocks, int count, int16_t* residuals) {
  return size == 4 ? Blocks4(blocks, count, residuals) : Blocks8(blocks, count, residuals);
}

}  // namespace ctv::lab::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv::lab {

HWY_EXPORT(Blocks);
void idct_simd(int size, const int16_t* blocks, int count, int16_t* residuals) {
  const int done = HWY_DYNAMIC_DISPATCH(Blocks)(size, blocks, count, residuals);
  const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(done) * size * size;
  idct_scalar(size, blocks + offset, count - done, residuals + offset);
}

}  // namespace ctv::lab
#endif
