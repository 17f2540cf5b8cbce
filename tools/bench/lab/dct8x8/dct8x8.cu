// SPDX-License-Identifier: BSD-3-Clause
// Launches and times of the kernels of Obukhov and Kharlamov 2008.
#include <type_traits>

#include "bench/lab/dct8x8/kernels.cuh"
#include "bench/lab/dct8x8/waveforms.hpp"
#include "bench/lab/gpu.cuh"
#include "bench/lab/gpu.hpp"

namespace ctv::lab {
namespace {

// How each variant is launched: CUDA blocks of `threads`, each for Cols x Rows samples.
struct Definition {
  using Value = float;
  static constexpr int kCols = 8, kRows = 8;
  static constexpr auto kForward = &definition_forward_kernel;
  static constexpr auto kInverse = &definition_inverse_kernel;
  static dim3 threads() { return {8, 8, 1}; }
};
struct Separable {
  using Value = float;
  static constexpr int kCols = 32, kRows = 16;
  static constexpr auto kForward = &separable_forward_kernel;
  static constexpr auto kInverse = &separable_inverse_kernel;
  static dim3 threads() { return {8, 4, 2}; }
};
struct Short {
  using Value = int16_t;
  static constexpr int kCols = 32, kRows = 32;
  static constexpr auto kForward = &short_forward_kernel;
  static constexpr auto kInverse = &short_inverse_kernel;
  static dim3 threads() { return {8, 4, 4}; }
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
      return run<Separable>(image, runs, result, times);
    case DctVariant::kShort:
      break;
  }
  return run<Short>(image, runs, result, times);
}

}  // namespace ctv::lab
