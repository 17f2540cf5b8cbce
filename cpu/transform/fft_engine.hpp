// SPDX-License-Identifier: BSD-3-Clause
// Convolutions of the Laplacian pyramid and the directional banks by FFT on the CPU. For comparison with the
// direct engine. Available in builds with CTV_FFTW.
#pragma once

#include <memory>
#include <span>

#include "codec/format/subband_layout.hpp"
#include "codec/util/status.hpp"
#include "cpu/transform/directional.hpp"
#include "cpu/transform/laplacian.hpp"

namespace ctv {

class FftEngine {
 public:
  virtual ~FftEngine() = default;

  /// CTV_ERROR_UNSUPPORTED in a build without FFTW.
  static Status check();
  static Result<std::unique_ptr<FftEngine>> make(const SubbandLayout& layout);

  // As in directional.hpp and laplacian.hpp, for the bands and the picture of one scale.
  virtual void directional(int scale, std::span<DirectionalBank* const> banks, bool inverse) = 0;
  virtual void laplacian_forward(int scale, LaplacianRows& rows, PlaneView<Coefficient> lowpass) = 0;
  virtual void laplacian_inverse(int scale, LaplacianRows& rows, PlaneView<Coefficient> lowpass) = 0;
};

}  // namespace ctv
