// SPDX-License-Identifier: BSD-3-Clause
// One scale of the reversible 5/3, 13/7 or 9/7 wavelet (lifting; Calderbank et al. 1998), forward or inverse,
// in one launch.
//
// Step by step it is four passes (9/7: eight) over device memory and back. Here a block of threads takes a
// tile of 32x64 samples with a border of 6 (5/3: 2; 9/7: 4). A thread has a run of samples in registers,
// border included, and does all lifting steps of one direction there; between the two directions the tile
// passes through shared memory once, so threads wait for each other once. Samples beyond the plane are the
// mirrored ones; since the steps are symmetric, lifting the extended signal is extending the lifted one, so
// tiles need no border cases. The first step of the transform (samples minus prediction) and the last
// (quantiser; inverse: prediction added, clamped) happen on the way in and out.
#include "cuda/transform/wavelet.hpp"

#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/mirrored.cuh"
#include "cuda/transform/sample_pairs.cuh"
#include "cuda/transform/wavelet_lifting.cuh"

namespace ctv::cuda {
namespace {

constexpr int kTileRows = 32;
constexpr int kTileCols = 64;
constexpr int kRowRun = 16;    // samples of a row that a thread makes
constexpr int kColumnRun = 8;  // rows of two columns that a thread makes
constexpr int kRowRuns = kTileCols / kRowRun;
constexpr int kColumnRuns = kTileRows / kColumnRun;

template <class Wavelet>
struct Tile {
  static constexpr int kBorder = kLiftingBorder<Wavelet>;
  static constexpr int kRows = kTileRows + 2 * kBorder;
  static constexpr int kPairs = kTileCols / 2 + kBorder;  // of columns
  // Of both directions: a thread for each run.
  static constexpr int kForwardThreads = (kRows * kRowRuns + 31) / 32 * 32;
  static constexpr int kInverseThreads = (kPairs * kColumnRuns + 31) / 32 * 32;
};

// target.put() for kRowRun samples from a multiple of 8 on, eight at a time. x: 0 in skipped cells.
__device__ __forceinline__ void put_run(const PlaneTarget& target, int row, int col, const int* x) {
  auto* to = reinterpret_cast<uint4*>(target.data + row * target.stride + col);
  const auto* predicted =
      target.prediction == nullptr
          ? nullptr
          : reinterpret_cast<const uint4*>(target.prediction + row * target.prediction_stride + col);
#pragma unroll
  for (int i = 0; i < kRowRun / 8; ++i) {
    const uint4 octet = predicted != nullptr ? predicted[i] : uint4{};
    const uint32_t in[4] = {octet.x, octet.y, octet.z, octet.w};
    uint32_t out[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      int first = x[8 * i + 2 * k];
      int second = x[8 * i + 2 * k + 1];
      if (target.samples != 0) {
        first = target.sample(static_cast<Coefficient>(first),
                              predicted != nullptr ? first_of(in[k]) : target.dc_offset);
        second = target.sample(static_cast<Coefficient>(second),
                               predicted != nullptr ? second_of(in[k]) : target.dc_offset);
      }
      out[k] = pair_of(first, second);
    }
    to[i] = {out[0], out[1], out[2], out[3]};
  }
}

constexpr int kAtOnce = 4;

// source.at() of columns of a row, step by step: else each sample would wait for the flag of its cell.
__device__ __forceinline__ void read_samples(const PlaneSource& source, int row, const int* cols, int* x) {
  const int16_t* samples = source.data + row * source.stride;
#pragma unroll
  for (int k = 0; k < kAtOnce; ++k) x[k] = samples[cols[k]];
  int predicted[kAtOnce];
#pragma unroll
  for (int k = 0; k < kAtOnce; ++k) {
    predicted[k] = source.prediction == nullptr ? source.dc_offset
                                                : source.prediction[row * source.prediction_stride + cols[k]];
  }
#pragma unroll
  for (int k = 0; k < kAtOnce; ++k) x[k] = source.residual(x[k], predicted[k]);
  if (source.skipped.skips == nullptr) return;
  const uint8_t* flags = source.skipped.flags(row);
#pragma unroll
  for (int k = 0; k < kAtOnce; ++k) {
    if (flags[source.skipped.col_of(cols[k])] != 0) x[k] = 0;
  }
}

template <class Wavelet>
__global__ void __launch_bounds__(Tile<Wavelet>::kForwardThreads)
    wavelet_forward_kernel(const __grid_constant__ WaveletScale<int16_t> scale,
                           const __grid_constant__ PlaneSource source) {
  follow();
  using Shape = Tile<Wavelet>;
  constexpr int kBorder = Shape::kBorder;
  constexpr int kRun = kRowRun + 2 * kBorder;
  __shared__ uint32_t tile[Shape::kRows][kTileCols / 2 + 1];  // filtered along rows
  if (scale.along != nullptr && *scale.along != 0) return;
  const int row0 = static_cast<int>(blockIdx.y) * kTileRows;
  const int col0 = static_cast<int>(blockIdx.x) * kTileCols;
  const int thread = static_cast<int>(threadIdx.x);
  if (const int r = thread / kRowRuns; r < Shape::kRows) {
    const int row = mirrored<kBorder>(row0 - kBorder + r, scale.rows);
    const int first = col0 + thread % kRowRuns * kRowRun - kBorder;
    int x[kRun];
    if (first >= 0 && first + kRun <= scale.cols && has_pairs(source)) {
      const auto* samples = reinterpret_cast<const uint32_t*>(source.data + row * source.stride + first);
      const auto* predicted =
          source.prediction == nullptr
              ? nullptr
              : reinterpret_cast<const uint32_t*>(source.prediction + row * source.prediction_stride + first);
#pragma unroll
      for (int k = 0; k < kRun / 2; ++k) {
        const uint32_t pair = samples[k];
        x[2 * k] = first_of(pair);
        x[2 * k + 1] = second_of(pair);
      }
#pragma unroll
      for (int k = 0; k < kRun / 2; ++k) {
        const uint32_t pair = predicted == nullptr ? 0 : predicted[k];
        x[2 * k] = source.residual(x[2 * k], predicted == nullptr ? source.dc_offset : first_of(pair));
        x[2 * k + 1] =
            source.residual(x[2 * k + 1], predicted == nullptr ? source.dc_offset : second_of(pair));
      }
      clear_skipped<kRun>(source.skipped, row, first, x);
    } else {
#pragma unroll
      for (int k = 0; k < kRun; k += kAtOnce) {
        int cols[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) cols[i] = mirrored<kBorder>(first + k + i, scale.cols);
        read_samples(source, row, cols, x + k);
      }
    }
    lift<Wavelet, kRowRun>(x);
#pragma unroll
    for (int k = 0; k < kRowRun / 2; ++k) {
      tile[r][thread % kRowRuns * (kRowRun / 2) + k] = pair_of(x[kBorder + 2 * k], x[kBorder + 2 * k + 1]);
    }
  }
  __syncthreads();

  const int pair = thread % (kTileCols / 2);
  const int run = thread / (kTileCols / 2);
  const int col = col0 / 2 + pair;
  if (run >= kColumnRuns || col >= scale.cols / 2) return;
  int x[2][kColumnRun + 2 * kBorder];
#pragma unroll
  for (int k = 0; k < kColumnRun + 2 * kBorder; ++k) {
    const uint32_t both = tile[run * kColumnRun + k][pair];
    x[0][k] = first_of(both);
    x[1][k] = second_of(both);
  }
#pragma unroll
  for (int right = 0; right < 2; ++right) lift<Wavelet, kColumnRun>(x[right]);
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    const auto& band = scale.bands[b];
#pragma unroll
    for (int k = 0; k < kColumnRun / 2; ++k) {
      const int row = (row0 + run * kColumnRun) / 2 + k;
      if (row >= scale.rows / 2) continue;
      const auto c = static_cast<int16_t>(x[b & 1][kBorder + 2 * k + (b >> 1)]);
      band.data[static_cast<ptrdiff_t>(row) * (scale.cols / 2) + col] =
          band.quantised != 0 ? quantise(c, band.quantiser.multiplier, band.quantiser.rounding_offset) : c;
    }
  }
}

template <class Wavelet>
__global__ void __launch_bounds__(Tile<Wavelet>::kInverseThreads)
    wavelet_inverse_kernel(const __grid_constant__ WaveletScale<const int16_t> scale,
                           const __grid_constant__ PlaneTarget target) {
  follow();
  using Shape = Tile<Wavelet>;
  constexpr int kBorder = Shape::kBorder;
  constexpr int kRun = kRowRun + 2 * kBorder;
  __shared__ uint32_t tile[kTileRows][Shape::kPairs | 1];  // filtered along columns
  if (scale.along != nullptr && *scale.along != 0) return;
  const int row0 = static_cast<int>(blockIdx.y) * kTileRows;
  const int col0 = static_cast<int>(blockIdx.x) * kTileCols;
  const int thread = static_cast<int>(threadIdx.x);
  if (const int run = thread / Shape::kPairs; run < kColumnRuns) {
    const int pair = thread % Shape::kPairs;
    // Mirroring keeps parity (the extents are even), so a column comes from two bands, a row from two others.
    const int cols[2] = {mirrored<kBorder>(col0 - kBorder + 2 * pair, scale.cols) >> 1,
                         mirrored<kBorder>(col0 - kBorder + 2 * pair + 1, scale.cols) >> 1};
    int x[2][kColumnRun + 2 * kBorder];
#pragma unroll
    for (int k = 0; k < kColumnRun + 2 * kBorder; ++k) {
      const int row = mirrored<kBorder>(row0 + run * kColumnRun - kBorder + k, scale.rows) >> 1;
#pragma unroll
      for (int right = 0; right < 2; ++right) {
        const auto& band = scale.bands[k % 2 * 2 + right];
        x[right][k] = band.data[static_cast<ptrdiff_t>(row) * (scale.cols / 2) + cols[right]];
      }
    }
#pragma unroll
    for (int k = 0; k < kColumnRun + 2 * kBorder; ++k) {
#pragma unroll
      for (int right = 0; right < 2; ++right) {
        const auto& band = scale.bands[k % 2 * 2 + right];
        if (band.quantised != 0) {
          x[right][k] = dequantise(static_cast<Level>(x[right][k]), band.quantiser.step,
                                   band.quantiser.reconstruction_offset);
        }
      }
    }
#pragma unroll
    for (int right = 0; right < 2; ++right) unlift<Wavelet, kColumnRun>(x[right]);
#pragma unroll
    for (int k = 0; k < kColumnRun; ++k)
      tile[run * kColumnRun + k][pair] = pair_of(x[0][kBorder + k], x[1][kBorder + k]);
  }
  __syncthreads();

  const int r = thread / kRowRuns;
  const int row = row0 + r;
  const int first = col0 + thread % kRowRuns * kRowRun;
  if (r >= kTileRows || row >= scale.rows || first >= scale.cols) return;
  int x[kRun];
#pragma unroll
  for (int k = 0; k < kRun / 2; ++k) {
    const uint32_t both = tile[r][thread % kRowRuns * (kRowRun / 2) + k];
    x[2 * k] = first_of(both);
    x[2 * k + 1] = second_of(both);
  }
  unlift<Wavelet, kRowRun>(x);
  if (first + kRowRun <= scale.cols && has_octets(target)) {
    clear_skipped<kRowRun>(target.skipped, row, first, x + kBorder);
    put_run(target, row, first, x + kBorder);
  } else {
#pragma unroll
    for (int k = 0; k < kRowRun; ++k) {
      if (first + k < scale.cols) target.put(row, first + k, static_cast<Coefficient>(x[kBorder + k]));
    }
  }
}

template <typename T>
dim3 tiles(const WaveletScale<T>& scale) {
  return {blocks_for(scale.cols, kTileCols), blocks_for(scale.rows, kTileRows)};
}

/// launch(wavelet) with the kind's type.
template <typename Launch>
void with_wavelet(Pyramid kind, Launch launch) {
  if (kind == Pyramid::kWavelet5_3) {
    launch(Wavelet5_3{});
  } else if (kind == Pyramid::kWavelet13_7) {
    launch(Wavelet13_7{});
  } else {
    launch(Wavelet9_7{});
  }
}

}  // namespace

Status wavelet_forward(Device& device, Pyramid kind, const WaveletScale<int16_t>& scale,
                       const PlaneSource& source) {
  with_wavelet(kind, [&]<class Wavelet>(Wavelet) {
    launch_kernel(device, wavelet_forward_kernel<Wavelet>, tiles(scale), Tile<Wavelet>::kForwardThreads, 0,
                  scale, source);
  });
  return device.launched("wavelet_forward_kernel");
}

Status wavelet_inverse(Device& device, Pyramid kind, const WaveletScale<const int16_t>& scale,
                       const PlaneTarget& target) {
  with_wavelet(kind, [&]<class Wavelet>(Wavelet) {
    launch_kernel(device, wavelet_inverse_kernel<Wavelet>, tiles(scale), Tile<Wavelet>::kInverseThreads, 0,
                  scale, target);
  });
  return device.launched("wavelet_inverse_kernel");
}

}  // namespace ctv::cuda
