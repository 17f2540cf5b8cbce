// SPDX-License-Identifier: BSD-3-Clause
// How coefficients become levels, on both sides.
#pragma once

#include "codec/dsp/h264.hpp"

namespace ctv::lab {

inline constexpr uint32_t kIntraOffset = 65536 / 3;

/// Of position (v, u) of a 4x4 block, but for DC.
CTV_HOST_DEVICE int32_t ac_level(int32_t w, int qp, int v, int u) {
  return h264_quantise(w, h264_factor_4(qp % 6, h264_class_4(v, u)), kIntraOffset, h264_bits_4(qp));
}
/// Of a Hadamard coefficient: the 4x4 one is halved first (Richardson 2003, 6.4.8).
CTV_HOST_DEVICE int32_t dc_level(int32_t w, int qp) {
  return h264_quantise(w, h264_factor_4(qp % 6, 0), kIntraOffset, h264_bits_4(qp) + 1);
}
CTV_HOST_DEVICE int32_t halved(int32_t w) { return (w + 1) >> 1; }

}  // namespace ctv::lab
