// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a transform. The subbands follow from them (subband_layout.hpp).
#pragma once

#include <array>
#include <cstdint>

namespace ctv {

inline constexpr int kMaxScales = 8;
inline constexpr int kMaxDirectionsLog2 = 4;

enum class TransformKind : uint8_t { kContourlet = 0, kDct8x8 = 1, kH264_4x4 = 2, kH264_8x8 = 3 };
/// log2 of the side of a block transform's blocks; 0 for the contourlet transform.
constexpr int block_log2(TransformKind kind) {
  return kind == TransformKind::kContourlet ? 0 : kind == TransformKind::kH264_4x4 ? 2 : 3;
}
constexpr bool is_h264(TransformKind kind) {
  return kind == TransformKind::kH264_4x4 || kind == TransformKind::kH264_8x8;
}

enum class Pyramid : uint8_t { kLaplacian = 0, kWavelet5_3 = 1, kWavelet13_7 = 2, kWavelet9_7 = 3 };

struct TransformParameters {
  TransformKind kind = TransformKind::kContourlet;
  // Of the contourlet transform. A block transform has block_log2() scales and otherwise these defaults; its
  // units differ.
  Pyramid pyramid = Pyramid::kWavelet13_7;
  int scales = 4;                                     // 1..kMaxScales
  std::array<uint8_t, kMaxScales> directions_log2{};  // per scale, finest first; 0: none
  int taps = 2;                                       // of the directional filters
  int fraction_bits = 2;                              // coefficients are in units of 2^-fraction_bits samples
  bool projection = false;                            // Laplacian: synthesis by projection (dual frame)
  friend bool operator==(const TransformParameters&, const TransformParameters&) = default;
};

/// Returns the parameters of a block transform.
constexpr TransformParameters block_transform(TransformKind kind) {
  TransformParameters t;
  t.kind = kind;
  t.scales = block_log2(kind);
  return t;
}

}  // namespace ctv
