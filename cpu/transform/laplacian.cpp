// SPDX-License-Identifier: BSD-3-Clause
// Laplacian pyramid with the 9-7 filters (Burt and Adelson 1983; Do and Vetterli 2005). The lowpass is
// filtered and decimated; the band is the picture minus the interpolated lowpass. The definition costs 81 +
// 49 products per sample. Here both filters are separable and polyphase, without products with inserted
// zeros. Horizontal sums stay in a ring of rows and are reused by the rows below. Even and odd columns are
// separate, so that every loop is contiguous. Sums are exact modulo 2^32 and rounded once, as by an FFT.
#include "cpu/transform/laplacian.hpp"

#include <algorithm>
#include <cstdint>

#include "codec/dsp/laplacian.hpp"
#include "codec/dsp/mirror.hpp"
#include "codec/util/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transform/laplacian.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

inline uint32_t Low(int d) { return static_cast<uint32_t>(lowpass_tap(d)); }
inline uint32_t Mid(int d) { return static_cast<uint32_t>(interpolation_tap(d)); }
inline uint32_t Wide(int v) { return static_cast<uint32_t>(v); }
inline int Rounded(uint32_t sum) { return round_laplacian(static_cast<int32_t>(sum)); }

// Horizontal sums at even columns. even and odd have mirrored margins.
void LowpassRow(const Coefficient* __restrict even, const Coefficient* __restrict odd,
                uint32_t* __restrict sums, int half) {
  for (int i = 0; i < half; ++i) {
    sums[i] = Low(0) * Wide(even[i]) + Low(1) * Wide(odd[i - 1] + odd[i]) +
              Low(2) * Wide(even[i - 1] + even[i + 1]) + Low(3) * Wide(odd[i - 2] + odd[i + 1]) +
              Low(4) * Wide(even[i - 2] + even[i + 2]);
  }
}

// Vertical pass over rows[0..8], distances -4..4. out = rounded sum, or out -= rounded sum.
void LowpassColumn(const uint32_t* const* rows, bool subtract, Coefficient* __restrict out, int half) {
  const uint32_t *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4], *r5 = rows[5],
                 *r6 = rows[6], *r7 = rows[7], *r8 = rows[8];
  const auto value = [&](int i) {
    return Rounded(Low(0) * r4[i] + Low(1) * (r3[i] + r5[i]) + Low(2) * (r2[i] + r6[i]) +
                   Low(3) * (r1[i] + r7[i]) + Low(4) * (r0[i] + r8[i]));
  };
  if (subtract) {
    CTV_INDEPENDENT
    for (int i = 0; i < half; ++i) out[i] = static_cast<Coefficient>(out[i] - value(i));
  } else {
    CTV_INDEPENDENT
    for (int i = 0; i < half; ++i) out[i] = static_cast<Coefficient>(value(i));
  }
}

// Horizontal sums at even and odd columns from a lowpass row with mirrored margins.
void InterpolateRow(const Coefficient* __restrict low, uint32_t* __restrict even, uint32_t* __restrict odd,
                    int half) {
  for (int i = 0; i < half; ++i) {
    even[i] = Mid(0) * Wide(low[i]) + Mid(2) * Wide(low[i - 1] + low[i + 1]);
    odd[i] = Mid(1) * Wide(low[i] + low[i + 1]) + Mid(3) * Wide(low[i - 1] + low[i + 2]);
  }
}

