// SPDX-License-Identifier: BSD-3-Clause
// The kernels of Obukhov and Kharlamov 2008, sections 3 and 5, their launches and times. Samples come through
// the read-only cache, where the paper used a texture. Extents are multiples of 8.
#include "bench/lab/dct8x8/arithmetic.hpp"
#include "bench/lab/gpu.cuh"
#include "bench/lab/gpu.hpp"

namespace ctv::lab {
namespace {

__constant__ float kWaveforms[64];  // [frequency][position]
__constant__ int kSteps[64];        // of the quantiser, [vertical][horizontal frequency]

struct Extents {
  int width, height;
};

// By definition: 64 threads for a block, each one dot product of a column and one of a row.
template <bool kInverse, typename In, typename Out>
__global__ void __launch_bounds__(64)
    definition_kernel(const In* __restrict__ in, Out* __restrict__ out, Extents extents) {
  __shared__ float x[8][8], half[8][8];
  const int i = static_cast<int>(threadIdx.y), j = static_cast<int>(threadIdx.x);
  const int at = static_cast<int>(blockIdx.y * 8 + threadIdx.y) * extents.width +
                 static_cast<int>(blockIdx.x * 8 + threadIdx.x);
  const auto wave = [](int i, int k) { return kWaveforms[kInverse ? k * 8 + i : i * 8 + k]; };
  x[i][j] = value_of<float>(in[at]);
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += wave(i, k) * x[k][j];
  half[i][j] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += half[i][k] * wave(j, k);
  out[at] = result_of<Out>(sum);
}

template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) Word {
  T v[kCount];
};

// Separable: 8 threads for a block, each a line of both directions. A CUDA block has 32 columns in shared
// memory, rows padded by a word against bank conflicts. Blocks beyond the picture are transformed and not
// stored.
template <typename Lines, bool kInverse, typename In, typename Out>
__global__ void __launch_bounds__(64 * Lines::kWord)
    lines_kernel(const In* __restrict__ in, Out* __restrict__ out, Extents extents) {
  constexpr int kWord = Lines::kWord, kRows = 16 * kWord, kPitch = 32 + kWord;
  __shared__ typename Lines::Value tile[kRows][kPitch];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y),
            z = static_cast<int>(threadIdx.z);
  // move(row, column, place in the picture) for each word.
  const auto each_word = [&](auto move) {
#pragma unroll
    for (int w = (z * 4 + y) * 8 + x; w < kRows * 32 / kWord; w += 64 * kWord) {
      const int row = w * kWord / 32, col = w * kWord % 32;
      const int r = static_cast<int>(blockIdx.y) * kRows + row, c = static_cast<int>(blockIdx.x) * 32 + col;
      if (r < extents.height && c < extents.width) move(row, col, r * extents.width + c);
    }
  };
  each_word([&](int row, int col, int at) {
    const auto word = *reinterpret_cast<const Word<In, kWord>*>(in + at);
    for (int i = 0; i < kWord; ++i) tile[row][col + i] = value_of<typename Lines::Value>(word.v[i]);
  });
  __syncthreads();
  transform_line<Lines, kInverse, false>(&tile[8 * z][8 * y], kPitch, x);
  __syncthreads();
  transform_line<Lines, kInverse, true>(&tile[8 * z][8 * y], kPitch, x);
  __syncthreads();
  each_word([&](int row, int col, int at) {
    Word<Out, kWord> word;
    for (int i = 0; i < kWord; ++i) word.v[i] = result_of<Out>(tile[row][col + i]);
    *reinterpret_cast<Word<Out, kWord>*>(out + at) = word;
  });
}

// A thread for each coefficient, as plain as the paper's.
template <typename Value>
__global__ void __launch_bounds__(256)
    quantise_kernel(const Value* coefficients, Value* levels, Extents extents) {
  const int r = static_cast<int>(blockIdx.y * 8 + threadIdx.y),
            c = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  if (r >= extents.height || c >= extents.width) return;
  const int at = r * extents.width + c;
  levels[at] = requantised(coefficients[at], kSteps[(r & 7) * 8 + (c & 7)]);
}

