// SPDX-License-Identifier: BSD-3-Clause
// The prediction of a few rows with one vector, for compensation and squares of skipped cells; the decision
// of skips reads from the same places. Included once per instruction set.
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

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kMostRows = 16;

// Loads what is read or written soon, as far as it lies in the plane's rows: processors do not foresee so
// many of them. Inlined, since gcc leaves out calls that do nothing else.
[[gnu::always_inline]] inline void Prefetch(const PlaneView<const Sample>& plane, int y, int x, int rows,
                                            int cols) {
  const int end = min_of(y + rows, plane.rows);
  for (int r = max_of(0, y); r < end; ++r) {
    for (int i = 0; i < cols; i += 32) __builtin_prefetch(plane.row(r) + x + i);
  }
}

// Copies kWidth columns and rows + kTaps - 1 rows around (y, x), with the border of the filters. Positions
// are clamped to the plane, so inner loops test none. Inlined, gcc 13 warns that no rows would set nothing.
template <int kWidth>
[[gnu::noinline]] const Sample* Surroundings(const PlaneView<const Sample>& plane, int y, int x, int rows,
                                             Sample* patch) {
  constexpr int kPitch = kWidth + kTaps;
  const int from = x - kBefore;
  const int begin = clamp_to(-from, 0, kPitch);
  const int end = clamp_to(plane.cols - from, begin, kPitch);
  for (int r = 0; r < rows + kTaps - 1; ++r) {
    const Sample* source = plane.row(clamp_to(y - kBefore + r, 0, plane.rows - 1));
    Sample* out = patch + r * kPitch;
    if (end - begin == kPitch) {
      std::memcpy(out, source + from, kPitch * sizeof *out);
      continue;
    }
    std::fill_n(out, begin, source[0]);
    std::copy_n(source + clamp_to(from, 0, plane.cols - 1), end - begin, out + begin);
    std::fill(out + end, out + kPitch, source[plane.cols - 1]);
  }
  return patch + kBefore * kPitch + kBefore;
}

// Where the samples from (y, x) on lie that vector v points at, with what filters need around them. rows: at
// most kMostRows.
template <int kWidth>
struct Moved {
  alignas(64) Sample patch[(kMostRows + kTaps) * (kWidth + kTaps)];
  const Displacement dy, dx;
  const Sample* source;
  ptrdiff_t stride;

  HWY_INLINE Moved(const PlaneView<const Sample>& reference, ChromaShift shift, MotionVector v, int y, int x,
                   int rows)
      : dy(displacement(v.y, shift.y)), dx(displacement(v.x, shift.x)) {
    y += dy.whole;
    x += dx.whole;
    if (y >= kBefore && x >= kBefore && y + rows + kTaps - kBefore <= reference.rows &&
        x + kWidth + kTaps - kBefore <= reference.cols) {
      source = reference.row(y) + x;
      stride = reference.stride;
    } else {
      source = Surroundings<kWidth>(reference, y, x, rows, patch);
      stride = kWidth + kTaps;
    }
  }
  bool whole() const { return (dy.eighth | dx.eighth) == 0; }
};

// out [rows][pitch], kWidth columns: the prediction between samples.
template <int kWidth>
HWY_INLINE void PredictBetween(const Moved<kWidth>& moved, int rows, int16_t* out, ptrdiff_t pitch,
                               bool bytes) {
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

// out [rows][pitch], kWidth columns: the prediction of the samples from (y, x) on with vector v.
template <int kWidth>
void Predict(const PlaneView<const Sample>& reference, ChromaShift shift, MotionVector v, int y, int x,
             int rows, int16_t* out, ptrdiff_t pitch, bool bytes) {
  const Moved<kWidth> moved(reference, shift, v, y, x, rows);
  if (!moved.whole()) return PredictBetween<kWidth>(moved, rows, out, pitch, bytes);
  for (int r = 0; r < rows; ++r) {
    CTV_KEEP_LOOP
    for (int i = 0; i < kWidth; ++i) out[r * pitch + i] = moved.source[r * moved.stride + i];
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
