// SPDX-License-Identifier: BSD-3-Clause
// Arrays in device memory, and in pinned host memory.
#pragma once

#include <utility>

#include "codec/util/memory_budget.hpp"
#include "cuda/runtime/context.hpp"

namespace ctv::cuda {

/// See CudaTuning::fill.
void fill_new(void* data, size_t bytes);
/// Waits for the default stream: copies from pageable memory and cudaMemset() may continue after the call,
/// and other streams do not wait for them. Does not wait for the whole device: while a thread records one of
/// its streams, that is an error and ends the recording.
Status finish_filling(Context& context);

/// Memory: has allocate() and free(), with the names of their CUDA calls.
template <typename T, typename Memory>
class Array {
 public:
  Array() = default;
  ~Array() {
    if (data_ != nullptr) Memory::free(data_);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  Status allocate(Context& context, size_t count) {
    void* data = nullptr;
    const size_t bytes = (count == 0 ? 1 : count) * sizeof(T);
    CTV_RETURN_IF_ERROR(held_.resize(bytes));
    const cudaError_t error = checked(Memory::allocate(&data, bytes));
    if (error != cudaSuccess) return context.fail(error, Memory::kAllocate);
    fill_new(data, bytes);
    data_ = static_cast<T*>(data);
    size_ = count;
    return {};
  }
  /// Makes room for at least `count` elements; CUDA waits for work on the old memory.
  Status reserve(Context& context, size_t count) {
    if (data_ != nullptr && count <= size_) return {};
    if (data_ != nullptr) {
      size_ = 0;
      const cudaError_t error = checked(Memory::free(std::exchange(data_, nullptr)));
      if (error != cudaSuccess) return context.fail(error, Memory::kFree);
    }
    return allocate(context, count);
  }
  T* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  ctv::Held held_;
  T* data_ = nullptr;
  size_t size_ = 0;
};

struct DeviceMemory {
  static constexpr const char* kAllocate = "cudaMalloc";
  static constexpr const char* kFree = "cudaFree";
  static cudaError_t allocate(void** data, size_t bytes) { return cudaMalloc(data, bytes); }
  static cudaError_t free(void* data) { return cudaFree(data); }
};
struct PinnedMemory {
  static constexpr const char* kAllocate = "cudaMallocHost";
  static constexpr const char* kFree = "cudaFreeHost";
  static cudaError_t allocate(void** data, size_t bytes) { return cudaMallocHost(data, bytes); }
  static cudaError_t free(void* data) { return cudaFreeHost(data); }
};

template <typename T>
using DeviceArray = Array<T, DeviceMemory>;
template <typename T>
using PinnedArray = Array<T, PinnedMemory>;

/// Makes room for at least `size` bytes in both; where one has fewer, allocates `roomy`.
template <typename Host, typename Memory>
Status reserve_both(Context& context, Array<uint8_t, Host>& host, Array<uint8_t, Memory>& device, size_t size,
                    size_t roomy) {
  if (size <= host.size() && size <= device.size()) return {};
  CTV_RETURN_IF_ERROR(host.reserve(context, roomy));
  return device.reserve(context, roomy);
}

}  // namespace ctv::cuda
