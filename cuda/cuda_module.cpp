// SPDX-License-Identifier: BSD-3-Clause
// The table of the module's functions, and the queries about devices that need no backend.
#include "cuda/cuda_module.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>

#include "codec/util/parallel.hpp"
#include "ctv_module_stamp.h"
#include "cuda/cuda_backend.hpp"

namespace ctv::cuda {
namespace {

int device_count(std::string& why) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return count;
  cudaGetLastError();
  if (error == cudaErrorInsufficientDriver) {
    why = "no driver, or an older one than the CUDA module needs";
  } else if (error == cudaErrorNoDevice || error == cudaSuccess) {
    why = "no CUDA device";
  } else {
    why = std::string("no CUDA device: ") + cudaGetErrorString(error);
  }
  return 0;
}

Status device_info(int device, ctv_device_info& info) {
  cudaDeviceProp p{};
  if (const cudaError_t error = cudaGetDeviceProperties(&p, device); error != cudaSuccess) {
    cudaGetLastError();
    return {CTV_ERROR_DEVICE, std::string("cudaGetDeviceProperties: ") + cudaGetErrorString(error)};
  }
  const size_t length = std::min(std::strlen(p.name), sizeof(info.name) - 1);
  std::memcpy(info.name, p.name, length);
  info.name[length] = '\0';
  info.memory = p.totalGlobalMem;
  info.compute_major = p.major;
  info.compute_minor = p.minor;
  return {};
}

void* allocate_pinned(int device, size_t size) {
  void* data = nullptr;
  if (cudaSetDevice(device) == cudaSuccess &&
      cudaHostAlloc(&data, size, cudaHostAllocPortable) == cudaSuccess)
    return data;
  cudaGetLastError();
  return nullptr;
}

// After a device failure the memory was freed with its context, and the error of freeing it again is
// harmless.
void free_pinned(void* data) {
  cudaFreeHost(data);
  cudaGetLastError();
}

const HostServices* host = nullptr;

void attach(const HostServices& services) { host = &services; }

constexpr CudaModule kModule = {CTV_MODULE_STAMP, attach,          device_count, device_info,
                                make_backend,     allocate_pinned, free_pinned};

}  // namespace
}  // namespace ctv::cuda

// The module uses the library's team of threads and its budget.
void ctv::detail::run_on_team(int threads, int count, int parts, void (*task)(void*, int), void* context) {
  cuda::host->run_on_team(threads, count, parts, task, context);
}
ctv::MemoryBudget*& ctv::MemoryBudget::current() { return cuda::host->current_budget(); }

extern "C" CTV_API const ctv::CudaModule* ctv_cuda_module(void) { return &ctv::cuda::kModule; }
