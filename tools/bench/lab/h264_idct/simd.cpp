// SPDX-License-Identifier: BSD-3-Clause
// Several blocks at once in 16-bit lanes: 128 bits hold a row of an 8x8 block or a line of two 4x4 blocks, as
// with SSE2; where registers are wider, 256 bits hold twice that. The butterflies run across registers, so a
// block is transposed before the rows and between rows and columns, within 128 bits.
#include <cstring>

#include "bench/lab/h264_idct/h264_idct.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/lab/h264_idct/simd.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#if defined(CTV_HAVE_HIGHWAY)
HWY_BEFORE_NAMESPACE();
namespace ctv::lab::HWY_NAMESPACE {

#if HWY_HAVE_SCALABLE || HWY_MAX_BYTES < 16
// Arrays of registers need registers of a known size.
int Blocks(int, const int16_t*, int, int16_t*) { return 0; }
#else
namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::CappedTag<int16_t, 16>;  // one or two times 128 bits
using Lanes = hn::Vec<Wide>;
constexpr Wide kWide;

// 128 bits at p, and where there are 256, those at p + apart.
#if HWY_MAX_BYTES >= 32
constexpr int kParts = 2;
using Narrow = hn::Half<Wide>;
Lanes Load(const int16_t* p, int apart) {
  return hn::Combine(kWide, hn::LoadU(Narrow(), p + apart), hn::LoadU(Narrow(), p));
}
void Store(Lanes v, int16_t* p, int apart) {
  hn::StoreU(hn::LowerHalf(v), Narrow(), p);
  hn::StoreU(hn::UpperHalf(Narrow(), v), Narrow(), p + apart);
}
#else
constexpr int kParts = 1;
Lanes Load(const int16_t* p, int) { return hn::LoadU(kWide, p); }
void Store(Lanes v, int16_t* p, int) { hn::StoreU(v, kWide, p); }
#endif

template <typename Number>
Lanes Interleaved(Lanes a, Lanes b, bool upper) {
  const hn::Repartition<Number, Wide> d;
  const auto x = hn::BitCast(d, a), y = hn::BitCast(d, b);
  return hn::BitCast(kWide, upper ? hn::InterleaveUpper(d, x, y) : hn::InterleaveLower(d, x, y));
}

// ITU-T H.264, 8.5.12.2, down the registers.
void Inverse4(Lanes (&v)[4]) {
  const Lanes e0 = hn::Add(v[0], v[2]), e1 = hn::Sub(v[0], v[2]);
  const Lanes e2 = hn::Sub(hn::ShiftRight<1>(v[1]), v[3]), e3 = hn::Add(v[1], hn::ShiftRight<1>(v[3]));
  v[0] = hn::Add(e0, e3);
  v[1] = hn::Add(e1, e2);
  v[2] = hn::Sub(e1, e2);
  v[3] = hn::Sub(e0, e3);
}

// a + b + (b >> 1)
Lanes PlusHalfMore(Lanes a, Lanes b) { return hn::Add(a, hn::Add(b, hn::ShiftRight<1>(b))); }

// 8.5.13.
void Inverse8(Lanes (&v)[8]) {
  const Lanes a0 = hn::Add(v[0], v[4]), a1 = hn::Sub(v[0], v[4]);
  const Lanes a2 = hn::Sub(hn::ShiftRight<1>(v[2]), v[6]), a3 = hn::Add(v[2], hn::ShiftRight<1>(v[6]));
  const Lanes b0 = hn::Add(a0, a3), b1 = hn::Add(a1, a2), b2 = hn::Sub(a1, a2), b3 = hn::Sub(a0, a3);
  const Lanes c0 = hn::Sub(hn::Sub(v[5], v[3]), hn::Add(v[7], hn::ShiftRight<1>(v[7])));
  const Lanes c1 = hn::Sub(hn::Add(v[1], v[7]), hn::Add(v[3], hn::ShiftRight<1>(v[3])));
  const Lanes c2 = PlusHalfMore(hn::Sub(v[7], v[1]), v[5]);
  const Lanes c3 = PlusHalfMore(hn::Add(v[3], v[5]), v[1]);
  const Lanes d0 = hn::Sub(c3, hn::ShiftRight<2>(c0)), d1 = hn::Sub(hn::ShiftRight<2>(c1), c2);
  const Lanes d2 = hn::Add(c1, hn::ShiftRight<2>(c2)), d3 = hn::Add(c0, hn::ShiftRight<2>(c3));
  v[0] = hn::Add(b0, d0), v[7] = hn::Sub(b0, d0);
  v[1] = hn::Add(b1, d1), v[6] = hn::Sub(b1, d1);
  v[2] = hn::Add(b2, d2), v[5] = hn::Sub(b2, d2);
  v[3] = hn::Add(b3, d3), v[4] = hn::Sub(b3, d3);
}

Lanes Rounded(Lanes v) { return hn::ShiftRight<6>(hn::Add(v, hn::Set(kWide, 32))); }

// Rows 0 and 1, rows 2 and 3 of a 4x4 block in each 128 bits become columns.
void Transpose4(Lanes& low, Lanes& high) {
  const Lanes even = Interleaved<int16_t>(low, high, false), odd = Interleaved<int16_t>(low, high, true);
  low = Interleaved<int16_t>(even, odd, false);
  high = Interleaved<int16_t>(even, odd, true);
}

void Transpose8(Lanes (&v)[8]) {
  Lanes a[8], b[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = Interleaved<int16_t>(v[i], v[i + 4], false);
    a[2 * i + 1] = Interleaved<int16_t>(v[i], v[i + 4], true);
  }
  for (int i = 0; i < 4; ++i) {
    b[2 * i] = Interleaved<int16_t>(a[i], a[i + 4], false);
    b[2 * i + 1] = Interleaved<int16_t>(a[i], a[i + 4], true);
  }
  for (int i = 0; i < 4; ++i) {
    v[2 * i] = Interleaved<int16_t>(b[i], b[i + 4], false);
    v[2 * i + 1] = Interleaved<int16_t>(b[i], b[i + 4], true);
  }
}

// Two 4x4 blocks a part: the second one's lines in the upper halves.
int Blocks4(const int16_t* blocks, int count, int16_t* residuals) {
  constexpr int kAtOnce = 2 * kParts;
  int b = 0;
  for (; b + kAtOnce <= count; b += kAtOnce, blocks += 16 * kAtOnce, residuals += 16 * kAtOnce) {
    Lanes first_low = Load(blocks, 32), first_high = Load(blocks + 8, 32);
    Lanes second_low = Load(blocks + 16, 32), second_high = Load(blocks + 24, 32);
    for (int direction = 0; direction < 2; ++direction) {
      Transpose4(first_low, first_high);
      Transpose4(second_low, second_high);
      Lanes v[4] = {Interleaved<int64_t>(first_low, second_low, false),
                    Interleaved<int64_t>(first_low, second_low, true),
                    Interleaved<int64_t>(first_high, second_high, false),
                    Interleaved<int64_t>(first_high, second_high, true)};
      Inverse4(v);
      first_low = Interleaved<int64_t>(v[0], v[1], false);
      second_low = Interleaved<int64_t>(v[0], v[1], true);
      first_high = Interleaved<int64_t>(v[2], v[3], false);
      second_high = Interleaved<int64_t>(v[2], v[3], true);
    }
    Store(Rounded(first_low), residuals, 32);
    Store(Rounded(first_high), residuals + 8, 32);
    Store(Rounded(second_low), residuals + 16, 32);
    Store(Rounded(second_high), residuals + 24, 32);
  }
  return b;
}

int Blocks8(const int16_t* blocks, int count, int16_t* residuals) {
  constexpr int kAtOnce = kParts;
  int b = 0;
  for (; b + kAtOnce <= count; b += kAtOnce, blocks += 64 * kAtOnce, residuals += 64 * kAtOnce) {
    Lanes v[8];
    for (int i = 0; i < 8; ++i) v[i] = Load(blocks + 8 * i, 64);
    for (int direction = 0; direction < 2; ++direction) {
      Transpose8(v);
      Inverse8(v);
    }
    for (int i = 0; i < 8; ++i) Store(Rounded(v[i]), residuals + 8 * i, 64);
  }
  return b;
}

// How many blocks were done: a few at the end may be left.
int Blocks(int size, const int16_t* blocks, int count, int16_t* residuals) {
  return size == 4 ? Blocks4(blocks, count, residuals) : Blocks8(blocks, count, residuals);
}
#endif

}  // namespace ctv::lab::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if !defined(CTV_HAVE_HIGHWAY) || HWY_ONCE
namespace ctv::lab {

#if defined(CTV_HAVE_HIGHWAY)
HWY_EXPORT(Blocks);
void idct_simd(int size, const int16_t* blocks, int count, int16_t* residuals) {
  const int done = HWY_DYNAMIC_DISPATCH(Blocks)(size, blocks, count, residuals);
  const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(done) * size * size;
  idct_scalar(size, blocks + offset, count - done, residuals + offset);
}
#else
void idct_simd(int size, const int16_t* blocks, int count, int16_t* residuals) {
  idct_scalar(size, blocks, count, residuals);
}
#endif

}  // namespace ctv::lab
#endif
