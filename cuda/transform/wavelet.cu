// SPDX-License-Identifier: BSD-3-Clause
// One scale of the reversible 5/3 or 9/7 wavelet (lifting; Calderbank et al. 1998), or two, forward or
// inverse, in one launch.
//
// Step by step a scale is four passes (9/7: eight) over device memory and back. Here a block of threads takes
// a tile of 32x64 samples with a border of 6 (5/3: 2; 9/7: 4). A thread has a run of samples in registers,
// border included, and does all lifting steps of one direction there; between the two directions the tile
// passes through shared memory once, so threads wait for each other once. Samples beyond the plane are the
// mirrored ones; since the steps are symmetric, lifting the extended signal is extending the lifted one, so
// tiles need no border cases. The first step of the transform (samples minus prediction) and the last
// (quantiser; inverse: prediction added, clamped) happen on the way in and out.
//
// A launch of a few blocks takes longer than their work, so small planes have two scales in one launch. Tiles
// are 32x32, and the lowpass between the scales stays in shared memory. A tile computes it with the border
// that the other scale needs, which neighbouring tiles compute, too.
#include "cuda/transform/wavelet.hpp"

#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/mirrored.cuh"
#include "cuda/transform/sample_pairs.cuh"
#include "cuda/transform/wavelet_lifting.cuh"

namespace ctv::cuda {
namespace {

constexpr int kColumnRun = 8;  // rows of two columns that a thread computes
constexpr int kLowPad = 2;     // padding of lowpass rows between two scales, against bank conflicts

/// Part of a scale that a tile computes, in samples of the scale's input: its own samples and a margin.
/// kScales: number of scales in the launch; kNth: 0 for the finer one.
template <class Wavelet, int kScales, int kNth, int kMarginOfTile>
struct TileScale {
  static constexpr int kBorder = kLiftingBorder<Wavelet>;
  static constexpr int kMargin = kMarginOfTile;
  static constexpr int kRowRun = kScales == 1 ? 16 : 8;  // samples of a row that a thread computes
  static constexpr int kOwnRows = 32 >> kNth;
  static constexpr int kOwnCols = (kScales == 1 ? 64 : 32) >> kNth;
  static constexpr int kRows = kOwnRows + 2 * kMargin;
  static constexpr int kCols = kOwnCols + 2 * kMargin;
  static constexpr int kRowRuns = kCols / kRowRun;
  static constexpr int kColumnRuns = kRows / kColumnRun;
  static constexpr bool kDeepest = kNth + 1 == kScales;
  static_assert(kCols % kRowRun == 0 && kRows % kColumnRun == 0);

