// SPDX-License-Identifier: BSD-3-Clause
// Which backends there are, and the choice between them. backends.cpp alone includes files of cpu/ and
// cuda/.
#pragma once

#include <memory>
#include <string>

#include "codec/backend/backend.hpp"

namespace ctv {

/// The backend that was asked for. `why` gets one line that says what runs and why. Auto takes CUDA if its
/// module, a driver and the device are there, and the CPU otherwise; CUDA asked for and not there is
/// CTV_ERROR_DEVICE. threads: of the CPU, at least 1.
Result<std::unique_ptr<Backend>> make_backend(ctv_backend wanted, int device, int threads, std::string& why);

/// Lets another maker stand in for the CUDA module, so that device failures are tested where there is no
/// device; null ends it. Not for use beside open encoders or decoders.
/// Exists in builds with CTV_FAULT_INJECTION only (CTV_TESTS=ON).
using BackendMaker = Result<std::unique_ptr<Backend>> (*)(int device, int threads);
void replace_cuda_for_tests(BackendMaker maker);

struct CudaModule;
/// Refuses a module that was not built from this library's interface headers by the same compiler.
Status check_cuda_module(const CudaModule& module);

/// Host memory that the device copies from by itself; null where there is none to be had. For free_pinned().
void* allocate_pinned(int device, size_t size);
void free_pinned(void* data);

/// Usable CUDA devices; 0 also where there is no module or driver, and `why` then says so.
int cuda_device_count(std::string& why);
Status cuda_device_info(int device, ctv_device_info& info);

}  // namespace ctv
