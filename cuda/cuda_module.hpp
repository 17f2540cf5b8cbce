// SPDX-License-Identifier: BSD-3-Clause
// What libctv_cuda.so offers to the library that loads it. The module is built with the library, from the
// same sources and by the same compiler: the stamp keeps apart those that were not.
#pragma once

#include <cstdint>

#include "codec/backend/backend.hpp"

namespace ctv {

/// Counted up whenever anything that crosses the module's border changes (Backend and its relatives
/// included).
inline constexpr uint32_t kCudaModuleStamp = 2;

struct CudaModule {
  uint32_t stamp;
  /// Usable devices; 0 with the reason in `why`.
  int (*device_count)(std::string& why);
  Status (*device_info)(int device, ctv_device_info& info);
  /// threads: of the CPU, for copies to and from pinned memory.
  Result<std::unique_ptr<Backend>> (*make_backend)(int device, int threads);
  /// Page-locked memory; null if there is none left or the device fails.
  void* (*allocate_pinned)(int device, size_t size);
  void (*free_pinned)(void* data);
};

}  // namespace ctv

/// The module's only symbol.
extern "C" CTV_API const ctv::CudaModule* ctv_cuda_module(void);
