// SPDX-License-Identifier: BSD-3-Clause
// Coefficients to the pictures that the FFT engine transforms, and sums back to coefficients: launchers.
#pragma once

#include "cuda/runtime/samples.hpp"
#include "cuda/transform/directional.hpp"

namespace ctv::cuda {

inline constexpr int kFftMargin = 4;  // of the pyramid's filters, even: parity must not change

/// A picture of doubles on the device, dense.
struct FftPicture {
  double* data = nullptr;  // [rows][cols]
  int rows = 0, cols = 0;
};

/// What a shear adds: sign * round(sin K), or round(tan K).
struct FftShear {
  int target;  // coset
  int sine;
  int sign;
};

/// The plane (extent), or with `spread` its lowpass [rows / 2][cols / 2] put at even positions, mirrored
/// kFftMargin samples to each side; zeros beyond.
Status fft_extend(Device& device, const Coefficient* source, Extent extent, bool spread,
                  const FftPicture& out);
/// As laplacian_lowpass, from sums over the extended plane.
Status fft_take_lowpass(Device& device, const FftPicture& sums, Extent extent, const Coefficient* from,
                        Coefficient* target);
/// target = other + sign * interpolation.
Status fft_take_interpolation(Device& device, const FftPicture& sums, Extent extent, const Coefficient* other,
                              int sign, const PlaneTarget& target);

/// Tree depth 1: the source coset of each band, zeros elsewhere; and the shear of the target coset by sums of
/// the bands' extent.
Status fft_gather_quincunx(Device& device, const Bands& bands, int target, double* out);
Status fft_shear_quincunx(Device& device, const Bands& bands, const FftShear& shear, const double* sums);
/// Level 2 and deeper, the same for the phase pictures [bands][shears][rows / 2][cols / 2].
Status fft_gather_phases(Device& device, const Bands& bands, const LatticeShears& shears, double* out);
Status fft_shear_phases(Device& device, const Bands& bands, const LatticeShears& shears,
                        const FftShear& shear, const double* sums);

}  // namespace ctv::cuda
