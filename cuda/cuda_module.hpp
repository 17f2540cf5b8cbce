// SPDX-License-Identifier: BSD-3-Clause
// The interface between libctv_cuda.so and the library that loads it. C++ classes cross it, so both must be
// built from the same interface headers by the same compiler. The stamp, a hash of both, verifies this.
#pragma once

#include <cstdint>

#include "codec/backend/backend.hpp"
#include "codec/util/memory_budget.hpp"

namespace ctv {

/// Functions of the library for the module: one team of threads per process, one budget per thread.
struct HostServices {
  void (*run_on_team)(int threads, int count, int parts, void (*task)(void*, int), void* context);
  MemoryBudget*& (*current_budget)();
};

struct CudaModule {
  /// CTV_MODULE_STAMP of the module's build. The first member, so that it can be read from any version of the
  /// module.
  uint64_t stamp;
  /// Called once, before all other functions. `services` must outlive the module.
  void (*attach)(const HostServices& services);
  /// Number of usable devices; if 0, `why` has the reason.
  int (*device_count)(std::string& why);
  Status (*device_info)(int device, ctv_device_info& info);
  /// threads: CPU threads for copies to and from pinned memory.
  Result<std::unique_ptr<Backend>> (*make_backend)(int device, int threads);
  /// Returns page-locked memory; null if there is none left or the device fails.
  void* (*allocate_pinned)(int device, size_t size);
  void (*free_pinned)(void* data);
};

}  // namespace ctv

/// The module's only symbol.
extern "C" CTV_API const ctv::CudaModule* ctv_cuda_module(void);
