// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/runtime/context.hpp"

#include <cstring>

#include "cuda/runtime/tuning.hpp"

namespace ctv::cuda {

cudaError_t checked(cudaError_t error) {
#if defined(CTV_FAULT_INJECTION)
  static std::atomic<long> calls{0};
  const CudaTuning& tuning = cuda_tuning();
  if (tuning.fail_at > 0 && ++calls == tuning.fail_at)
    return tuning.fail_with_memory ? cudaErrorMemoryAllocation : cudaErrorUnknown;
#endif
  return error;
}

Status Context::open() {
  CTV_CUDA_TRY(*this, cudaSetDevice(id_));
  CTV_CUDA_TRY(*this, cudaGetDeviceProperties(&properties_, id_));
  CTV_CUDA_TRY(*this, cudaDeviceGetStreamPriorityRange(&last_priority_, &first_priority_));
  return {};
}

Status Context::enter() {
  if (dead_) {
    const std::lock_guard lock(first_failure_mutex_);
    return {CTV_ERROR_DEVICE, first_failure_};
  }
  CTV_CUDA_TRY(*this, cudaSetDevice(id_));
  // Clears an error left in this thread by calls of the program or by freeing objects of a dead device.
  // launched() would attribute it to this device.
  cudaGetLastError();
  return {};
}

Status Context::fail(cudaError_t error, const char* call) {
  const std::string name(call, std::strcspn(call, "("));
  std::string message = name + ": " + cudaGetErrorString(error);
  cudaGetLastError();  // clears an error that is not sticky
  if (error == cudaErrorMemoryAllocation) return {CTV_ERROR_MEMORY, "CUDA: " + message};
  const std::lock_guard lock(first_failure_mutex_);
  if (!dead_) first_failure_ = "CUDA device " + std::to_string(id_) + " failed in " + message;
  dead_ = true;
  return {CTV_ERROR_DEVICE, first_failure_};
}

Status Context::launched(const char* kernel) {
  if (const cudaError_t error = checked(cudaPeekAtLastError()); error != cudaSuccess)
    return fail(error, kernel);
  return {};
}

}  // namespace ctv::cuda
