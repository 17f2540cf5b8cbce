// SPDX-License-Identifier: BSD-3-Clause
// One GPU and its errors. Every CUDA call passes through CTV_CUDA_TRY. Lack of memory is an ordinary error.
// Every other error may be sticky (the process's CUDA context is lost), so it marks the device as dead, and
// each later call returns CTV_ERROR_DEVICE without calling CUDA.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <mutex>
#include <string>

#include "codec/util/status.hpp"

namespace ctv::cuda {

/// Returns the error. Builds with CTV_FAULT_INJECTION can make a chosen call fail (CudaTuning::fail_at).
cudaError_t checked(cudaError_t error);

#define CTV_CUDA_TRY(context, call)                                                     \
  do {                                                                                  \
    if (const cudaError_t error_ = ::ctv::cuda::checked(call); error_ != cudaSuccess) { \
      return (context).fail(error_, #call);                                             \
    }                                                                                   \
  } while (false)

/// Any thread may call enter(), fail() and dead(), because any thread may wait for transfers.
class Context {
 public:
  explicit Context(int id) : id_(id) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Makes the device current for the first time and reads its properties.
  Status open();
  /// Called first in every function of the backend: makes the device current, or returns an error if it is
  /// dead.
  Status enter();
  /// Converts an error to a Status, and records it if the device is lost. `call`: text up to the first
  /// parenthesis.
  Status fail(cudaError_t error, const char* call);
  /// Call it after every launch.
  Status launched(const char* kernel);

  bool dead() const { return dead_; }
  int id() const { return id_; }
  const cudaDeviceProp& properties() const { return properties_; }
  /// Priority of streams; a lower number comes first.
  int first_priority() const { return first_priority_; }
  int last_priority() const { return last_priority_; }

 private:
  const int id_;
  cudaDeviceProp properties_{};
  int first_priority_ = 0, last_priority_ = 0;
  std::atomic<bool> dead_ = false;
  std::mutex first_failure_mutex_;
  std::string first_failure_;  // of the first failure
};

}  // namespace ctv::cuda
