// SPDX-License-Identifier: BSD-3-Clause
// One scale of the wavelet pyramid, or two: launchers.
#pragma once

#include <span>

#include "codec/dsp/quantise.hpp"
#include "codec/format/transform_parameters.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/samples.hpp"

namespace ctv::cuda {

/// One of the four bands of a scale, rows x cols halved: coefficients, or levels if `quantised`.
/// T: int16_t where a forward transform writes, const int16_t where an inverse reads.
template <typename T>
struct WaveletBand {
  T* data = nullptr;  // [rows / 2][cols / 2]
  int quantised = 0;
  SubbandQuantiser quantiser;
};

template <typename T>
struct WaveletScale {
  int rows = 0, cols = 0;   // of the scale's input, even
  WaveletBand<T> bands[4];  // 0 low, 1 horizontal detail, 2 vertical, 3 diagonal
  // On the device, not 0: slope_lifting.hpp lifts this scale, and wavelet_forward(), wavelet_inverse() do
  // nothing. Null: there are no slopes.
  const int8_t* along = nullptr;
};

/// The scales that one launch may take: two where none is lifted along slopes and they are small.
inline constexpr size_t kScalesAtOnce = 2;
/// Samples of a plane from which the work of two scales at once exceeds a second launch.
inline constexpr size_t kTwoScalesArea = size_t{1} << 18;

/// Bands of `source` (scale 1: samples; else coefficients). scales: one, or two, the finer first; the lowpass
/// of the finer one is not written.
Status wavelet_forward(Device& device, Pyramid kind, std::span<const WaveletScale<int16_t>> scales,
                       const PlaneSource& source);
/// The reverse, into `target`; the lowpass of the finer one is not read.
Status wavelet_inverse(Device& device, Pyramid kind, std::span<const WaveletScale<const int16_t>> scales,
                       const PlaneTarget& target);

}  // namespace ctv::cuda
