// SPDX-License-Identifier: BSD-3-Clause
// Luma for the search: bytes, and means of 4x4 samples for the far search. A thread processes 4x4 samples.
#include "codec/control/motion_decisions.hpp"
#include "cuda/motion/search.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/transform/sample_pairs.cuh"

namespace ctv::cuda {
namespace {

constexpr int kSide = kFarStep;  // samples per thread and side
constexpr int kCols = 32;        // of a block of threads
constexpr int kRows = 8;
static_assert(kSide == sizeof(uint32_t));

// A plane of bytes and its extent, with borders.
struct Target {
  uint8_t* origin;  // sample (0, 0); null: not required
  int rows, stride, border;

  __device__ bool holds(int row, int col) const {
    return row >= -border && row < rows + border && col >= -border && col < stride - border;
  }
  __device__ uint8_t* at(int row, int col) const {
    return origin + static_cast<ptrdiff_t>(row) * stride + col;
  }
};

// T: uint8_t or Sample.
template <typename T>
struct Fill {
  PlaneView<const T> from;
  Extent extent;  // with padding; means outside repeat the last ones
  bool aligned;   // groups of four elements are aligned and read at once
  int shift;      // bits of a sample beyond 8
  Target whole, quarter;
  int border;  // of the threads, in samples
};

__device__ __forceinline__ uint32_t four_at(const uint8_t* bytes, int) {
  return *reinterpret_cast<const uint32_t*>(bytes);
}
__device__ __forceinline__ uint32_t four_at(const Sample* samples, int shift) {
  const uint2 pairs = *reinterpret_cast<const uint2*>(samples);
  const auto clamped = [&](uint32_t pair) {
    return __vmins2(eight_bits_of(__vmaxs2(pair, 0), shift), 0x00ff00ffU);
  };
  return __byte_perm(clamped(pairs.x), clamped(pairs.y), 0x6420);
}

// Four samples of a row as bytes. Positions outside the plane repeat its edge.
template <typename T>
__device__ __forceinline__ uint32_t read_four(const Fill<T>& f, int row, int col) {
  const PlaneView<const T>& p = f.from;
  const T* const from = p.data + static_cast<ptrdiff_t>(clamp_to(row, 0, p.rows - 1)) * p.stride;
  if (f.aligned && col >= 0 && col + kSide <= p.cols) return four_at(from + col, f.shift);
  uint32_t four = 0;
#pragma unroll
  for (int i = 0; i < kSide; ++i) {
    const int sample = (from[clamp_to(col + i, 0, p.cols - 1)] + (1 << f.shift >> 1)) >> f.shift;
    four |= static_cast<uint32_t>(clamp_to(sample, 0, 255)) << (8 * i);
  }
  return four;
}

template <typename T>
__global__ void __launch_bounds__(kCols* kRows) fill_kernel(const __grid_constant__ Fill<T> f) {
  pdl_begin();
  const int row = kSide * static_cast<int>(blockIdx.y * kRows + threadIdx.y) - f.border;
  const int col = kSide * static_cast<int>(blockIdx.x * kCols + threadIdx.x) - f.border;
  uint32_t words[kSide];
#pragma unroll
  for (int y = 0; y < kSide; ++y) {
    words[y] = read_four(f, row + y, col);
    if (f.whole.holds(row + y, col)) *reinterpret_cast<uint32_t*>(f.whole.at(row + y, col)) = words[y];
  }
  const int quarter_row = row / kSide;
  const int quarter_col = col / kSide;
  if (f.quarter.origin == nullptr || !f.quarter.holds(quarter_row, quarter_col)) return;
  const int from_row = kSide * clamp_to(quarter_row, 0, (f.extent.rows - 1) / kSide);
  const int from_col = kSide * clamp_to(quarter_col, 0, (f.extent.cols - 1) / kSide);
  const bool own = from_row == row && from_col == col;
  uint32_t sum = 0;
#pragma unroll
  for (int y = 0; y < kSide; ++y)
    sum = __dp4a(own ? words[y] : read_four(f, from_row + y, from_col), 0x01010101U, sum);
  *f.quarter.at(quarter_row, quarter_col) = quarter_sample(static_cast<int>(sum));
}

template <typename T>
Status fill(Device& device, PlaneView<const T> from, Extent extent, int shift, const Target& whole,
            const Target& quarter) {
  const bool aligned =
      reinterpret_cast<uintptr_t>(from.data) % (kSide * sizeof(T)) == 0 && from.stride % kSide == 0;
  const int border = max_of(whole.border, kSide * quarter.border);
  const Fill<T> work{from, extent, aligned, shift, whole, quarter, border};
  // Strides include the borders.
  const int rows = max_of(whole.rows, kSide * quarter.rows) + 2 * border;
  const int cols =
      max_of(whole.stride + border - whole.border, kSide * quarter.stride + border - kSide * quarter.border);
  const dim3 blocks(blocks_for(cols, kSide * kCols), blocks_for(rows, kSide * kRows));
  launch_kernel(device, fill_kernel<T>, blocks, dim3(kCols, kRows), 0, work);
  return device.launched("fill_kernel");
}

}  // namespace

Status fill_current(Device& device, PlaneView<const uint8_t> bytes, PlaneView<const Sample> samples,
                    int shift, const SearchPlanes& planes, const SearchPlanes& quarters) {
  const Target whole{planes.current, planes.rows, planes.current_stride, 0};
  const Target quarter{quarters.current, quarters.rows, quarters.current_stride, 0};
  const Extent extent = samples.extent();
  return bytes.data != nullptr ? fill(device, bytes, extent, 0, whole, quarter)
                               : fill(device, samples, extent, shift, whole, quarter);
}

Status fill_reference(Device& device, PlaneView<const Sample> samples, int shift, const SearchPlanes& planes,
                      const SearchPlanes& quarters) {
  return fill(device, samples, samples.extent(), shift,
              {planes.reference, planes.rows, planes.reference_stride, planes.border},
              {quarters.reference, quarters.rows, quarters.reference_stride, quarters.border});
}

}  // namespace ctv::cuda