  /// The first row of the tile in the scale's input.
  static __device__ int row0() { return static_cast<int>(blockIdx.y) * kOwnRows - kMargin; }
  static __device__ int col0() { return static_cast<int>(blockIdx.x) * kOwnCols - kMargin; }
};

template <class Shape>
constexpr int kBorderedRows = Shape::kRows + 2 * Shape::kBorder;
template <class Shape>
constexpr int kBorderedPairs = Shape::kCols / 2 + Shape::kBorder;  // of columns
// Threads of a block in the forward and the inverse transform: one per run.
template <class Shape>
constexpr int kForwardThreads = round_up(kBorderedRows<Shape>* Shape::kRowRuns, 32);
template <class Shape>
constexpr int kInverseThreads =
    round_up(max_of(kBorderedPairs<Shape>* Shape::kColumnRuns, Shape::kRows* Shape::kRowRuns), 32);

// Margins. Forward: the finer scale computes twice the deeper one's border, in whole runs. Inverse: the
// deeper scale computes half the finer one's border.
template <class Wavelet, int kScales, int kNth>
using ForwardTile =
    TileScale<Wavelet, kScales, kNth, kNth + 1 < kScales ? round_up(2 * kLiftingBorder<Wavelet>, 8) : 0>;
template <class Wavelet, int kScales, int kNth>
using InverseTile = TileScale<Wavelet, kScales, kNth, 4 * kNth>;

/// Scales of a launch, finer one first.
template <typename T, int kScales>
struct WaveletScales {
  WaveletScale<T> at[kScales];
};

/// Coefficients that a tile holds, from (row0, col0) of their plane on.
struct Held {
  int16_t* data = nullptr;
  int stride = 0;
  int row0 = 0, col0 = 0;
  // Negative positions are mapped to 0; no output depends on them (see mirrored()).
  __device__ int row(int r) const { return max_of(r - row0, 0); }
  __device__ int col(int c) const { return max_of(c - col0, 0); }
};

// in: origin of the source. low: receives the lowpass of a scale that is not the deepest.
template <class Wavelet, class Shape, int kWords>
__device__ __forceinline__ void forward_scale(const WaveletScale<int16_t>& scale, const PlaneSource& source,
                                              const Held& in, uint32_t (*tile)[kWords], const Held& low) {
  constexpr int kBorder = Shape::kBorder;
  constexpr int kRowRun = Shape::kRowRun;
  constexpr int kRun = kRowRun + 2 * kBorder;
  static_assert(kWords > Shape::kCols / 2);
  const int row0 = Shape::row0();
  const int col0 = Shape::col0();
  const int thread = thread_x();
  if (const int r = thread / Shape::kRowRuns; r < kBorderedRows<Shape>) {
    const int row = in.row(mirrored<kBorder>(row0 - kBorder + r, scale.rows));
    const int first = col0 + thread % Shape::kRowRuns * kRowRun - kBorder;
    int x[kRun];
    if (first >= 0 && first + kRun <= scale.cols && has_pairs(source)) {
      const int col = in.col(first);
      const auto* samples = reinterpret_cast<const uint32_t*>(source.data + row * source.stride + col);
      const auto* predicted =
          source.prediction == nullptr
              ? nullptr
              : reinterpret_cast<const uint32_t*>(source.prediction + row * source.prediction_stride + col);
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
      clear_skipped<kRun>(source.skipped, row, col, x);
    } else {
#pragma unroll
      for (int k = 0; k < kRun; k += 4) {
        int cols[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) cols[i] = in.col(mirrored<kBorder>(first + k + i, scale.cols));
        read_samples<4>(source, row, cols, x + k);
      }
    }
    lift<Wavelet, kRowRun>(x);
#pragma unroll
    for (int k = 0; k < kRowRun / 2; ++k) {
      tile[r][thread % Shape::kRowRuns * (kRowRun / 2) + k] =
          pair_of(x[kBorder + 2 * k], x[kBorder + 2 * k + 1]);
    }
  }
  __syncthreads();

  const int pair = thread % (Shape::kCols / 2);
  const int run = thread / (Shape::kCols / 2);
  if (run >= Shape::kColumnRuns) return;
  int x[2][kColumnRun + 2 * kBorder];
#pragma unroll
  for (int k = 0; k < kColumnRun + 2 * kBorder; ++k) {
    const uint32_t both = tile[run * kColumnRun + k][pair];
    x[0][k] = first_of(both);
    x[1][k] = second_of(both);
  }
#pragma unroll
  for (int right = 0; right < 2; ++right) lift<Wavelet, kColumnRun>(x[right]);
  if constexpr (!Shape::kDeepest) {
#pragma unroll
    for (int k = 0; k < kColumnRun / 2; ++k) {
      low.data[(run * (kColumnRun / 2) + k) * low.stride + pair] =
          static_cast<int16_t>(x[0][kBorder + 2 * k]);
    }
  }
  const int own_row = run * kColumnRun - Shape::kMargin;
  const int own_col = 2 * pair - Shape::kMargin;
  const int col = col0 / 2 + pair;
  if (own_row < 0 || own_row >= Shape::kOwnRows || own_col < 0 || own_col >= Shape::kOwnCols) return;
  if (col >= scale.cols / 2) return;
  const int row = (row0 + run * kColumnRun) / 2;
#pragma unroll
  for (int b = Shape::kDeepest ? 0 : 1; b < 4; ++b) {
    const auto& band = scale.bands[b];
    int16_t made[kColumnRun / 2];
#pragma unroll
    for (int k = 0; k < kColumnRun / 2; ++k)
      made[k] = static_cast<int16_t>(x[b & 1][kBorder + 2 * k + (b >> 1)]);
    if (band.quantised != 0) {
#pragma unroll
      for (int16_t& c : made) c = quantise(c, band.quantiser.multiplier, band.quantiser.rounding_offset);
    }
    int16_t* to = band.data + (row * (scale.cols / 2) + col);
#pragma unroll
    for (int k = 0; k < kColumnRun / 2; ++k, to += scale.cols / 2) {
      if (row + k < scale.rows / 2) *to = made[k];
    }
  }
}

template <class Wavelet, int kScales>
__global__ void __launch_bounds__(kForwardThreads<ForwardTile<Wavelet, kScales, 0>>)
    wavelet_forward_kernel(const __grid_constant__ WaveletScales<int16_t, kScales> scales,
                           const __grid_constant__ PlaneSource source) {
  pdl_begin();
  using Finer = ForwardTile<Wavelet, kScales, 0>;
  __shared__ uint32_t tile[kBorderedRows<Finer>][Finer::kCols / 2 + 1];  // filtered along rows
  if constexpr (kScales == 1) {
    if (scales.at[0].along != nullptr && *scales.at[0].along != 0) return;
    forward_scale<Wavelet, Finer>(scales.at[0], source, {}, tile, {});
  } else {
    using Deeper = ForwardTile<Wavelet, kScales, 1>;
    constexpr int kStride = Finer::kCols / 2 + kLowPad;
    static_assert(Finer::kMargin / 2 >= Deeper::kBorder);
    __shared__ __align__(4) int16_t data[Finer::kRows / 2 * kStride];
    const Held low{data, kStride, Finer::row0() / 2, Finer::col0() / 2};
    forward_scale<Wavelet, Finer>(scales.at[0], source, {}, tile, low);
    __syncthreads();
    forward_scale<Wavelet, Deeper>(scales.at[1], coefficient_source(data, kStride), low, tile, {});
  }
}

// low: lowpass of a scale that is not the deepest. put(r, first, x) receives a run of the tile's row r.
template <class Wavelet, class Shape, int kWords, class Put>
__device__ __forceinline__ void inverse_scale(const WaveletScale<const int16_t>& scale, const Held& low,
                                              uint32_t (*tile)[kWords], Put put) {
  constexpr int kBorder = Shape::kBorder;
  constexpr int kRowRun = Shape::kRowRun;
  constexpr int kRun = kRowRun + 2 * kBorder;
  static_assert(kWords >= kBorderedPairs<Shape>);
  const int row0 = Shape::row0();
  const int col0 = Shape::col0();
  const int thread = static_cast<int>(
      threadIdx.x);  // thread_x() would take more registers, and thus reduce the number of blocks
  int some = 0;      // whether any coefficient is not 0: most tiles of chroma in predicted frames are all 0
  if (const int run = thread / kBorderedPairs<Shape>; run < Shape::kColumnRuns) {
    const int pair = thread % kBorderedPairs<Shape>;
    // Mirroring keeps parity (the extents are even), so a column uses two bands, and a row the other two.
    const int top = row0 + run * kColumnRun - kBorder;
    const int left = col0 - kBorder + 2 * pair;
    const bool inside =
        top >= 0 && top + kColumnRun + 2 * kBorder <= scale.rows && left >= 0 && left < scale.cols;
    const int cols[2] = {mirrored<kBorder>(left, scale.cols) >> 1,
                         mirrored<kBorder>(left + 1, scale.cols) >> 1};
    int x[2][kColumnRun + 2 * kBorder];
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      const int right = b % 2;
      const int odd = b / 2;
      constexpr int kEach = kColumnRun / 2 + kBorder;  // rows per band
      if (!Shape::kDeepest && b == 0) {
#pragma unroll
        for (int k = 0; k < kEach; ++k) {
          const int row = mirrored<kBorder>(top + 2 * k, scale.rows) >> 1;
          x[0][2 * k] = low.data[low.row(row) * low.stride + low.col(cols[0])];
        }
        continue;
      }
      const auto& band = scale.bands[b];
      if (inside) {
        const int16_t* from = band.data + (top / 2 * (scale.cols / 2) + left / 2);
#pragma unroll
        for (int k = 0; k < kEach; ++k, from += scale.cols / 2) x[right][2 * k + odd] = *from;
      } else {
#pragma unroll
        for (int k = 0; k < kEach; ++k) {
          const int row = mirrored<kBorder>(top + 2 * k + odd, scale.rows) >> 1;
          x[right][2 * k + odd] = band.data[row * (scale.cols / 2) + cols[right]];
        }
      }
    }
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      const auto& band = scale.bands[b];
      int any = 0;  // in predicted frames most are 0
#pragma unroll
      for (int k = b / 2; k < kColumnRun + 2 * kBorder; k += 2) any |= x[b % 2][k];
      some |= any;
      if (any == 0 || band.quantised == 0) continue;
#pragma unroll
      for (int k = b / 2; k < kColumnRun + 2 * kBorder; k += 2) {
        x[b % 2][k] = dequantise(static_cast<Level>(x[b % 2][k]), band.quantiser.step,
                                 band.quantiser.reconstruction_offset);
      }
    }
    if (some != 0) {
#pragma unroll
      for (int right = 0; right < 2; ++right) unlift<Wavelet, kColumnRun>(x[right]);
    }
#pragma unroll
    for (int k = 0; k < kColumnRun; ++k)
      tile[run * kColumnRun + k][pair] = pair_of(x[0][kBorder + k], x[1][kBorder + k]);
  }
  some = __syncthreads_or(some);

