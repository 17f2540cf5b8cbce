// SPDX-License-Identifier: BSD-3-Clause
#include "bench/lab/gpu.hpp"

#if defined(CTV_LAB_CUDA)
#include "cuda/runtime/device.hpp"

namespace ctv::lab {

Result<std::string> gpu_name() {
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<cuda::Device> device, cuda::Device::open(0));
  return std::string(device->properties().name);
}

}  // namespace ctv::lab
#else
namespace ctv::lab {
namespace {

Status no_gpu() { return {CTV_ERROR_DEVICE, "this ctbench was built without CUDA"}; }

}  // namespace

Result<std::string> gpu_name() { return no_gpu(); }
Status dct8x8_on_gpu(DctVariant, const GrayImage&, GrayImage&) { return no_gpu(); }
Status idct_baseline(const MacroblockFrame&, int, std::vector<int16_t>&, GpuTimes&) { return no_gpu(); }
Status idct_compacted(IdctStep, int, const std::vector<int16_t>&, int, std::vector<int16_t>&, GpuTimes&) {
  return no_gpu();
}
Status transform_quantise_on_gpu(const YuvFrame&, int, int, std::vector<int16_t>&, GpuTimes&) {
  return no_gpu();
}

}  // namespace ctv::lab
#endif
