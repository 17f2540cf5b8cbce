// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/runtime/tuning.hpp"

#include <cstdlib>
#include <cstring>

namespace ctv::cuda {
namespace {

bool is(const char* name, const char* value) {
  const char* text = std::getenv(name);
  return text != nullptr && std::strcmp(text, value) == 0;
}

/// "0" or "1"; nothing for other values.
std::optional<bool> flag(const char* name) {
  if (is(name, "0")) return false;
  if (is(name, "1")) return true;
  return std::nullopt;
}

CudaTuning parse() {
  CudaTuning tuning;
  tuning.entropy = flag("CTV_CUDA_ENTROPY").value_or(true);
  tuning.graphs = flag("CTV_CUDA_GRAPH").value_or(true);
  tuning.overlap = flag("CTV_CUDA_OVERLAP").value_or(true);
  tuning.lanes = flag("CTV_CUDA_LANES").value_or(true);
  tuning.stage_times = flag("CTV_CUDA_STAGE_TIMES");
#if defined(CTV_FAULT_INJECTION)
  if (const char* text = std::getenv("CTV_CUDA_FAIL_AT")) tuning.fail_at = std::strtol(text, nullptr, 10);
  tuning.fail_with_memory = is("CTV_CUDA_FAIL_WITH", "memory");
  if (const char* text = std::getenv("CTV_CUDA_FILL")) tuning.fill = std::atoi(text);
#endif
  return tuning;
}

}  // namespace

const CudaTuning& cuda_tuning() {
  static const CudaTuning tuning = parse();
  return tuning;
}

}  // namespace ctv::cuda
