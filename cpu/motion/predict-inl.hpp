// SPDX-License-Identifier: BSD-3-Clause
// Prediction of a few rows with one vector, for compensation and squares of skipped cells. Skip decisions use
// its positions, too. Included once per instruction set.
#if defined(CTV_CPU_PREDICT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_PREDICT_INL_HPP
#undef CTV_CPU_PREDICT_INL_HPP
#else
#define CTV_CPU_PREDICT_INL_HPP
#endif

#include <algorithm>
#include <cstring>

#include "codec/util/types.hpp"
#include "cpu/motion/interpolate-inl.hpp"
#include "cpu/runtime/prefetch.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kMostRows = 16;

// Pitch of a patch, twice the necessary width: one half has samples, the other those outside the border.
template <int kWidth>
constexpr int kPatchPitch = 2 * (kWidth + kTaps);

// Copies kWidth columns and rows + kTaps - 1 rows around (y, x), with the surroundings for the filters.
// Clamps positions to the plane, so inner loops need no tests. Not inlined, since gcc 13 would warn of sets
// of no rows.
template <int kWidth>
[[gnu::noinline]] const Sample* Surroundings(const PlaneView<const Sample>& plane, int y, int x, int rows,
                                             Sample* patch) {
  constexpr int kCols = kWidth + kTaps;
  const int from = x - kBefore;
  const int inside = clamp_to(from, 0, max_of(plane.cols - kCols, 0));
  const int beyond = clamp_to(from - inside, -kCols, kCols);  // in columns; negative: to the left
  Sample* const samples = patch + (beyond < 0 ? kCols : 0);
  Sample* const border = patch + (beyond < 0 ? 0 : kCols);
  for (int r = 0; r < rows + kTaps - 1; ++r) {
    const Sample* const source = plane.row(clamp_to(y - kBefore + r, 0, plane.rows - 1));
    const Sample last = source[plane.cols - 1];
    if (plane.cols >= kCols) {
      std::memcpy(samples + r * kPatchPitch<kWidth>, source + inside, kCols * sizeof *source);
    } else {
      std::copy_n(source, plane.cols, samples + r * kPatchPitch<kWidth>);
      std::fill_n(samples + r * kPatchPitch<kWidth> + plane.cols, kCols - plane.cols, last);
    }
    if (beyond != 0) std::fill_n(border + r * kPatchPitch<kWidth>, kCols, beyond < 0 ? source[0] : last);
  }
  return samples + beyond + kBefore * (kPatchPitch<kWidth> + 1);
}

// Locates the samples at (y, x) moved by v, with the surroundings for the filter or for bilinear
// interpolation. Without a fraction there are none. rows: at most kMostRows.
template <int kWidth>
struct Moved {
  alignas(64) Sample patch[(kMostRows + kTaps) * kPatchPitch<kWidth>];
  const Displacement dy, dx;
  const Sample* source;
  ptrdiff_t stride;

  HWY_INLINE Moved(const PlaneView<const Sample>& reference, ChromaShift shift, MotionVector v, int y, int x,
                   int rows, bool filtered)
      : dy(displacement(v.y, shift.y)), dx(displacement(v.x, shift.x)) {
    y += dy.whole;
    x += dx.whole;
    const auto before = [&](Displacement d) { return filtered && d.eighth != 0 ? kBefore : 0; };
    const auto after = [&](Displacement d) { return !filtered ? 1 : d.eighth != 0 ? kTaps - kBefore : 0; };
    if (y >= before(dy) && x >= before(dx) && y + rows + after(dy) <= reference.rows &&
        x + kWidth + after(dx) <= reference.cols) {
      source = reference.row(y) + x;
      stride = reference.stride;
    } else {
      source = Surroundings<kWidth>(reference, y, x, rows, patch);
      stride = kPatchPitch<kWidth>;
    }
  }
  bool whole() const { return (dy.eighth | dx.eighth) == 0; }
};

