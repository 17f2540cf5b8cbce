// SPDX-License-Identifier: BSD-3-Clause
#include "codec/backends.hpp"

#include <mutex>

#include "codec/util/dynamic_library.hpp"
#include "codec/util/parallel.hpp"
#include "codec/util/threads.hpp"
#include "cpu/cpu_backend.hpp"
#include "ctv_module_stamp.h"
#include "cuda/cuda_module.hpp"

namespace ctv {
namespace {

const std::string& module_name() {
  static const std::string name = library_file("ctv_cuda");
  return name;
}

void* open_module(std::string& why) {
  if (const char* path = trusted_variable("CTV_CUDA_MODULE"); path != nullptr && *path != '\0') {
    void* const library = load_library(path, why);
    if (library == nullptr) why = "no GPU: " + (why.empty() ? path + std::string(" not found") : why);
    return library;
  }
  const std::string folder = own_folder();
  for (const std::string& name : {folder + module_name(), folder + "ctv/" + module_name(),
                                  folder + "../lib/" + module_name(), module_name()}) {
    std::string reason;
    if (void* const library = load_library(name, reason)) return library;
    if (!reason.empty()) why = "no GPU: " + reason;
  }
  if (why.empty()) why = "no GPU: " + module_name() + " is not installed";
  return nullptr;
}

struct LoadedModule {
  const CudaModule* module = nullptr;
  std::string why;
};

std::mutex loading;

// Loaded on first use and never unloaded: backends, their memory and the CUDA runtime depend on it.
const LoadedModule& loaded_module() {
  const std::scoped_lock lock(loading);
  static const LoadedModule loaded = [] {
    const SignalsBlocked blocked;  // for the driver's threads
    LoadedModule l;
    void* handle = open_module(l.why);
    if (handle == nullptr) return l;
    const auto entry = reinterpret_cast<decltype(&ctv_cuda_module)>(find_symbol(handle, "ctv_cuda_module"));
    if (entry == nullptr) {
      l.why = "no GPU: " + module_name() + " lacks its entry point";
      return l;
    }
    const CudaModule* module = entry();
    if (const Status status = check_cuda_module(*module); !status.ok()) {
      l.why = status.message();
      return l;
    }
    static constexpr HostServices kServices = {detail::run_on_team, MemoryBudget::current};
    module->attach(kServices);
    l.module = module;
    return l;
  }();
  return loaded;
}

#if defined(CTV_FAULT_INJECTION)
BackendMaker cuda_stand_in = nullptr;
#endif

Result<std::unique_ptr<Backend>> make_cuda_backend(int device, int threads) {
#if defined(CTV_FAULT_INJECTION)
  if (cuda_stand_in != nullptr) return cuda_stand_in(device, threads);
#endif
  const SignalsBlocked blocked;  // for the driver's threads
  std::string why;
  const int count = cuda_device_count(why);
  if (count == 0) return {CTV_ERROR_DEVICE, why};
  if (device < 0 || device >= count) {
    return {CTV_ERROR_DEVICE,
            "no CUDA device " + std::to_string(device) + " (there are " + std::to_string(count) + ")"};
  }
  return loaded_module().module->make_backend(device, threads);
}

}  // namespace

void lock_backends() { loading.lock(); }
void unlock_backends() { loading.unlock(); }

#if defined(CTV_FAULT_INJECTION)
void replace_cuda_for_tests(BackendMaker maker) { cuda_stand_in = maker; }
#endif

Status check_cuda_module(const CudaModule& module) {
  if (module.stamp == CTV_MODULE_STAMP) return {};
  return {CTV_ERROR_DEVICE,
          "no GPU: " + module_name() + " was built from other sources or by another compiler"};
}

void* allocate_pinned(int device, size_t size) {
  std::string why;
  if (device < 0 || device >= cuda_device_count(why)) return nullptr;
  return loaded_module().module->allocate_pinned(device, size);
}

void free_pinned(void* data) { loaded_module().module->free_pinned(data); }

int cuda_device_count(std::string& why) {
  const LoadedModule& loaded = loaded_module();
  if (loaded.module == nullptr) {
    why = loaded.why;
    return 0;
  }
  const SignalsBlocked blocked;  // for the driver's threads
  return loaded.module->device_count(why);
}

Status cuda_device_info(int device, ctv_device_info& info) {
  std::string why;
  const int count = cuda_device_count(why);
  if (count == 0) return {CTV_ERROR_DEVICE, why};
  if (device < 0 || device >= count) return {CTV_ERROR_ARGUMENT, "device: no such CUDA device"};
  return loaded_module().module->device_info(device, info);
}

Result<std::unique_ptr<Backend>> make_backend(ctv_backend wanted, int device, int threads, std::string& why) {
  std::string reason = "as asked";
  if (wanted != CTV_BACKEND_CPU) {
    Result<std::unique_ptr<Backend>> cuda = make_cuda_backend(device, threads);
    if (cuda.ok()) {
      why = wanted == CTV_BACKEND_CUDA ? reason : "chosen automatically";
      return cuda;
    }
    if (wanted == CTV_BACKEND_CUDA) {
      why = cuda.status().message();
      return cuda;
    }
    reason = cuda.status().message();
  }
  Result<std::unique_ptr<Backend>> cpu = make_cpu_backend(threads);
  why = reason;
  return cpu;
}

}  // namespace ctv