  const int r = thread / Shape::kRowRuns;
  const int first = thread % Shape::kRowRuns * kRowRun;
  if (r >= Shape::kRows) return;
  int x[kRun] = {};
  if (some != 0) {
#pragma unroll
    for (int k = 0; k < kRun / 2; ++k) {
      const uint32_t both = tile[r][first / 2 + k];
      x[2 * k] = first_of(both);
      x[2 * k + 1] = second_of(both);
    }
    unlift<Wavelet, kRowRun>(x);
  }
  put(r, first, x + kBorder);
}

template <class Wavelet, int kScales>
__global__ void __launch_bounds__(kInverseThreads<InverseTile<Wavelet, kScales, 0>>)
    wavelet_inverse_kernel(const __grid_constant__ WaveletScales<const int16_t, kScales> scales,
                           const __grid_constant__ PlaneTarget target) {
  pdl_begin();
  using Finer = InverseTile<Wavelet, kScales, 0>;
  constexpr int kRun = Finer::kRowRun;
  const WaveletScale<const int16_t>& scale = scales.at[0];
  __shared__ uint32_t tile[Finer::kRows][kBorderedPairs<Finer> | 1];  // filtered along columns
  const auto put = [&](int r, int c, int* x) {
    const int row = Finer::row0() + r;
    const int first = Finer::col0() + c;
    if (row >= scale.rows || first >= scale.cols) return;
    if (first + kRun <= scale.cols && has_octets(target)) {
      clear_skipped<kRun>(target.skipped, row, first, x);
      put_run<kRun>(target, row, first, x);
    } else {
#pragma unroll
      for (int k = 0; k < kRun; ++k) {
        if (first + k < scale.cols) target.put(row, first + k, static_cast<Coefficient>(x[k]));
      }
    }
  };
  if constexpr (kScales == 1) {
    if (scale.along != nullptr && *scale.along != 0) return;
    inverse_scale<Wavelet, Finer>(scale, {}, tile, put);
  } else {
    using Deeper = InverseTile<Wavelet, kScales, 1>;
    constexpr int kStride = Deeper::kCols + kLowPad;
    static_assert(2 * Deeper::kMargin >= Finer::kBorder && Deeper::kRows <= Finer::kRows &&
                  kInverseThreads<Deeper> <= kInverseThreads<Finer>);
    __shared__ __align__(4) int16_t data[Deeper::kRows * kStride];
    inverse_scale<Wavelet, Deeper>(scales.at[1], {}, tile, [&](int r, int c, const int* x) {
      auto* to = reinterpret_cast<uint32_t*>(data + r * kStride + c);
#pragma unroll
      for (int k = 0; k < kRun / 2; ++k) to[k] = pair_of(x[2 * k], x[2 * k + 1]);
    });
    __syncthreads();
    inverse_scale<Wavelet, Finer>(scale, {data, kStride, Deeper::row0(), Deeper::col0()}, tile, put);
  }
}

