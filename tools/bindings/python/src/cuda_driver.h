// SPDX-License-Identifier: BSD-3-Clause
// The functions of CUDA's driver that the package calls itself: memory, copies and events of pictures in
// device memory.
//
// libcuda.so.1 is loaded on first use, so the module can be built and imported without CUDA. Contexts are the
// primary ones, which the runtime in libctv_cuda.so and in other packages uses. Failures are thrown as Error:
// CTV_ERROR_MEMORY or CTV_ERROR_DEVICE.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ctv::python {

using CudaStream = void*;
/// The legacy default stream, which synchronises with all blocking streams.
inline CudaStream legacy_stream() { return reinterpret_cast<CudaStream>(uintptr_t{1}); }

/// Makes the device current in this thread during its lifetime. All functions below require one.
class UseDevice {
 public:
  explicit UseDevice(int device);
  ~UseDevice();
  UseDevice(const UseDevice&) = delete;
  UseDevice& operator=(const UseDevice&) = delete;
};

class CudaEvent {
 public:
  CudaEvent();
  ~CudaEvent();
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  void record(CudaStream stream);
  /// Later work of the stream waits for the recorded work.
  void order_before(CudaStream stream) const;
  /// The calling thread waits for the recorded work.
  void synchronize() const;

 private:
  void* event_ = nullptr;
};

/// Device memory. Freeing it waits until the device has finished all work that may use it.
class DeviceBytes {
 public:
  explicit DeviceBytes(size_t size);
  ~DeviceBytes();
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  uint8_t* data() const { return reinterpret_cast<uint8_t*>(data_); }

 private:
  uintptr_t data_ = 0;
};

/// Copies within the device, in stream order.
void copy_on_device(void* to, const void* from, size_t bytes, CudaStream stream);
/// Complete on return.
void copy_to_host(void* to, const void* from, size_t bytes);
/// The device of a pointer. Needs no UseDevice.
int device_of(const void* data);

}  // namespace ctv::python
