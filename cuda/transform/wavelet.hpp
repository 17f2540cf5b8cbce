// SPDX-License-Identifier: BSD-3-Clause
// One scale of the wavelet pyramid, or two: launchers.
#pragma once

#include <span>

#include "codec/dsp/quantise.hpp"
#include "codec/format/transform_parameters.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/samples.hpp"

namespace ctv::cuda {

/// One of the four bands of a scale, with half the rows and columns: coefficients, or levels if `quantised`.
/// T: int16_t for the output of a forward transform, const int16_t for the input of an inverse.
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
  // On the device. Not 0: slope_lifting.hpp lifts this scale, and wavelet_forward() and wavelet_inverse() do
  // nothing. Null: there are no slopes.
  const int8_t* along = nullptr;
};

/// Most scales of a launch: two if neither is lifted along slopes and they are small.
inline constexpr size_t kScalesAtOnce = 2;
/// From this number of samples on, two scales in one launch take longer than a second launch.
inline constexpr size_t kTwoScalesArea = size_t{1} << 18;

/// Computes the bands of `source` (scale 1: samples; else coefficients). scales: one or two, the finer first;
/// the finer one's lowpass is not written.
Status wavelet_forward(Device& device, Pyramid kind, std::span<const WaveletScale<int16_t>> scales,
                       const PlaneSource& source);
/// The inverse, into `target`; the finer one's lowpass is not read.
Status wavelet_inverse(Device& device, Pyramid kind, std::span<const WaveletScale<const int16_t>> scales,
                       const PlaneTarget& target);

}  // namespace ctv::cuda
