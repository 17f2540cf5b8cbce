// SPDX-License-Identifier: BSD-3-Clause
// The engine of Katsigiannis et al.: every two-dimensional convolution of pyramid and directional bank by
// cuFFT.
#pragma once

#include "codec/format/subband_layout.hpp"
#include "cuda/runtime/samples.hpp"
#include "cuda/transform/directional.hpp"

namespace ctv::cuda {

/// Convolutions of one plane's transform; plans and spectra are made once. Exact integers: the error of a
/// double-precision FFT of these sizes is a millionth of the rounding margin.
class FftEngine {
 public:
  virtual ~FftEngine() = default;
  static Result<std::unique_ptr<FftEngine>> make(std::shared_ptr<Device> device, const SubbandLayout& layout);

  // As in laplacian.hpp and directional.hpp; scale 1.. is that of the input.
  virtual Status lowpass(int scale, const Coefficient* source, const Coefficient* from,
                         Coefficient* target) = 0;
  virtual Status detail(int scale, const Coefficient* low, const Coefficient* source,
                        Coefficient* detail) = 0;
  virtual Status merge(int scale, const Coefficient* low, const Coefficient* detail,
                       const PlaneTarget& target) = 0;
  virtual Status directional(int scale, const Bands& bands, const DirectionalPlan& plan, bool inverse) = 0;
};

}  // namespace ctv::cuda
