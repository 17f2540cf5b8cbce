// SPDX-License-Identifier: BSD-3-Clause
// Host memory for borrowed pictures, page-locked if a device reads it directly.
#pragma once

#include <cstddef>

#include "codec/util/status.hpp"

namespace ctv {

constexpr size_t kHostAlignment = 256;  // bytes

/// Allocates `size` bytes, aligned to kHostAlignment, for pictures that the backend reads. The memory is
/// pageable on the CPU, or if page-locking fails. The only error is CTV_ERROR_MEMORY. Free it with
/// free_host().
Result<void*> allocate_host(size_t size, ctv_backend backend, int device);
/// Frees memory of allocate_host(); null is allowed.
void free_host(void* data);

}  // namespace ctv
