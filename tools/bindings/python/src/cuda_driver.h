// SPDX-License-Identifier: BSD-3-Clause
// CUDA's driver, as far as the package calls it itself: memory, copies and events of pictures in device
// memory.
//
// libcuda.so.1 is loaded when it is first wanted, so the module needs no CUDA to be built or imported.
// Contexts are the primary ones, which the runtime in libctv_cuda.so and in other packages uses. Failures are
// thrown as Error: CTV_ERROR_MEMORY or CTV_ERROR_DEVICE.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ctv::python {

using CudaStream = void*;
/// The legacy default stream: it waits for all streams that do not refuse to, and they for it.
inline CudaStream legacy_stream() { return reinterpret_cast<CudaStream>(uintptr_t{1}); }

/// While it lives, the device is the thread's. Everything below needs one.
class UseDevice {
 public:
  explicit UseDevice(int device);
  ~UseDevice();
  UseDevice(const UseDevice&) = delete;
  UseDevice& operator=(const UseDevice&) = delete;
};

/// A point in a stream's work.
class CudaEvent {
 public:
  CudaEvent();
  ~CudaEvent();
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  void record(CudaStream stream);
  /// What the stream is given later waits for the recorded work.
  void order_before(CudaStream stream) const;
  /// The calling thread waits for it.
  void synchronize() const;

 private:
  void* event_ = nullptr;
};

/// Memory of the device. Freeing it waits until the device has done all work that may use it.
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

/// Within the device, in the order of the stream.
void copy_on_device(void* to, const void* from, size_t bytes, CudaStream stream);
/// Done on return.
void copy_to_host(void* to, const void* from, size_t bytes);
/// The number of the device that the pointer belongs to. Needs no UseDevice.
int device_of(const void* data);

}  // namespace ctv::python
