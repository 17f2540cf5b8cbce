// SPDX-License-Identifier: BSD-3-Clause
// Upload of bytes from host to device.
#pragma once

#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// Starts the copy of `size` bytes from page-locked memory on `stream`; both addresses are multiples of 4.
/// With one frame in flight a kernel copies: a kernel after a copy waits 12 us for the copy engine, and the
/// call of a copy takes longer. With several frames the copy engine copies, in parallel to kernels of other
/// frames.
Status upload_bytes(Device& device, const uint8_t* from, size_t size, uint8_t* to, cudaStream_t stream);

}  // namespace ctv::cuda
