// SPDX-License-Identifier: BSD-3-Clause
#include "bench/lab/gpu.hpp"

#include "cuda/runtime/device.hpp"

namespace ctv::lab {

Result<std::string> gpu_name() {
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<cuda::Device> device, cuda::Device::open(0));
  return std::string(device->properties().name);
}

}  // namespace ctv::lab
