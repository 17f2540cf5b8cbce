// SPDX-License-Identifier: BSD-3-Clause
// libctv_lab_cuda.so: the kernels behind one table.
#include "bench/lab/gpu.cuh"
#include "bench/lab/gpu_module.hpp"
#include "bench/lab/kernels.hpp"

namespace ctv::lab {
namespace {

Result<std::string> device_name() {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0) {
    cudaGetLastError();
    return {CTV_ERROR_DEVICE,
            std::string("no CUDA device") +
                (error == cudaSuccess ? "" : std::string(": ") + cudaGetErrorString(error))};
  }
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<Device> device, Device::open(0));
  return std::string(device->properties().name);
}

constexpr GpuModule kModule = {kGpuModuleStamp, device_name,       dct8x8, idct_baseline, idct_compacted,
                               idct_complete,   transform_quantise};

}  // namespace
}  // namespace ctv::lab

extern "C" CTV_API const ctv::lab::GpuModule* ctv_lab_cuda_module(void) { return &ctv::lab::kModule; }
