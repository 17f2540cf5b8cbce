// SPDX-License-Identifier: BSD-3-Clause
// Bytes of the host on their way to the device.
#pragma once

#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// Starts the copy of `size` bytes from page-locked memory on `stream`; both places are aligned to 4. With
/// one frame in flight a kernel copies: a kernel behind a copy waits 12 us for the copy engine, and the call
/// of a copy takes longer. With several it is that engine, beside kernels of other frames.
Status upload_bytes(Device& device, const uint8_t* from, size_t size, uint8_t* to, cudaStream_t stream);

}  // namespace ctv::cuda