// The samples of a plane, and what is subtracted from their predictions.
struct SampleKind {
  bool bytes;
  int shift;  // bits beyond 8
  int bias = 0;
};

// PredictBetween() for samples of 8 + shift bits, limited. Not inlined, so that 8 bits keep their code.
template <int kWidth>
[[gnu::noinline]] void PredictWide(const Moved<kWidth>& moved, int rows, int16_t* out, ptrdiff_t pitch,
                                   SampleKind kind) {
  const int shift = kind.shift;
  const auto result = [&](int bits) {
    return PassResult{(1 << (bits - 1)) - (kind.bias << bits), bits, static_cast<int16_t>(-kind.bias),
                      static_cast<int16_t>((256 << shift) - 1 - kind.bias)};
  };
  const int dy = moved.dy.eighth;
  const int dx = moved.dx.eighth;
  if (dy == 0) return FilterRowsWide<kWidth>(moved.source, moved.stride, rows, dx, result(6), out, pitch);
  if (dx == 0) return FilterColumnsWide<kWidth>(moved.source, moved.stride, rows, dy, result(6), out, pitch);
  alignas(64) int16_t sums[(kMostRows + kTaps) * kWidth];
  FilterRowsWide<kWidth>(moved.source - kBefore * moved.stride, moved.stride, rows + kTaps - 1, dx,
                         {0, shift}, sums, kWidth);
  FilterColumnsWide<kWidth>(sums + kBefore * kWidth, kWidth, rows, dy, result(kInterpolatedBits - shift), out,
                            pitch);
}

// Interpolated prediction. out: [rows][pitch], kWidth columns
template <int kWidth>
HWY_INLINE void PredictBetween(const Moved<kWidth>& moved, int rows, int16_t* out, ptrdiff_t pitch,
                               SampleKind kind) {
  if (kind.shift > 0) return PredictWide<kWidth>(moved, rows, out, pitch, kind);
  const bool bytes = kind.bytes;
  const Sample* const source = moved.source;
  const ptrdiff_t stride = moved.stride;
  const int dy = moved.dy.eighth;
  const int dx = moved.dx.eighth;
  if (dy == 0) {
    if (bytes) {
      FilterRowsOfBytes<kWidth>(source, stride, rows, dx, out, pitch);
    } else {
      FilterRows<kWidth>(source, stride, rows, dx, out, pitch);
    }
  } else if (dx == 0) {
    if (bytes) {
      FilterColumnsOfBytes<kWidth>(source, stride, rows, dy, out, pitch);
    } else {
      FilterColumns<kWidth>(source, stride, rows, dy, out, pitch);
    }
  } else {
    alignas(64) int16_t sums[kMostRows * kSumCols<kWidth>];
    if (bytes) {
      VerticalSumsOfBytes<kWidth>(source, stride, rows, dy, sums);
    } else {
      VerticalSums<kWidth>(source, stride, rows, dy, sums);
    }
    FilterRowsOfSums<kWidth>(sums, rows, dx, out, pitch);
  }
}

// Prediction of the samples from (y, x) on with vector v. out: [rows][pitch], kWidth columns
template <int kWidth>
void Predict(const PlaneView<const Sample>& reference, ChromaShift shift, MotionVector v, int y, int x,
             int rows, int16_t* out, ptrdiff_t pitch, SampleKind kind) {
  const Moved<kWidth> moved(reference, shift, v, y, x, rows, true);
  if (!moved.whole()) return PredictBetween<kWidth>(moved, rows, out, pitch, kind);
  for (int r = 0; r < rows; ++r) {
    CTV_KEEP_LOOP
    for (int i = 0; i < kWidth; ++i) out[r * pitch + i] = moved.source[r * moved.stride + i];
    if (kind.bias == 0) continue;
    for (int i = 0; i < kWidth; ++i)
      out[r * pitch + i] = static_cast<int16_t>(out[r * pitch + i] - kind.bias);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
