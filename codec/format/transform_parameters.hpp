// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a transform. The subbands follow from them (subband_layout.hpp).
#pragma once

#include <array>
#include <cstdint>

namespace ctv {

inline constexpr int kMaxScales = 8;
inline constexpr int kMaxDirectionsLog2 = 4;

enum class Pyramid : uint8_t { kLaplacian = 0, kWavelet5_3 = 1, kWavelet9_7 = 3 };

struct PyramidTraits {
  int bands;       // per scale
  int band_shift;  // log2 of the distance of the finest bands' samples
  int gains;       // set of kGainSets; the next one with projection, if the pyramid can have it
  int taps;        // of the directional filters
};
inline constexpr PyramidTraits kPyramidTraits[] = {
    {1, 0, 0, 12},  // Laplacian
    {3, 1, 2, 6},   // 5/3
    {},             // 2: no pyramid has this number
    {3, 1, 3, 6},   // 9/7
};

struct TransformParameters {
  Pyramid pyramid = Pyramid::kWavelet9_7;
  int scales = 4;                                     // 1..kMaxScales
  std::array<uint8_t, kMaxScales> directions_log2{};  // per scale, finest first; 0: none
  bool directional_lifting = false;                   // 9/7: key frames' luma may have slopes
  int fraction_bits = 2;                              // coefficients are in units of 2^-fraction_bits samples
  bool projection = false;                            // Laplacian: synthesis by projection (dual frame)
  constexpr const PyramidTraits& pyramid_traits() const {
    return kPyramidTraits[static_cast<size_t>(pyramid)];
  }
  friend bool operator==(const TransformParameters&, const TransformParameters&) = default;
};

}  // namespace ctv
