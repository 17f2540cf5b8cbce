// SPDX-License-Identifier: BSD-3-Clause
// Macroblock after macroblock by the butterflies of bench/lab/h264.hpp; rows of macroblocks are the tasks.
#include "bench/lab/h264_tq/h264_tq.hpp"
#include "codec/util/parallel.hpp"

namespace ctv::lab {
namespace {

// A 4x4 block of samples to coefficients, returned without quantising them.
void transform_block(const uint8_t* samples, int stride, int32_t (&w)[4][4]) {
  int32_t half[4][4];  // NOLINT(*-member-init)
  for (int r = 0; r < 4; ++r) {
    int32_t x[4];  // NOLINT(*-member-init)
    for (int c = 0; c < 4; ++c) x[c] = samples[r * stride + c] - 128;
    forward_h264_4(x, half[r]);
  }
  for (int c = 0; c < 4; ++c) {
    const int32_t x[4] = {half[0][c], half[1][c], half[2][c], half[3][c]};
    int32_t y[4];  // NOLINT(*-member-init)
    forward_h264_4(x, y);
    for (int r = 0; r < 4; ++r) w[r][c] = y[r];
  }
}

// All blocks of N x N blocks of a plane; DC coefficients go to dc, in place of their levels.
template <int N>
void transform_blocks(const uint8_t* samples, int stride, int qp, int16_t* levels, int32_t (&dc)[N][N]) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j, levels += 16) {
      int32_t w[4][4];  // NOLINT(*-member-init)
      transform_block(samples + i * 4 * stride + j * 4, stride, w);
      dc[i][j] = w[0][0];
      for (int k = 1; k < 16; ++k)
        levels[k] = static_cast<int16_t>(ac_level(w[k / 4][k % 4], qp, k / 4, k % 4));
    }
}

void luma_macroblock(const uint8_t* samples, int stride, int qp, int16_t* levels) {
  int32_t dc[4][4], half[4][4];  // NOLINT(*-member-init)
  transform_blocks<4>(samples, stride, qp, levels, dc);
  for (int i = 0; i < 4; ++i) hadamard_4(dc[i], half[i]);
  for (int j = 0; j < 4; ++j) {
    const int32_t x[4] = {half[0][j], half[1][j], half[2][j], half[3][j]};
    int32_t y[4];  // NOLINT(*-member-init)
    hadamard_4(x, y);
    for (int i = 0; i < 4; ++i) levels[(i * 4 + j) * 16] = static_cast<int16_t>(dc_level(halved(y[i]), qp));
  }
}

void chroma_macroblock(const uint8_t* samples, int stride, int qp, int16_t* levels) {
  int32_t dc[2][2];  // NOLINT(*-member-init)
  transform_blocks<2>(samples, stride, qp, levels, dc);
  const int32_t s0 = dc[0][0] + dc[0][1], d0 = dc[0][0] - dc[0][1];
  const int32_t s1 = dc[1][0] + dc[1][1], d1 = dc[1][0] - dc[1][1];
  const int32_t y[4] = {s0 + s1, d0 + d1, s0 - s1, d0 - d1};
  for (int k = 0; k < 4; ++k) levels[k * 16] = static_cast<int16_t>(dc_level(y[k], qp));
}

}  // namespace

void transform_quantise_on_cpu(const YuvFrame& frame, int qp, int threads, std::vector<int16_t>& levels) {
  const int columns = frame.width / 16, rows = frame.height / 16;
  levels.resize(static_cast<size_t>(frame.macroblocks()) * kMacroblockLevels);
  parallel_for(threads, rows, [&](int r) {
    for (int c = 0; c < columns; ++c) {
      int16_t* out = levels.data() + static_cast<std::ptrdiff_t>(r * columns + c) * kMacroblockLevels;
      luma_macroblock(frame.luma.data() + static_cast<std::ptrdiff_t>(r * 16) * frame.width + c * 16,
                      frame.width, qp, out);
      const std::ptrdiff_t chroma = static_cast<std::ptrdiff_t>(r * 8) * (frame.width / 2) + c * 8;
      chroma_macroblock(frame.cb.data() + chroma, frame.width / 2, qp, out + 16 * 16);
      chroma_macroblock(frame.cr.data() + chroma, frame.width / 2, qp, out + 20 * 16);
    }
  });
}

}  // namespace ctv::lab
