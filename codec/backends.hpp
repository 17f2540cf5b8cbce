// SPDX-License-Identifier: BSD-3-Clause
// The available backends and the choice between them. Only backends.cpp includes files of cpu/ and cuda/.
#pragma once

#include <memory>
#include <string>

#include "codec/backend/backend.hpp"

namespace ctv {

/// Opens the requested backend. `why` receives one line that says what runs and why. AUTO chooses CUDA if its
/// module, a driver and the device are present, else the CPU. CTV_ERROR_DEVICE if CUDA was requested and is
/// not present. threads: of the CPU, at least 1.
Result<std::unique_ptr<Backend>> make_backend(ctv_backend wanted, int device, int threads, std::string& why);

/// Replaces the CUDA module by another maker, which tests device failures on machines without a device; null
/// restores it. No encoder or decoder may be open. Exists only in builds with CTV_FAULT_INJECTION
/// (CTV_TESTS=ON).
using BackendMaker = Result<std::unique_ptr<Backend>> (*)(int device, int threads);
void replace_cuda_for_tests(BackendMaker maker);

struct CudaModule;
/// Refuses a module that was not built from this library's interface headers by the same compiler.
Status check_cuda_module(const CudaModule& module);

/// Allocates host memory that the device reads directly; null if that fails. Free it with free_pinned().
void* allocate_pinned(int device, size_t size);
void free_pinned(void* data);

/// Between these calls no thread loads the CUDA module: a child process would wait forever for a thread that
/// it has not.
void lock_backends();
void unlock_backends();

/// Number of usable CUDA devices. If it is 0, `why` receives the reason, for example no module or driver.
int cuda_device_count(std::string& why);
Status cuda_device_info(int device, ctv_device_info& info);

}  // namespace ctv
