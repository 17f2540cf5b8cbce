// SPDX-License-Identifier: BSD-3-Clause
#include "bench/lab/h264_tq/h264_tq.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/random.hpp"

namespace ctv::lab {
namespace {

// Matrices and tables as Richardson 2003, 6.4, prints them.
constexpr int kCore[4][4] = {{1, 1, 1, 1}, {2, 1, -1, -2}, {1, -1, -1, 1}, {1, -2, 2, -1}};
constexpr int kHadamard[4][4] = {{1, 1, 1, 1}, {1, 1, -1, -1}, {1, -1, -1, 1}, {1, -1, 1, -1}};
constexpr int kFactors[6][3] = {{13107, 5243, 8066}, {11916, 4660, 7490}, {10082, 4194, 6554},
                                {9362, 3647, 5825},  {8192, 3355, 5243},  {7282, 2893, 4559}};

int level(int w, int factor, int qbits) {
  const int64_t magnitude = (int64_t{std::abs(w)} * factor + (int64_t{65536 / 3} << qbits >> 16)) >> qbits;
  return static_cast<int>(w < 0 ? -magnitude : magnitude);
}

// n x n blocks of a plane by the definition, at (row, col) of its samples.
void macroblock(const std::vector<uint8_t>& plane, int stride, int row, int col, int n, int qp,
                std::vector<int>& levels) {
  int dc[4][4] = {};
  const size_t base = levels.size();
  levels.resize(base + static_cast<size_t>(n * n * 16));
  for (int i = 0; i < n * n; ++i)
    for (int v = 0; v < 4; ++v)
      for (int u = 0; u < 4; ++u) {
        int w = 0;
        for (int y = 0; y < 4; ++y)
          for (int x = 0; x < 4; ++x) {
            const int at = (row + i / n * 4 + y) * stride + col + i % n * 4 + x;
            w += kCore[v][y] * (plane[static_cast<size_t>(at)] - 128) * kCore[u][x];
          }
        const int norm = v % 2 == 0 && u % 2 == 0 ? 0 : v % 2 == 1 && u % 2 == 1 ? 1 : 2;
        if (v == 0 && u == 0) dc[i / n][i % n] = w;
        levels[base + static_cast<size_t>(i * 16 + v * 4 + u)] =
            level(w, kFactors[qp % 6][norm], 15 + qp / 6);
      }
  for (int v = 0; v < n; ++v)
    for (int u = 0; u < n; ++u) {
      int w = 0;
      for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x)
          w += n == 4 ? kHadamard[v][y] * dc[y][x] * kHadamard[u][x]
                      : (v * y % 2 == 0 ? 1 : -1) * dc[y][x] * (u * x % 2 == 0 ? 1 : -1);
      if (n == 4) w = (w + 1) >> 1;
      levels[base + static_cast<size_t>((v * n + u) * 16)] = level(w, kFactors[qp % 6][0], 16 + qp / 6);
    }
}

TEST(LabH264Tq, LevelsAreThoseOfTheDefinition) {
  test::Random random(5);
  YuvFrame frame = {48, 32, {}, {}, {}};
  for (int i = 0; i < 48 * 32; ++i) frame.luma.push_back(i < 512 ? (i & 1 ? 255 : 0) : random.byte());
  for (int i = 0; i < 24 * 16; ++i) {
    frame.cb.push_back(random.byte());
    frame.cr.push_back(static_cast<uint8_t>(i < 200 ? 255 : random.byte()));
  }
  for (const int qp : {0, 5, 6, 22, 28, 41, 51}) {
    std::vector<int> expected;
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 3; ++c) {
        macroblock(frame.luma, 48, 16 * r, 16 * c, 4, qp, expected);
        macroblock(frame.cb, 24, 8 * r, 8 * c, 2, qp, expected);
        macroblock(frame.cr, 24, 8 * r, 8 * c, 2, qp, expected);
      }
    for (const int threads : {1, 2}) {
      std::vector<int16_t> levels;
      transform_quantise_on_cpu(frame, qp, threads, levels);
      EXPECT_EQ(std::vector<int>(levels.begin(), levels.end()), expected) << "qp " << qp;
    }
  }
}

}  // namespace
}  // namespace ctv::lab