/// Calls launch(wavelet, number of scales), both as types, for the kind.
template <typename T, typename Launch>
void with_wavelet(Pyramid kind, std::span<const WaveletScale<T>> scales, Launch launch) {
  const auto with_scales = [&](auto wavelet) {
    if (scales.size() == 1) {
      launch(wavelet, WaveletScales<T, 1>{{scales[0]}});
    } else {
      launch(wavelet, WaveletScales<T, 2>{{scales[0], scales[1]}});
    }
  };
  if (kind == Pyramid::kWavelet5_3) {
    with_scales(Wavelet5_3{});
  } else {
    with_scales(Wavelet9_7{});
  }
}

template <class Shape, typename T>
dim3 tiles(const WaveletScale<T>& scale) {
  return {blocks_for(scale.cols, Shape::kOwnCols), blocks_for(scale.rows, Shape::kOwnRows)};
}

}  // namespace

Status wavelet_forward(Device& device, Pyramid kind, std::span<const WaveletScale<int16_t>> scales,
                       const PlaneSource& source) {
  with_wavelet(kind, scales,
               [&]<class Wavelet, int kScales>(Wavelet, const WaveletScales<int16_t, kScales>& all) {
                 using Shape = ForwardTile<Wavelet, kScales, 0>;
                 launch_kernel(device, wavelet_forward_kernel<Wavelet, kScales>, tiles<Shape>(scales[0]),
                               kForwardThreads<Shape>, 0, all, source);
               });
  return device.launched("wavelet_forward_kernel");
}

Status wavelet_inverse(Device& device, Pyramid kind, std::span<const WaveletScale<const int16_t>> scales,
                       const PlaneTarget& target) {
  with_wavelet(kind, scales,
               [&]<class Wavelet, int kScales>(Wavelet, const WaveletScales<const int16_t, kScales>& all) {
                 using Shape = InverseTile<Wavelet, kScales, 0>;
                 launch_kernel(device, wavelet_inverse_kernel<Wavelet, kScales>, tiles<Shape>(scales[0]),
                               kInverseThreads<Shape>, 0, all, target);
               });
  return device.launched("wavelet_inverse_kernel");
}

}  // namespace ctv::cuda
