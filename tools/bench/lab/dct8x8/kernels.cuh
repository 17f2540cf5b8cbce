// SPDX-License-Identifier: BSD-3-Clause
// The kernels of Obukhov and Kharlamov 2008, sections 3 and 5. Samples come through the read-only cache,
// where the paper used a texture; all else is as it says. Extents are multiples of 8; a CUDA block of several
// 8x8 blocks leaves out those beyond the picture.
#pragma once

#include "bench/lab/dct8x8/arithmetic.hpp"

namespace ctv::lab {

__constant__ float kWaveforms[64];  // [frequency][position]
__constant__ int kSteps[64];        // of the quantiser, [vertical][horizontal frequency]

struct Extents {
  int width, height;
};

// ---- By definition: 64 threads for a block, each one dot product of a column and one of a row
// --------------

__global__ void __launch_bounds__(64)
    definition_forward_kernel(const uint8_t* samples, float* coefficients, Extents extents) {
  __shared__ float x[8][8], half[8][8];
  const int i = static_cast<int>(threadIdx.y), j = static_cast<int>(threadIdx.x);
  const int at = static_cast<int>(blockIdx.y * 8 + threadIdx.y) * extents.width +
                 static_cast<int>(blockIdx.x * 8 + threadIdx.x);
  x[i][j] = static_cast<float>(static_cast<int>(__ldg(samples + at)) - 128);
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += kWaveforms[i * 8 + k] * x[k][j];
  half[i][j] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += half[i][k] * kWaveforms[j * 8 + k];
  coefficients[at] = sum;
}

__global__ void __launch_bounds__(64)
    definition_inverse_kernel(const float* coefficients, uint8_t* samples, Extents extents) {
  __shared__ float y[8][8], half[8][8];
  const int i = static_cast<int>(threadIdx.y), j = static_cast<int>(threadIdx.x);
  const int at = static_cast<int>(blockIdx.y * 8 + threadIdx.y) * extents.width +
                 static_cast<int>(blockIdx.x * 8 + threadIdx.x);
  y[i][j] = coefficients[at];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += kWaveforms[k * 8 + i] * y[k][j];
  half[i][j] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += half[i][k] * kWaveforms[k * 8 + j];
  samples[at] = sample_of(__float2int_rn(sum));
}

// ---- Separable: 8 threads for a block, each a row and a column; rows padded by one against bank conflicts
// --

/// A thread's place: line `line` of the 8x8 block (row, col) of its CUDA block.
struct LinePlace {
  int line, row, col;  // within the CUDA block
  int top, left;       // of the 8x8 block, in the picture
  bool inside;
};
template <int kBlockRows>
__device__ __forceinline__ LinePlace line_place(Extents extents) {
  LinePlace p;
  p.line = static_cast<int>(threadIdx.x);
  p.row = 8 * static_cast<int>(threadIdx.z);
  p.col = 8 * static_cast<int>(threadIdx.y);
  p.top = static_cast<int>(blockIdx.y) * 8 * kBlockRows + p.row;
  p.left = static_cast<int>(blockIdx.x) * 32 + p.col;
  p.inside = p.top < extents.height && p.left < extents.width;
  return p;
}

__global__ void __launch_bounds__(64)
    separable_forward_kernel(const uint8_t* samples, float* coefficients, Extents extents) {
  __shared__ float shared[16][32 + 1];
  const LinePlace p = line_place<2>(extents);
  const int corner = p.top * extents.width + p.left + p.line;
  if (p.inside) {
#pragma unroll
    for (int k = 0; k < 8; ++k)
      shared[p.row + k][p.col + p.line] =
          static_cast<float>(static_cast<int>(__ldg(samples + corner + k * extents.width)) - 128);
  }
  __syncthreads();
  float in[8], out[8];
  if (p.inside) {
#pragma unroll
    for (int k = 0; k < 8; ++k) in[k] = shared[p.row + p.line][p.col + k];
    forward_dct8(in, out);
#pragma unroll
    for (int k = 0; k < 8; ++k) shared[p.row + p.line][p.col + k] = out[k];
  }
  __syncthreads();
  if (!p.inside) return;
#pragma unroll
  for (int k = 0; k < 8; ++k) in[k] = shared[p.row + k][p.col + p.line];
  forward_dct8(in, out);
#pragma unroll
  for (int k = 0; k < 8; ++k) coefficients[corner + k * extents.width] = out[k];
}

__global__ void __launch_bounds__(64)
    separable_inverse_kernel(const float* coefficients, uint8_t* samples, Extents extents) {
  __shared__ float shared[16][32 + 1];
  const LinePlace p = line_place<2>(extents);
  const int corner = p.top * extents.width + p.left + p.line;
  float in[8], out[8];
  if (p.inside) {
#pragma unroll
    for (int k = 0; k < 8; ++k) in[k] = coefficients[corner + k * extents.width];
    inverse_dct8(in, out);
#pragma unroll
    for (int k = 0; k < 8; ++k) shared[p.row + k][p.col + p.line] = out[k];
  }
  __syncthreads();
  if (p.inside) {
#pragma unroll
    for (int k = 0; k < 8; ++k) in[k] = shared[p.row + p.line][p.col + k];
    inverse_dct8(in, out);
#pragma unroll
    for (int k = 0; k < 8; ++k) shared[p.row + p.line][p.col + k] = out[k];
  }
  __syncthreads();
  if (!p.inside) return;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    samples[corner + k * extents.width] = sample_of(__float2int_rn(shared[p.row + k][p.col + p.line]));
}

// ---- 16 bits: the same on 32x32 samples; pairs move between memories as one word
// ---------------------------

/// 32 rows of 16 pairs and a pair of padding.
union ShortTile {
  int16_t at[32][32 + 2];
  uint32_t pair[32][16 + 1];
};

/// body(row, pair of columns, place of the pair's first element in the picture) for the pairs of the CUDA
/// block that lie in the picture.
template <typename Body>
__device__ __forceinline__ void for_each_pair(Extents extents, Body&& body) {
  const int t = static_cast<int>((threadIdx.z * 4 + threadIdx.y) * 8 + threadIdx.x);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = (t + i * 128) / 16, pair = t % 16;
    const int r = static_cast<int>(blockIdx.y) * 32 + row, c = static_cast<int>(blockIdx.x) * 32 + 2 * pair;
    if (r < extents.height && c < extents.width) body(row, pair, r * extents.width + c);
  }
}

