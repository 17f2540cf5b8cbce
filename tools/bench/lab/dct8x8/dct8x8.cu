// SPDX-License-Identifier: BSD-3-Clause
// The kernels of Obukhov and Kharlamov 2008, section 3, and their launches. Samples come through
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
  x[i][j] = value_of(in[at]);
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

// Separable: 8 threads for a block, each a line of both directions. A CUDA block has 16 rows of 32 columns in
// shared memory, padded by one against bank conflicts. Blocks beyond the picture are transformed and not
// stored.
template <bool kInverse, typename In, typename Out>
__global__ void __launch_bounds__(64)
    lines_kernel(const In* __restrict__ in, Out* __restrict__ out, Extents extents) {
  constexpr int kRows = 16, kPitch = 33;
  __shared__ float tile[kRows][kPitch];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y),
            z = static_cast<int>(threadIdx.z);
  // move(number in the tile, place in the picture) for each number.
  const auto each = [&](auto move) {
#pragma unroll
    for (int i = (z * 4 + y) * 8 + x; i < kRows * 32; i += 64) {
      const int r = static_cast<int>(blockIdx.y) * kRows + i / 32,
                c = static_cast<int>(blockIdx.x) * 32 + i % 32;
      if (r < extents.height && c < extents.width) move(tile[i / 32][i % 32], r * extents.width + c);
    }
  };
  each([&](float& number, int at) { number = value_of(in[at]); });
  float* block = &tile[8 * z][8 * y];
  __syncthreads();
  kInverse ? transform_line<kInverse>(block + x * kPitch, 1) : transform_line<kInverse>(block + x, kPitch);
  __syncthreads();
  kInverse ? transform_line<kInverse>(block + x, kPitch) : transform_line<kInverse>(block + x * kPitch, 1);
  __syncthreads();
  each([&](float number, int at) { out[at] = result_of<Out>(number); });
}

// A thread for each coefficient, as plain as the paper's.
__global__ void __launch_bounds__(256)
    quantise_kernel(const float* coefficients, float* levels, Extents extents) {
  const int r = static_cast<int>(blockIdx.y * 8 + threadIdx.y),
            c = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  if (r >= extents.height || c >= extents.width) return;
  const int at = r * extents.width + c;
  levels[at] = requantised(coefficients[at], kSteps[(r & 7) * 8 + (c & 7)]);
}

}  // namespace

Status dct8x8_on_gpu(DctVariant variant, const GrayImage& image, GrayImage& result) {
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<Device> opened, Device::open(0));
  Device& device = *opened;
  const Extents extents = {image.width, image.height};
  const size_t count = image.samples.size();
  const std::array<float, 64> waveforms = cosine_waveforms();
  CTV_CUDA_TRY(device, cudaMemcpyToSymbol(kWaveforms, waveforms.data(), sizeof waveforms));
  CTV_CUDA_TRY(device, cudaMemcpyToSymbol(kSteps, kQuantiserSteps.data(), sizeof kQuantiserSteps));
  TwinArray<uint8_t> samples;
  DeviceArray<float> coefficients, levels;
  CTV_RETURN_IF_ERROR(samples.allocate(device, image.samples, count));
  CTV_RETURN_IF_ERROR(coefficients.allocate(device, count));
  CTV_RETURN_IF_ERROR(levels.allocate(device, count));
  const auto grid = [&](int columns, int rows) {
    return dim3(cuda::blocks_for(image.width, columns), cuda::blocks_for(image.height, rows));
  };
  const cudaStream_t stream = device.stream();
  double unused = 0;
  CTV_RETURN_IF_ERROR(samples.upload(device, 1, unused));
  uint8_t* const picture = samples.device.data();
  const bool definition = variant == DctVariant::kDefinition;
  if (definition) {
    definition_kernel<false><<<grid(8, 8), dim3(8, 8), 0, stream>>>(picture, coefficients.data(), extents);
  } else {
    lines_kernel<false><<<grid(32, 16), dim3(8, 4, 2), 0, stream>>>(picture, coefficients.data(), extents);
  }
  quantise_kernel<<<grid(32, 8), dim3(32, 8), 0, stream>>>(coefficients.data(), levels.data(), extents);
  if (definition) {
    definition_kernel<true><<<grid(8, 8), dim3(8, 8), 0, stream>>>(levels.data(), picture, extents);
  } else {
    lines_kernel<true><<<grid(32, 16), dim3(8, 4, 2), 0, stream>>>(levels.data(), picture, extents);
  }
  CTV_RETURN_IF_ERROR(device.launched("DCT 8x8"));
  CTV_RETURN_IF_ERROR(samples.download(device, 1, unused));
  result = {image.width, image.height, {samples.host.data(), samples.host.data() + count}};
  return {};
}

}  // namespace ctv::lab
