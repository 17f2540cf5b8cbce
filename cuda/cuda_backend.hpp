// SPDX-License-Identifier: BSD-3-Clause
// The CUDA backend.
#pragma once

#include "codec/backend/backend.hpp"

namespace ctv::cuda {

/// threads: CPU threads for copies between the caller's memory and pinned memory.
Result<std::unique_ptr<Backend>> make_backend(int device, int threads);

}  // namespace ctv::cuda
