// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

Result<std::shared_ptr<Device>> Device::open(int id) {
  std::shared_ptr<Device> device(new Device(id));
  CTV_RETURN_IF_ERROR(device->Context::open());
  CTV_RETURN_IF_ERROR(device->streams_.open());
  return device;
}

Status Device::synchronize() {
  recorder_.discard();  // a stream that is being recorded cannot be waited for
  CTV_RETURN_IF_ERROR(streams_.finish());
  for (cudaStream_t stream : {up(), this->stream(), down()})
    CTV_CUDA_TRY(*this, cudaStreamSynchronize(stream));
  clock_.collect(true);
  return {};
}

Status Device::order(const Event& event, cudaStream_t before, cudaStream_t after) {
  CTV_CUDA_TRY(*this, cudaEventRecord(event.get(), before));
  CTV_CUDA_TRY(*this, cudaStreamWaitEvent(after, event.get(), 0));
  return {};
}

bool Device::overlaps(const void* kernel) {
  if (!overlaps_) {
    cudaFuncAttributes code{};
    overlaps_ = cuda_tuning().overlap && properties().major >= 9 &&
                cudaFuncGetAttributes(&code, kernel) == cudaSuccess && code.ptxVersion >= 90;
  }
  return *overlaps_;
}

Result<bool> Device::begin_frame(const FrameCalls& calls) {
  clock_.collect(false);
  const CudaTuning& tuning = cuda_tuning();
  const bool graphs = tuning.graphs && !tuning.stage_times.value_or(clock_.wanted());
  return recorder_.begin(calls, graphs, frames_in_flight_ == 1);
}

}  // namespace ctv::cuda
