// SPDX-License-Identifier: BSD-3-Clause
// cuFFT, loaded when the FFT engine is first asked for: the library is larger than everything else together,
// and the direct engine must work without it.
#pragma once

#include <cufft.h>

#include "codec/util/status.hpp"

namespace ctv::cuda {

struct CufftLibrary {
  decltype(&cufftPlanMany) plan_many = nullptr;
  decltype(&cufftSetStream) set_stream = nullptr;
  decltype(&cufftExecD2Z) exec_d2z = nullptr;
  decltype(&cufftExecZ2D) exec_z2d = nullptr;
  decltype(&cufftDestroy) destroy = nullptr;

  /// Loads it once per process; it is never unloaded.
  static Result<const CufftLibrary*> load();
};

}  // namespace ctv::cuda