// out = in + sign * interpolated: an even row (from rows a b c), or an odd one (a b c d).
void InterpolateEven(const uint32_t* a, const uint32_t* b, const uint32_t* c, bool subtract,
                     Coefficient* __restrict out, int n) {
  const int sign = subtract ? -1 : 0;
  CTV_INDEPENDENT
  for (int i = 0; i < n; ++i) {
    out[i] =
        static_cast<Coefficient>(out[i] + ((Rounded(Mid(0) * b[i] + Mid(2) * (a[i] + c[i])) ^ sign) - sign));
  }
}
void InterpolateOdd(const uint32_t* a, const uint32_t* b, const uint32_t* c, const uint32_t* d, bool subtract,
                    Coefficient* __restrict out, int n) {
  const int sign = subtract ? -1 : 0;
  CTV_INDEPENDENT
  for (int i = 0; i < n; ++i) {
    const int value = Rounded(Mid(1) * (b[i] + c[i]) + Mid(3) * (a[i] + d[i]));
    out[i] = static_cast<Coefficient>(out[i] + ((value ^ sign) - sign));
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {
namespace {

HWY_EXPORT(LowpassRow);
HWY_EXPORT(LowpassColumn);
HWY_EXPORT(InterpolateRow);
HWY_EXPORT(InterpolateEven);
HWY_EXPORT(InterpolateOdd);

constexpr int kRing = 16;        // rows of sums: 9 for the lowpass, 4 for the interpolation
constexpr int kGrain = 1 << 14;  // fewest samples worth a thread
constexpr int kMargin = kBlock;  // elements around each half of the spare row

int half_stride(int half) { return round_up(half, kBlock) + 2 * kMargin; }

void mirror_columns(Coefficient* even, Coefficient* odd, int half) {
  for (const int p : {-4, -2, 2 * half, 2 * half + 2}) even[p / 2] = even[mirror(p, 2 * half) / 2];
  for (const int p : {-3, -1, 2 * half + 1}) odd[(p - 1) / 2] = odd[(mirror(p, 2 * half) - 1) / 2];
}

}  // namespace

struct Laplacian::Rings {
  uint32_t* sums;
  Coefficient* spare;
  Extent picture;
  int half;
  int stride;  // of a half

  /// A row of sums: even columns, then, `stride` elements further, odd columns.
  uint32_t* row(int r) const { return sums + static_cast<ptrdiff_t>(r % kRing) * 2 * stride; }
  Coefficient* even() const { return spare + kMargin; }
  Coefficient* odd() const { return spare + stride + kMargin; }
  void combine(int r, const uint32_t* const* sums, bool subtract) const;
};

Laplacian::Laplacian(Extent picture, bool projection, int threads)
    : projection_(projection),
      threads_(std::max(1, threads)),
      wide_size_(static_cast<size_t>(kRing * 2 * half_stride(picture.cols / 2))),
      short_size_(static_cast<size_t>(2 * half_stride(picture.cols / 2))),
      wide_(wide_size_ * static_cast<size_t>(threads_)),
      short_(short_size_ * static_cast<size_t>(threads_)) {}

Laplacian::Rings Laplacian::rings(int piece, Extent picture) const {
  const size_t i = static_cast<size_t>(piece);
  return {wide_.data() + i * wide_size_, short_.data() + i * short_size_, picture, picture.cols / 2,
          half_stride(picture.cols / 2)};
}

template <typename Body>
void Laplacian::for_pieces(Extent picture, Body&& body) const {
  const int pairs = picture.rows / 2;
  const int pieces = std::clamp(picture.rows * picture.cols / kGrain, 1, std::min(threads_, pairs));
  parallel_for(threads_, pieces, [&](int i) { body(i, pairs * i / pieces, pairs * (i + 1) / pieces); });
}

// Computes rows begin..end-1 of the lowpass of the rows that read() returns.
template <typename Read>
void Laplacian::lowpass_piece(const Rings& rings, int begin, int end, bool subtract,
                              PlaneView<Coefficient> lowpass, Read&& read) const {
  const int rows = rings.picture.rows;
  int summed = std::max(2 * begin - kLowpassReach, 0);
  for (int i = begin; i < end; ++i) {
    for (; summed < std::min(2 * i + kLowpassReach + 1, rows); ++summed) {
      read(summed, rings.even(), rings.odd());
      mirror_columns(rings.even(), rings.odd(), rings.half);
      HWY_DYNAMIC_DISPATCH(LowpassRow)(rings.even(), rings.odd(), rings.row(summed), rings.half);
    }
    const uint32_t* sums[2 * kLowpassReach + 1];
    for (int d = -kLowpassReach; d <= kLowpassReach; ++d) {
      sums[d + kLowpassReach] = rings.row(mirror(2 * i + d, rows));
    }
    HWY_DYNAMIC_DISPATCH(LowpassColumn)(sums, subtract, lowpass.row(i), rings.half);
  }
}

// Calls emit(row, sums) for picture rows 2*begin..2*end-1 with the surrounding rows of sums.
template <typename Emit>
void Laplacian::interpolate_piece(const Rings& rings, int begin, int end, PlaneView<Coefficient> lowpass,
                                  Emit&& emit) const {
  const int rows = rings.picture.rows;
  int summed = std::max(begin - 1, 0);
  for (int i = begin; i < end; ++i) {
    for (; summed < std::min(i + 3, rows / 2); ++summed) {
      Coefficient* low = rings.even();
      std::copy_n(lowpass.row(summed), rings.half, low);
      for (const int p : {-2, 2 * rings.half, 2 * rings.half + 2})
        low[p / 2] = low[mirror(p, 2 * rings.half) / 2];
      HWY_DYNAMIC_DISPATCH(InterpolateRow)
      (low, rings.row(summed), rings.row(summed) + rings.stride, rings.half);
    }
    const uint32_t* sums[4];
    for (int k = 0; k < 4; ++k) sums[k] = rings.row(mirror(2 * (i - 1 + k), rows) / 2);
    emit(2 * i, sums);
    emit(2 * i + 1, sums);
  }
}

// Adds the interpolated lowpass to, or subtracts it from, the picture's row r in the ring's spare row.
void Laplacian::Rings::combine(int r, const uint32_t* const* s, bool subtract) const {
  for (int x = 0; x < 2; ++x) {
    Coefficient* out = x == 0 ? even() : odd();
    const int o = x * stride;
    if (r % 2 == 0) {
      HWY_DYNAMIC_DISPATCH(InterpolateEven)(s[0] + o, s[1] + o, s[2] + o, subtract, out, half);
    } else {
      HWY_DYNAMIC_DISPATCH(InterpolateOdd)(s[0] + o, s[1] + o, s[2] + o, s[3] + o, subtract, out, half);
    }
  }
}

void Laplacian::forward(Extent picture, LaplacianRows& rows, PlaneView<Coefficient> lowpass) {
  for_pieces(picture, [&](int piece, int begin, int end) {
    lowpass_piece(rings(piece, picture), begin, end, false, lowpass,
                  [&](int r, Coefficient* even, Coefficient* odd) { rows.read_picture(r, even, odd); });
  });
  for_pieces(picture, [&](int piece, int begin, int end) {
    const Rings ring = rings(piece, picture);
    interpolate_piece(ring, begin, end, lowpass, [&](int r, const uint32_t* const* sums) {
      rows.read_picture(r, ring.even(), ring.odd());
      ring.combine(r, sums, true);
      rows.write_band(r, ring.even(), ring.odd());
    });
  });
}

void Laplacian::inverse(Extent picture, LaplacianRows& rows, PlaneView<Coefficient> lowpass) {
  if (projection_) {
    for_pieces(picture, [&](int piece, int begin, int end) {
      lowpass_piece(rings(piece, picture), begin, end, true, lowpass,
                    [&](int r, Coefficient* even, Coefficient* odd) { rows.read_band(r, even, odd); });
    });
  }
  for_pieces(picture, [&](int piece, int begin, int end) {
    const Rings ring = rings(piece, picture);
    interpolate_piece(ring, begin, end, lowpass, [&](int r, const uint32_t* const* sums) {
      rows.read_band(r, ring.even(), ring.odd());
      ring.combine(r, sums, false);
      rows.write_picture(r, ring.even(), ring.odd());
    });
  });
}

}  // namespace ctv
#endif
