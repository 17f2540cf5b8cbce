// SPDX-License-Identifier: BSD-3-Clause
// Types of samples, coefficients, levels, extents and views.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ctv {

/// A sample of a coded plane: luma and YCbCr chroma of 8, 10 or 12 bits; Co and Cg -255..255.
using Sample = int16_t;
/// A transform coefficient in units of 2^-fraction_bits samples. Computed in 32 bits, stored in 16.
using Coefficient = int16_t;
/// A quantised coefficient.
using Level = int16_t;

/// Bounds of the samples of a plane.
struct SampleRange {
  int lo, hi;
  /// Bits that samples have beyond 8: `shift` of docs/bitstream.md. hi: 2^bits - 1.
#if defined(__CUDACC__)
  __host__ __device__
#endif
      constexpr int
      shift() const {
    return hi > 1023 ? 4 : (hi > 255 ? 2 : 0);
  }
  friend bool operator==(const SampleRange&, const SampleRange&) = default;
};

struct Extent {
  int rows = 0;
  int cols = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
  size_t area() const { return static_cast<size_t>(rows) * static_cast<size_t>(cols); }
};

/// A view of rows of T, in the address space of the backend that allocated them. Does not own the memory.
template <typename T>
struct PlaneView {
  T* data = nullptr;
  int rows = 0;
  int cols = 0;
  ptrdiff_t stride = 0;  // elements from row to row

#if defined(__CUDACC__)
  __host__ __device__
#endif
      T*
      row(int r) const {
#if defined(__CUDA_ARCH__)
    return data + r * static_cast<int>(stride);  // planes have fewer than 2^31 samples
#else
    return data + r * stride;
#endif
  }
  Extent extent() const { return {rows, cols}; }
  PlaneView crop(int r, int c) const { return {data, r, c, stride}; }
  operator PlaneView<const T>() const { return {data, rows, cols, stride}; }  // NOLINT(*-explicit-*)
};

/// Displacement of a block into the reference picture, in eighths of a luma sample, rows first.
struct MotionVector {
  int16_t y = 0;
  int16_t x = 0;
  /// One comparison: compilers would make two branches of two.
  friend constexpr bool operator==(const MotionVector& a, const MotionVector& b) {
    return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
  }
};

/// Chroma subsampling as shifts: {0, 0} 4:4:4, {0, 1} 4:2:2, {1, 1} 4:2:0.
struct ChromaShift {
  int y = 0;
  int x = 0;
};

}  // namespace ctv
