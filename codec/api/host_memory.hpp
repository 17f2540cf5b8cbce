// SPDX-License-Identifier: BSD-3-Clause
// Memory for pictures on the host, page-locked where a device will read them by itself.
#pragma once

#include <cstddef>

#include "codec/util/status.hpp"

namespace ctv {

constexpr size_t kHostAlignment = 256;  // bytes

/// `size` bytes for pictures that the backend will read, aligned to kHostAlignment, for free_host(). Not
/// page-locked for the CPU, nor where locking fails; out of memory is the only error.
Result<void*> allocate_host(size_t size, ctv_backend backend, int device);
/// Null is allowed.
void free_host(void* data);

}  // namespace ctv