// How each variant is launched: CUDA blocks of `threads`, each for kCols x kRows samples.
struct Definition {
  using Value = float;
  static constexpr int kCols = 8, kRows = 8;
  static constexpr auto kForward = &definition_kernel<false, uint8_t, float>;
  static constexpr auto kInverse = &definition_kernel<true, float, uint8_t>;
  static dim3 threads() { return {8, 8, 1}; }
};
template <typename Lines>
struct Separable {
  using Value = typename Lines::Value;
  static constexpr int kCols = 32, kRows = 16 * Lines::kWord;
  static constexpr auto kForward = &lines_kernel<Lines, false, uint8_t, Value>;
  static constexpr auto kInverse = &lines_kernel<Lines, true, Value, uint8_t>;
  static dim3 threads() { return {8, 4, kRows / 8}; }
};

template <typename Variant>
Status run(const GrayImage& image, int runs, GrayImage& result, DctTimes& times) {
  using Value = typename Variant::Value;
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<Device> opened, Device::open(0));
  Device& device = *opened;
  const Extents extents = {image.width, image.height};
  const size_t count = image.samples.size();
  const std::array<float, 64> waveforms = cosine_waveforms();
  CTV_CUDA_TRY(device, cudaMemcpyToSymbol(kWaveforms, waveforms.data(), sizeof waveforms));
  CTV_CUDA_TRY(device, cudaMemcpyToSymbol(kSteps, kQuantiserSteps.data(), sizeof kQuantiserSteps));
  TwinArray<uint8_t> source, target;
  DeviceArray<Value> coefficients, levels;
  CTV_RETURN_IF_ERROR(source.allocate(device, image.samples, count));
  CTV_RETURN_IF_ERROR(target.allocate(device, count));
  CTV_RETURN_IF_ERROR(coefficients.allocate(device, count));
  CTV_RETURN_IF_ERROR(levels.allocate(device, count));
  const dim3 grid(cuda::blocks_for(image.width, Variant::kCols),
                  cuda::blocks_for(image.height, Variant::kRows));
  const dim3 tiles(cuda::blocks_for(image.width, 32), cuda::blocks_for(image.height, 8));
  CTV_RETURN_IF_ERROR(source.upload(device, runs, times.upload));
  CTV_RETURN_IF_ERROR(time_kernel(device, runs, times.forward, [&] {
    Variant::kForward<<<grid, Variant::threads(), 0, device.stream()>>>(source.device.data(),
                                                                        coefficients.data(), extents);
  }));
  CTV_RETURN_IF_ERROR(time_kernel(device, runs, times.quantise, [&] {
    quantise_kernel<<<tiles, dim3(32, 8), 0, device.stream()>>>(coefficients.data(), levels.data(), extents);
  }));
  CTV_RETURN_IF_ERROR(time_kernel(device, runs, times.inverse, [&] {
    Variant::kInverse<<<grid, Variant::threads(), 0, device.stream()>>>(levels.data(), target.device.data(),
                                                                        extents);
  }));
  CTV_RETURN_IF_ERROR(target.download(device, runs, times.download));
  result = {image.width, image.height, {target.host.data(), target.host.data() + count}};
  return {};
}

}  // namespace

Status dct8x8_on_gpu(DctVariant variant, const GrayImage& image, int runs, GrayImage& result,
                     DctTimes& times) {
  switch (variant) {
    case DctVariant::kDefinition:
      return run<Definition>(image, runs, result, times);
    case DctVariant::kSeparable:
      return run<Separable<FloatLines>>(image, runs, result, times);
    case DctVariant::kShort:
      break;
  }
  return run<Separable<ShortLines>>(image, runs, result, times);
}

}  // namespace ctv::lab
