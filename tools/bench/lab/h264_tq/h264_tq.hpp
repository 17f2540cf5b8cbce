// SPDX-License-Identifier: BSD-3-Clause
// Transform, Hadamard transform of the DC coefficients and quantisation of a whole frame as an H.264 intra
// encoder does them, as in Husemann, Giacomolli, Lenz, Schwingel and Roesler, "Aumento de Desempenho de
// Codificacao Intra H.264 Usando Arquitetura de GPU NVIDIA CUDA" (2011): every macroblock as Intra 16x16,
// predicted as 128.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/lab/h264.hpp"

namespace ctv::lab {

/// 4:2:0, 8 bits; luma extents are multiples of 16.
struct YuvFrame {
  int width = 0, height = 0;
  std::vector<uint8_t> luma, cb, cr;
  int macroblocks() const { return (width / 16) * (height / 16); }
};

/// Levels [macroblock][384]: sixteen 4x4 luma blocks in raster order, four of Cb, four of Cr; the first of
/// each block is the level of the Hadamard transform at the block's place. qp: 0..51, the same for chroma.
/// Rounding offset of intra frames, a third of a step. `levels` is made to fit.
void transform_quantise_on_cpu(const YuvFrame& frame, int qp, int threads, std::vector<int16_t>& levels);

// How coefficients become levels, on both sides.

inline constexpr int kMacroblockLevels = 24 * 16;
inline constexpr uint32_t kIntraOffset = 65536 / 3;

/// Quantises the AC coefficient at position (v, u) of a 4x4 block.
CTV_HOST_DEVICE int32_t ac_level(int32_t w, int qp, int v, int u) {
  return h264_quantise(w, h264_factor_4(qp % 6, h264_class_4(v, u)), kIntraOffset, h264_bits_4(qp));
}
/// Quantises a Hadamard coefficient; the 4x4 one is halved first (Richardson 2003, 6.4.8).
CTV_HOST_DEVICE int32_t dc_level(int32_t w, int qp) {
  return h264_quantise(w, h264_factor_4(qp % 6, 0), kIntraOffset, h264_bits_4(qp) + 1);
}
CTV_HOST_DEVICE int32_t halved(int32_t w) { return (w + 1) >> 1; }

}  // namespace ctv::lab
