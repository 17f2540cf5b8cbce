// SPDX-License-Identifier: BSD-3-Clause
// Launches with short gaps between kernels. A frame is a chain of dozens of short kernels, and a device takes
// more than a microsecond from the end of one to the first instruction of the next. So a kernel is placed on
// the device while the previous one still runs, and waits there (programmatic dependent launch, compute
// capability 9.0).
#pragma once

#include "cuda/runtime/device.hpp"
#include "cuda/runtime/thread.cuh"

namespace ctv::cuda {

/// Called first in each kernel of launch_kernel() and launch_single_frame(), before it accesses memory:
/// griddepcontrol.launch_dependents and griddepcontrol.wait. Lets the next kernel be placed, and waits for
/// all kernels before. Threads that access no memory may exit before it, but not all threads of a grid: the
/// next kernel waits for this grid only.
__device__ __forceinline__ void pdl_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;" ::: "memory");
#endif
}

/// kernel<<<blocks, threads, shared, stream>>>(arguments...), placed early if `overlaps`. The kernel must
/// call pdl_begin().
template <typename... Parameters, typename... Arguments>
void launch_on(cudaStream_t stream, bool overlaps, void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
               size_t shared, const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = overlaps ? 1 : 0;
  cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

/// Launches in device.stream().
template <typename... Parameters, typename... Arguments>
void launch_kernel(Device& device, void (*kernel)(Parameters...), dim3 blocks, dim3 threads, size_t shared,
                   const Arguments&... arguments) {
  launch_on(device.stream(), device.overlaps(reinterpret_cast<const void*>(kernel)), kernel, blocks, threads,
            shared, arguments...);
}

/// Placed early with one frame in flight only: a waiting kernel would take room from kernels of other frames.
template <typename... Parameters, typename... Arguments>
void launch_single_frame(Device& device, cudaStream_t stream, void (*kernel)(Parameters...), dim3 blocks,
                         dim3 threads, const Arguments&... arguments) {
  launch_on(stream, device.single_frame() && device.overlaps(reinterpret_cast<const void*>(kernel)), kernel,
            blocks, threads, 0, arguments...);
}

}  // namespace ctv::cuda
