// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/fft_engine.hpp"

namespace ctv::cuda {

Result<std::unique_ptr<FftEngine>> FftEngine::make(std::shared_ptr<Device>, const SubbandLayout&) {
  return {CTV_ERROR_UNSUPPORTED, "engine: no cuFFT"};
}

}  // namespace ctv::cuda
