// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a transform. The subbands follow from them (subband_layout.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <iterator>

namespace ctv {

inline constexpr int kMaxScales = 8;
inline constexpr int kMaxDirectionsLog2 = 4;

enum class TransformKind : uint8_t { kContourlet = 0, kDct8x8 = 1, kH264_4x4 = 2, kH264_8x8 = 3 };

/// Properties of a transform for layouts, headers and quantisers.
struct TransformTraits {
  int block_log2;      // log2 of the block's side; 0: not a block transform
  int dc_log2;         // log2 of the side of the array of DC coefficients that is transformed again; 0: none
  bool own_quantiser;  // the transform defines the steps by frequency from qp
};
inline constexpr TransformTraits kTransformTraits[] = {
    {0, 0, false},  // contourlet
    {3, 0, false},  // DCT 8x8
    {2, 2, true},   // H.264 4x4
    {3, 0, true},   // H.264 8x8
};
inline constexpr int kTransformKinds = static_cast<int>(std::size(kTransformTraits));

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
  TransformKind kind = TransformKind::kContourlet;
  // Of the contourlet transform. A block transform has traits().block_log2 scales and otherwise these
  // defaults; its units differ.
  Pyramid pyramid = Pyramid::kWavelet9_7;
  int scales = 4;                                     // 1..kMaxScales
  std::array<uint8_t, kMaxScales> directions_log2{};  // per scale, finest first; 0: none
  bool directional_lifting = false;                   // 9/7: key frames' luma may have slopes
  int fraction_bits = 2;                              // coefficients are in units of 2^-fraction_bits samples
  bool projection = false;                            // Laplacian: synthesis by projection (dual frame)
  constexpr const TransformTraits& traits() const { return kTransformTraits[static_cast<size_t>(kind)]; }
  constexpr const PyramidTraits& pyramid_traits() const {
    return kPyramidTraits[static_cast<size_t>(pyramid)];
  }
  constexpr bool in_blocks() const { return traits().block_log2 > 0; }
  friend bool operator==(const TransformParameters&, const TransformParameters&) = default;
};

/// Returns the parameters of a block transform.
constexpr TransformParameters block_transform(TransformKind kind) {
  TransformParameters t;
  t.kind = kind;
  t.scales = t.traits().block_log2;
  return t;
}

}  // namespace ctv
