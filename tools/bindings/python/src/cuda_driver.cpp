// SPDX-License-Identifier: BSD-3-Clause
#include "cuda_driver.h"

#include <dlfcn.h>

#include <ctv/ctv.hpp>
#include <map>
#include <mutex>
#include <string>

namespace ctv::python {
namespace {

constexpr int kOutOfMemory = 2;             // CUDA_ERROR_OUT_OF_MEMORY
constexpr unsigned kWithoutTiming = 2;      // CU_EVENT_DISABLE_TIMING
constexpr int kAttributeDeviceOrdinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL

/// The driver's functions, declared here so that no CUDA header is needed. All return a CUresult.
class Driver {
 public:
  static const Driver& get() {
    static const Driver driver;  // tried again if it throws
    return driver;
  }

  template <class... Parameters, class... Arguments>
  void call(int (*function)(Parameters...), const char* name, Arguments... arguments) const {
    const int result = function(arguments...);
    if (result == 0) return;
    const char* text = nullptr;
    if (get_error_string(result, &text) != 0 || text == nullptr) text = "unknown error";
    throw Error(result == kOutOfMemory ? CTV_ERROR_MEMORY : CTV_ERROR_DEVICE,
                std::string(name) + ": " + text);
  }

  int (*init)(unsigned flags) = nullptr;
  int (*get_error_string)(int result, const char** text) = nullptr;
  int (*device_get)(int* device, int number) = nullptr;
  int (*primary_context_retain)(void** context, int device) = nullptr;
  int (*context_push)(void* context) = nullptr;
  int (*context_pop)(void** context) = nullptr;
  int (*memory_allocate)(uintptr_t* data, size_t size) = nullptr;
  int (*memory_free)(uintptr_t data) = nullptr;
  int (*copy_device_to_device)(uintptr_t to, uintptr_t from, size_t size, CudaStream stream) = nullptr;
  int (*copy_device_to_host)(void* to, uintptr_t from, size_t size) = nullptr;
  int (*event_create)(void** event, unsigned flags) = nullptr;
  int (*event_record)(void* event, CudaStream stream) = nullptr;
  int (*event_synchronize)(void* event) = nullptr;
  int (*event_destroy)(void* event) = nullptr;
  int (*stream_wait_event)(CudaStream stream, void* event, unsigned flags) = nullptr;
  int (*pointer_attribute)(void* value, int attribute, uintptr_t data) = nullptr;

 private:
  Driver() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Error(CTV_ERROR_DEVICE, "no CUDA driver: " + std::string(dlerror()));
    const auto load = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr)
        throw Error(CTV_ERROR_DEVICE, std::string("the CUDA driver is too old: it lacks ") + name);
    };
    load(init, "cuInit");
    load(get_error_string, "cuGetErrorString");
    load(device_get, "cuDeviceGet");
    load(primary_context_retain, "cuDevicePrimaryCtxRetain");
    load(context_push, "cuCtxPushCurrent_v2");
    load(context_pop, "cuCtxPopCurrent_v2");
    load(memory_allocate, "cuMemAlloc_v2");
    load(memory_free, "cuMemFree_v2");
    load(copy_device_to_device, "cuMemcpyDtoDAsync_v2");
    load(copy_device_to_host, "cuMemcpyDtoH_v2");
    load(event_create, "cuEventCreate");
    load(event_record, "cuEventRecord");
    load(event_synchronize, "cuEventSynchronize");
    load(event_destroy, "cuEventDestroy_v2");
    load(stream_wait_event, "cuStreamWaitEvent");
    load(pointer_attribute, "cuPointerGetAttribute");
    call(init, "cuInit", 0U);
  }
};

uintptr_t address(const void* data) { return reinterpret_cast<uintptr_t>(data); }

/// Retained once and kept: the runtime's contexts live as long as the process.
void* context_of(int device) {
  static std::mutex mutex;
  static std::map<int, void*> contexts;
  const std::lock_guard lock(mutex);
  void*& context = contexts[device];
  if (context == nullptr) {
    const Driver& d = Driver::get();
    int handle = 0;
    d.call(d.device_get, "cuDeviceGet", &handle, device);
    d.call(d.primary_context_retain, "cuDevicePrimaryCtxRetain", &context, handle);
  }
  return context;
}

}  // namespace

UseDevice::UseDevice(int device) {
  const Driver& d = Driver::get();
  d.call(d.context_push, "cuCtxPushCurrent", context_of(device));
}
UseDevice::~UseDevice() {
  void* context = nullptr;
  Driver::get().context_pop(&context);
}

CudaEvent::CudaEvent() {
  const Driver& d = Driver::get();
  d.call(d.event_create, "cuEventCreate", &event_, kWithoutTiming);
}
CudaEvent::~CudaEvent() { Driver::get().event_destroy(event_); }
void CudaEvent::record(CudaStream stream) {
  const Driver& d = Driver::get();
  d.call(d.event_record, "cuEventRecord", event_, stream);
}
void CudaEvent::order_before(CudaStream stream) const {
  const Driver& d = Driver::get();
  d.call(d.stream_wait_event, "cuStreamWaitEvent", stream, event_, 0U);
}
void CudaEvent::synchronize() const {
  const Driver& d = Driver::get();
  d.call(d.event_synchronize, "cuEventSynchronize", event_);
}

DeviceBytes::DeviceBytes(size_t size) {
  const Driver& d = Driver::get();
  d.call(d.memory_allocate, "cuMemAlloc", &data_, size);
}
DeviceBytes::~DeviceBytes() { Driver::get().memory_free(data_); }

void copy_on_device(void* to, const void* from, size_t bytes, CudaStream stream) {
  const Driver& d = Driver::get();
  d.call(d.copy_device_to_device, "cuMemcpyDtoDAsync", address(to), address(from), bytes, stream);
}
void copy_to_host(void* to, const void* from, size_t bytes) {
  const Driver& d = Driver::get();
  d.call(d.copy_device_to_host, "cuMemcpyDtoH", to, address(from), bytes);
}

int device_of(const void* data) {
  const Driver& d = Driver::get();
  int number = 0;
  d.call(d.pointer_attribute, "cuPointerGetAttribute", &number, kAttributeDeviceOrdinal, address(data));
  return number;
}

}  // namespace ctv::python
