// SPDX-License-Identifier: BSD-3-Clause
// Squared differences of two planes. A thread sums kRows samples of a column, a warp its threads' sums by
// shuffles, and one atomic addition per warp gives the total; the order does not matter for integers. The sum
// is downloaded in parallel to the next frame's kernels, and waited for only when it is needed.
#include "cuda/picture/squared_error.hpp"

#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kRows = 16;

using Sum = unsigned long long;  // type of atomicAdd()

__global__ void __launch_bounds__(kWarp* kWarps)
    squared_error_kernel(PlaneView<const Sample> a, PlaneView<const Sample> b, Sum* total) {
  const int col = static_cast<int>(blockIdx.x * kWarp + threadIdx.x);
  const int row0 = static_cast<int>(blockIdx.y * kWarps + threadIdx.y) * kRows;
  Sum sum = 0;
  if (col < a.cols) {
    for (int r = row0; r < min(row0 + kRows, a.rows); ++r) {
      // A difference has 17 bits including its sign, so its square fits in 32 bits unsigned.
      const auto d = static_cast<uint32_t>(a.row(r)[col] - b.row(r)[col]);
      sum += d * d;
    }
  }
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) sum += __shfl_down_sync(kAllLanes, sum, lanes);
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

class CudaDistortionMeter final : public DistortionMeter {
 public:
  explicit CudaDistortionMeter(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  ~CudaDistortionMeter() override { copied_.settle(); }

  Status initialise() {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(on_device_.allocate(d, 1));
    CTV_RETURN_IF_ERROR(on_host_.allocate(d, 1));
    CTV_RETURN_IF_ERROR(summed_.create(d, cudaEventDisableTiming));
    // Not waiting_flags(): other work determines when a frame ends, and the sum has usually arrived by then.
    CTV_RETURN_IF_ERROR(copied_.create(d, cudaEventDisableTiming | cudaEventBlockingSync));
    return {};
  }

  Status measure(PlaneView<const Sample> a, PlaneView<const Sample> b) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    // The result of a measurement that was not read may be lost.
    {
      const StageMark mark(d, Stage::kError);
      CTV_CUDA_TRY(d, cudaMemsetAsync(on_device_.data(), 0, sizeof(Sum), d.stream()));
      const dim3 blocks(blocks_for(a.cols, kWarp), blocks_for(a.rows, kWarps * kRows));
      squared_error_kernel<<<blocks, dim3(kWarp, kWarps), 0, d.stream()>>>(a, b, on_device_.data());
      CTV_RETURN_IF_ERROR(d.launched("squared_error_kernel"));
    }
    CTV_RETURN_IF_ERROR(d.record(summed_));
    return d.afterwards([this]() -> Status {
      Device& dev = *device_;
      CTV_CUDA_TRY(dev, cudaStreamWaitEvent(dev.down(), summed_.get(), 0));
      CTV_CUDA_TRY(dev, cudaMemcpyAsync(on_host_.data(), on_device_.data(), sizeof(Sum),
                                        cudaMemcpyDeviceToHost, dev.down()));
      CTV_CUDA_TRY(dev, cudaEventRecord(copied_.get(), dev.down()));
      return {};
    });
  }

  Status finish(uint64_t& sum) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    CTV_CUDA_TRY(*device_, cudaEventSynchronize(copied_.get()));
    sum = *on_host_.data();
    return {};
  }

 private:
  std::shared_ptr<Device> device_;
  DeviceArray<Sum> on_device_;
  PinnedArray<Sum> on_host_;
  Event summed_, copied_;
};

}  // namespace

Result<std::unique_ptr<DistortionMeter>> make_distortion_meter(std::shared_ptr<Device> device) {
  auto meter = std::make_unique<CudaDistortionMeter>(std::move(device));
  CTV_RETURN_IF_ERROR(meter->initialise());
  return std::unique_ptr<DistortionMeter>(std::move(meter));
}

}  // namespace ctv::cuda