__global__ void __launch_bounds__(128)
    short_forward_kernel(const uint8_t* samples, int16_t* coefficients, Extents extents) {
  __shared__ ShortTile tile;
  const LinePlace p = line_place<4>(extents);
  for_each_pair(extents, [&](int row, int pair, int at) {
    const uchar2 two = __ldg(reinterpret_cast<const uchar2*>(samples + at));
    tile.at[row][2 * pair] = static_cast<int16_t>(two.x - 128);
    tile.at[row][2 * pair + 1] = static_cast<int16_t>(two.y - 128);
  });
  __syncthreads();
  int32_t in[8], out[8];
  if (p.inside) {
#pragma unroll
    for (int k = 0; k < 8; ++k) in[k] = tile.at[p.row + k][p.col + p.line];
    ctv::forward_dct8(in, out);
#pragma unroll
    for (int k = 0; k < 8; ++k)
      tile.at[p.row + k][p.col + p.line] = static_cast<int16_t>(dct8_forward_first(out[k]));
  }
  __syncthreads();
  if (p.inside) {
#pragma unroll
    for (int k = 0; k < 8; ++k) in[k] = tile.at[p.row + p.line][p.col + k];
    ctv::forward_dct8(in, out);
#pragma unroll
    for (int k = 0; k < 8; ++k)
      tile.at[p.row + p.line][p.col + k] = static_cast<int16_t>(dct8_forward_second(out[k]));
  }
  __syncthreads();
  for_each_pair(extents, [&](int row, int pair, int at) {
    *reinterpret_cast<uint32_t*>(coefficients + at) = tile.pair[row][pair];
  });
}

__global__ void __launch_bounds__(128)
    short_inverse_kernel(const int16_t* coefficients, uint8_t* samples, Extents extents) {
  __shared__ ShortTile tile;
  const LinePlace p = line_place<4>(extents);
  for_each_pair(extents, [&](int row, int pair, int at) {
    tile.pair[row][pair] = __ldg(reinterpret_cast<const uint32_t*>(coefficients + at));
  });
  __syncthreads();
  int32_t in[8], out[8];
  if (p.inside) {
#pragma unroll
    for (int k = 0; k < 8; ++k) in[k] = tile.at[p.row + p.line][p.col + k];
    ctv::inverse_dct8(in, out);
#pragma unroll
    for (int k = 0; k < 8; ++k)
      tile.at[p.row + p.line][p.col + k] = static_cast<int16_t>(dct8_inverse_first(out[k]));
  }
  __syncthreads();
  if (!p.inside) return;
#pragma unroll
  for (int k = 0; k < 8; ++k) in[k] = tile.at[p.row + k][p.col + p.line];
  ctv::inverse_dct8(in, out);
#pragma unroll
  for (int k = 0; k < 8; ++k)
    samples[(p.top + k) * extents.width + p.left + p.line] = sample_of(dct8_whole_sample(out[k]));
}

// ---- Quantiser: one thread for each coefficient, as plain as the paper's
// -----------------------------------

__device__ __forceinline__ float quantised(float coefficient, int step) {
  const float q = static_cast<float>(step);
  return rintf(coefficient / q) * q;
}
__device__ __forceinline__ int16_t quantised(int16_t coefficient, int step) {
  return requantised(coefficient, step);
}

template <typename Value>
__global__ void __launch_bounds__(256)
    quantise_kernel(const Value* coefficients, Value* levels, Extents extents) {
  const int r = static_cast<int>(blockIdx.y * 8 + threadIdx.y),
            c = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  if (r >= extents.height || c >= extents.width) return;
  const int at = r * extents.width + c;
  levels[at] = quantised(coefficients[at], kSteps[(r & 7) * 8 + (c & 7)]);
}

}  // namespace ctv::lab
