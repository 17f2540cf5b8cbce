// SPDX-License-Identifier: BSD-3-Clause
// One scale of the wavelet pyramid, or some: launchers.
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

/// The scales that one launch may take, where none is lifted along slopes and they are small: samples of the
/// finest one up to which their work together is less than another launch.
inline constexpr size_t kForwardScales = 2, kInverseScales = 3;
inline constexpr size_t kForwardTogether = size_t{1} << 18, kInverseTogether = size_t{1} << 20;

/// Bands of `source` (scale 1: samples; else coefficients). scales: the finest first; the lowpass of one
/// before another is not written.
Status wavelet_forward(Device& device, Pyramid kind, std::span<const WaveletScale<int16_t>> scales,
                       const PlaneSource& source);
/// The reverse, into `target`; the lowpass of a scale before another is not read.
Status wavelet_inverse(Device& device, Pyramid kind, std::span<const WaveletScale<const int16_t>> scales,
                       const PlaneTarget& target);

}  // namespace ctv::cuda
