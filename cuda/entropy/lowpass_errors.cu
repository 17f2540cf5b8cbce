// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/entropy/lowpass_errors.hpp"

#include <algorithm>

#include "codec/model/lowpass_prediction.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr unsigned kThreads = 256;

struct Work {
  const Level* levels[3];
  const DeviceTileSet* sets;
  const uint32_t* numbers;  // of the lowpass sets
  Level* errors;
  LowpassSums* sums;
  LowpassSums* next_sums;  // of the next frame, to clear
  uint32_t components;
};

__global__ void __launch_bounds__(kThreads) lowpass_kernel(const __grid_constant__ Work work) {
  pdl_begin();
  if (blockIdx.x == 0 && blockIdx.y == 0) {
    for (uint32_t c = threadIdx.x; c < work.components; c += kThreads) work.next_sums[c] = {};
  }
  const DeviceTileSet& set = work.sets[work.numbers[blockIdx.y]];
  const auto count = static_cast<unsigned>(set.rows * set.cols);
  if (blockIdx.x * kThreads >= count) return;
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  uint32_t level = 0;
  uint32_t error = 0;
  if (i < count) {
    const Level* const levels = work.levels[set.plane] + set.offsets[0];
    const int y = static_cast<int>(i) / set.cols;
    const Level e = lowpass_error(levels, set.cols, y, static_cast<int>(i) - y * set.cols);
    work.errors[set.errors + i] = e;
    level = static_cast<uint32_t>(abs_of(int{levels[i]}));
    error = static_cast<uint32_t>(abs_of(int{e}));
  }
  level = warp_sum(level);
  error = warp_sum(error);
  if (threadIdx.x % kWarp != 0) return;
  atomicAdd(&work.sums[set.component].levels, static_cast<unsigned long long>(level));
  atomicAdd(&work.sums[set.component].errors, static_cast<unsigned long long>(error));
}

}  // namespace

Status LowpassErrors::initialise(Device& device, const TileLayout& layout) {
  size_t levels = 0;
  size_t most = 0;
  for (const uint32_t s : layout.lowpass) {
    const DeviceTileSet& set = layout.sets[s];
    const size_t own = static_cast<size_t>(set.rows) * static_cast<size_t>(set.cols);
    levels += own;
    most = std::max(most, own);
  }
  sets_ = static_cast<unsigned>(layout.lowpass.size());
  blocks_ = static_cast<unsigned>((most + kThreads - 1) / kThreads);
  components_ = layout.components.size();
  CTV_RETURN_IF_ERROR(errors_.allocate(device, levels));
  CTV_RETURN_IF_ERROR(sums_.allocate(device, 2 * components_));
  CTV_CUDA_TRY(device, cudaMemset(sums_.data(), 0, 2 * components_ * sizeof(LowpassSums)));
  return finish_filling(device);
}

Status LowpassErrors::find(Device& device, const DeviceTileLayout& layout,
                           const std::array<const Level*, 3>& levels, cudaStream_t stream) {
  if (sets_ == 0) return {};
  LowpassSums* const next = sums_.data() + own_sums_;
  own_sums_ = components_ - own_sums_;
  const Work work{{levels[0], levels[1], levels[2]},
                  layout.sets.data(),
                  layout.lowpass.data(),
                  errors_.data(),
                  sums_.data() + own_sums_,
                  next,
                  static_cast<uint32_t>(components_)};
  launch_single_frame(device, stream, lowpass_kernel, dim3(blocks_, sets_), kThreads, work);
  return device.launched("lowpass_kernel");
}

}  // namespace ctv::cuda
