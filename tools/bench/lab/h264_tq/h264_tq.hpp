// SPDX-License-Identifier: BSD-3-Clause
// Transform, Hadamard transform of the DC coefficients and quantisation of a whole frame as an H.264 intra
// encoder does them, as in Husemann, Giacomolli, Lenz, Schwingel and Roesler, "Aumento de Desempenho de
// Codificacao Intra H.264 Usando Arquitetura de GPU NVIDIA CUDA" (2011): every macroblock as Intra 16x16,
// predicted as 128.
#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace ctv::lab
