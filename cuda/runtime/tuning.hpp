// SPDX-License-Identifier: BSD-3-Clause
// Switches for measurement and tests, read once from the environment (docs/backends.md). None changes a bit
// of a stream or a picture.
#pragma once

#include <optional>

namespace ctv::cuda {

struct CudaTuning {
  bool entropy = true;  // CTV_CUDA_ENTROPY=0: CPU threads code levels
  bool graphs = true;   // CTV_CUDA_GRAPH=0: frames never run as graphs
  bool overlap = true;  // CTV_CUDA_OVERLAP=0: a kernel is launched when the one before it has ended
  bool lanes = true;    // CTV_CUDA_LANES=0: planes one after the other, so that stage times add up
  std::optional<bool> stage_times;  // CTV_CUDA_STAGE_TIMES: never, always; unset: when asked for
  // Only with CTV_FAULT_INJECTION.
  long fail_at = 0;               // CTV_CUDA_FAIL_AT=n: the n-th checked call of the process fails
  bool fail_with_memory = false;  // CTV_CUDA_FAIL_WITH=memory: as if out of memory
  std::optional<int> fill;        // CTV_CUDA_FILL=n: new memory is filled with this byte
};

/// The process's switches, parsed at the first call.
const CudaTuning& cuda_tuning();

}  // namespace ctv::cuda
