// SPDX-License-Identifier: BSD-3-Clause
// The block transforms of a plane, block by block and term by term, 64 bits wide: the DCT as products with
// its rounded matrix, H.264's as in the standard (8.5.10 to 8.5.13).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "codec/dsp/quantise.hpp"
#include "codec/format/subband_layout.hpp"
#include "tests/reference/block.hpp"
#include "tests/reference/grid.hpp"

namespace ctv::reference {

using Line = std::vector<int64_t>;

/// sqrt(8) times the orthonormal matrix in 8192ths, rounded.
inline int64_t dct_entry(int k, int n) {
  static const Matrix m = dct_matrix(8);
  return std::lround(std::sqrt(8.0) * m.at(k, n) * 8192);
}

inline Line dct_line(const Line& x, bool inverse) {
  Line y(8);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      y[static_cast<size_t>(i)] += (inverse ? dct_entry(j, i) : dct_entry(i, j)) * x[static_cast<size_t>(j)];
    }
  }
  return y;
}

inline Line h264_inverse_4(const Line& w) {
  const int64_t e0 = w[0] + w[2];
  const int64_t e1 = w[0] - w[2];
  const int64_t e2 = floor_shift(w[1], 1) - w[3];
  const int64_t e3 = w[1] + floor_shift(w[3], 1);
  return {e0 + e3, e1 + e2, e1 - e2, e0 - e3};
}

inline Line h264_inverse_8(const Line& d) {
  const Line e = {d[0] + d[4],
                  -d[3] + d[5] - d[7] - floor_shift(d[7], 1),
                  d[0] - d[4],
                  d[1] + d[7] - d[3] - floor_shift(d[3], 1),
                  floor_shift(d[2], 1) - d[6],
                  -d[1] + d[7] + d[5] + floor_shift(d[5], 1),
                  d[2] + floor_shift(d[6], 1),
                  d[3] + d[5] + d[1] + floor_shift(d[1], 1)};
  const Line f = {e[0] + e[6], e[1] + floor_shift(e[7], 2), e[2] + e[4], e[3] + floor_shift(e[5], 2),
                  e[2] - e[4], floor_shift(e[3], 2) - e[5], e[0] - e[6], e[7] - floor_shift(e[1], 2)};
  return {f[0] + f[7], f[2] + f[5], f[4] + f[3], f[6] + f[1],
          f[6] - f[1], f[4] - f[3], f[2] - f[5], f[0] - f[7]};
}

inline Line h264_forward_4(const Line& x) {
  const Matrix m = h264_matrix(4);
  Line y(4);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      y[static_cast<size_t>(i)] += static_cast<int64_t>(m.at(i, j)) * x[static_cast<size_t>(j)];
    }
  }
  return y;
}

inline Line h264_forward_8(const Line& x) {
  int64_t s[4], d[4];
  for (size_t i = 0; i < 4; ++i) s[i] = x[i] + x[7 - i], d[i] = x[i] - x[7 - i];
  const auto half_more = [](int64_t v) { return v + floor_shift(v, 1); };
  const int64_t even0 = s[0] + s[3], even1 = s[1] + s[2], even2 = s[0] - s[3], even3 = s[1] - s[2];
  const int64_t odd0 = d[1] + d[2] + half_more(d[0]), odd1 = d[0] - d[3] - half_more(d[2]);
  const int64_t odd2 = d[0] + d[3] - half_more(d[1]), odd3 = d[1] - d[2] + half_more(d[3]);
  return {
      even0 + even1, odd0 + floor_shift(odd3, 2), even2 + floor_shift(even3, 1), odd1 + floor_shift(odd2, 2),
      even0 - even1, odd2 - floor_shift(odd1, 2), floor_shift(even2, 1) - even3, floor_shift(odd0, 2) - odd3};
}

/// One pass over all lines of a block.
template <typename Each>
void for_lines(Grid& block, bool columns, Each each) {
  const int n = block.rows;
  for (int i = 0; i < n; ++i) {
    Line x;
    for (int j = 0; j < n; ++j) x.push_back(columns ? block.at(j, i) : block.at(i, j));
    x = each(x);
    for (int j = 0; j < n; ++j) (columns ? block.at(j, i) : block.at(i, j)) = x[static_cast<size_t>(j)];
  }
}

inline void round_lines(Grid& block, int shift, int64_t lo, int64_t hi) {
  for (int64_t& v : block.values) v = std::clamp(floor_shift(v + (int64_t{1} << (shift - 1)), shift), lo, hi);
}

/// Coefficients of one block of samples, before the quantiser.
inline void forward_block(TransformKind kind, Grid& block) {
  if (kind == TransformKind::kDct8x8) {
    const auto line = [](const Line& x) { return dct_line(x, false); };
    for_lines(block, true, line);
    round_lines(block, 12, INT64_MIN, INT64_MAX);
    for_lines(block, false, line);
    round_lines(block, 15, -32767, 32767);
    return;
  }
  for (const bool columns : {true, false})
    for_lines(block, columns, kind == TransformKind::kH264_4x4 ? h264_forward_4 : h264_forward_8);
}

/// Inverse transform of a block of scaled coefficients, in 64ths of samples.
inline void inverse_block(TransformKind kind, Grid& block) {
  if (kind == TransformKind::kDct8x8) {
    const auto line = [](const Line& x) { return dct_line(x, true); };
    for_lines(block, false, line);
    round_lines(block, 14, -32768, 32767);
    for_lines(block, true, line);
    round_lines(block, 11, INT64_MIN, INT64_MAX);
    return;
  }
  for (const bool columns : {false, true})
    for_lines(block, columns, kind == TransformKind::kH264_4x4 ? h264_inverse_4 : h264_inverse_8);
}

/// H.264's tables as printed in the standard: v of 8-315 and 8-318, and the reciprocals of a reference
/// encoder.
inline std::array<int64_t, 2> h264_tables(bool eight, int rest, int row, int col) {
  static constexpr int kV4[6][3] = {{10, 16, 13}, {11, 18, 14}, {13, 20, 16},
                                    {14, 23, 18}, {16, 25, 20}, {18, 29, 23}};
  static constexpr int kV8[6][6] = {{20, 18, 32, 19, 25, 24}, {22, 19, 35, 21, 28, 26},
                                    {26, 23, 42, 24, 33, 31}, {28, 25, 45, 26, 35, 33},
                                    {32, 28, 51, 30, 40, 38}, {36, 32, 58, 34, 46, 43}};
  // Forward row times inverse column.
  const auto norm = [&](int k) {
    return eight ? (k % 4 == 0 ? 8 : k % 2 == 0 ? 5 : 9.03125) : k % 2 == 0 ? 4 : 5;
  };
  int64_t v = 0;
  if (eight) {
    const auto is = [&](int a, int b) {  // in either order
      const auto of = [](int k) { return k % 4 == 0 ? 0 : k % 4 == 2 ? 2 : 1; };
      return (of(row) == a && of(col) == b) || (of(row) == b && of(col) == a);
    };
    v = kV8[rest][is(0, 0) ? 0 : is(1, 1) ? 1 : is(2, 2) ? 2 : is(0, 1) ? 3 : is(0, 2) ? 4 : 5];
  } else {
    v = kV4[rest][row % 2 == 0 && col % 2 == 0 ? 0 : row % 2 == 1 && col % 2 == 1 ? 1 : 2];
  }
  const double whole = eight ? 1 << 24 : 1 << 21;
  return {v, std::lround(whole / (norm(row) * norm(col)) / static_cast<double>(v))};
}

inline Level quantised(int64_t c, int64_t factor, int64_t offset, int bits) {
  const int64_t steps = ((c < 0 ? -c : c) * factor + floor_shift(offset * (int64_t{1} << bits), 16)) >> bits;
  const int64_t level = std::min<int64_t>(steps, 32767);
  return static_cast<Level>(c < 0 ? -level : level);
}

inline int64_t limited(int64_t v) { return std::clamp<int64_t>(v, -32767, 32767); }

/// Quantiser and dequantiser of one frequency.
struct FrequencyQuantiser {
  TransformKind kind;
  int row, col;
  SubbandQuantiser q;

  Level level(int64_t c) const {
    if (!kTransformTraits[static_cast<size_t>(kind)].own_quantiser)
      return quantised(c, q.multiplier, q.rounding_offset, 16);
    const bool eight = kind == TransformKind::kH264_8x8;
    return quantised(c, h264_tables(eight, q.qp % 6, row, col)[1], q.rounding_offset,
                     (eight ? 16 : 15) + q.qp / 6);
  }
  int64_t scaled(int64_t l) const {
    if (!kTransformTraits[static_cast<size_t>(kind)].own_quantiser) {
      const auto magnitude = static_cast<uint32_t>(l < 0 ? -l : l);
      const int64_t c =
          l == 0 ? 0 : std::min<int64_t>((magnitude * q.step - q.reconstruction_offset + 8) / 16, 32767);
      return l < 0 ? -c : c;
    }
    // LevelScale = 16 v. 8x8: (l LevelScale 2^(qp/6) + 2^5) >> 6 with the rounding at its place; 4x4: >> 4.
    const bool eight = kind == TransformKind::kH264_8x8;
    const int64_t product = l * 16 * h264_tables(eight, q.qp % 6, row, col)[0];
    const int period = q.qp / 6;
    const int down = (eight ? 6 : 4) - period;
    if (down <= 0) return limited(product * (int64_t{1} << -down));
    return limited(floor_shift(product + (int64_t{1} << (down - 1)), down));
  }
};

/// The matrix of the transform of n DC coefficients.
inline Matrix dc_matrix(int n) {
  if (n == 4) return hadamard_matrix();
  Matrix m(2);
  m.values = {1, 1, 1, -1};
  return m;
}

/// A x B^T for the DC coefficients of a macroblock.
inline Grid dc_transform(const Grid& x) {
  const Matrix a = dc_matrix(x.rows);
  const Matrix b = dc_matrix(x.cols);
  Grid y(x.rows, x.cols);
  for (int r = 0; r < x.rows; ++r) {
    for (int c = 0; c < x.cols; ++c) {
      double sum = 0;
      for (int i = 0; i < x.rows; ++i) {
        for (int j = 0; j < x.cols; ++j) sum += a.at(r, i) * static_cast<double>(x.at(i, j)) * b.at(c, j);
      }
      y.at(r, c) = static_cast<int64_t>(sum);
    }
  }
  return y;
}

/// Calls body(subband index, subband, frequency) for the subbands of a block transform.
template <typename Body>
void for_frequencies(const SubbandLayout& layout, bool dc, Body body) {
  for (size_t i = 0; i < layout.subbands.size(); ++i) {
    const Frequency f = frequency_of(layout, layout.subbands[i]);
    if (f.dc == dc && layout.subbands[i].size() > 0) body(i, layout.subbands[i], f);
  }
}

inline std::vector<Level> block_forward(const SubbandLayout& layout, const Grid& x,
                                        std::span<const SubbandQuantiser> quantisers) {
  const TransformKind kind = layout.transform.kind;
  const int n = 1 << layout.transform.scales;
  std::vector<Level> levels(layout.num_coefficients);
  Grid dc(x.rows / n, x.cols / n);
  for (int y0 = 0; y0 < dc.rows; ++y0) {
    for (int x0 = 0; x0 < dc.cols; ++x0) {
      Grid block(n, n);
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) block.at(r, c) = x.at(y0 * n + r, x0 * n + c);
      }
      forward_block(kind, block);
      dc.at(y0, x0) = block.at(0, 0);
      for_frequencies(layout, false, [&](size_t i, const Subband& s, Frequency f) {
        levels[s.offset + static_cast<size_t>(y0 * s.cols + x0)] =
            FrequencyQuantiser{kind, f.row, f.col, quantisers[i]}.level(block.at(f.row, f.col));
      });
    }
  }
  if (kind != TransformKind::kH264_4x4) return levels;
  const Extent m = {1 << layout.dc_row_log2, 1 << layout.dc_col_log2};
  for (int y0 = 0; y0 < dc.rows / m.rows; ++y0) {
    for (int x0 = 0; x0 < dc.cols / m.cols; ++x0) {
      Grid part(m.rows, m.cols);
      for (int r = 0; r < m.rows; ++r) {
        for (int c = 0; c < m.cols; ++c) part.at(r, c) = dc.at(y0 * m.rows + r, x0 * m.cols + c);
      }
      const Grid y = dc_transform(part);
      for_frequencies(layout, true, [&](size_t i, const Subband& s, Frequency f) {
        const int64_t v = y.at(f.row, f.col);
        const SubbandQuantiser& q = quantisers[i];
        const int qp = m.rows * m.cols == 8 ? q.qp + 3 : q.qp;
        levels[s.offset + static_cast<size_t>(y0 * s.cols + x0)] =
            quantised(m.rows * m.cols == 16 ? floor_shift(v + 1, 1) : v, h264_tables(false, qp % 6, 0, 0)[1],
                      q.rounding_offset, 16 + qp / 6);
      });
    }
  }
  return levels;
}

/// Rounded samples at resolution 2^-reduction: means of samples at full resolution, with missing subbands 0.
inline Grid block_inverse(const SubbandLayout& layout, const std::vector<Level>& levels,
                          std::span<const SubbandQuantiser> quantisers, int reduction) {
  const TransformKind kind = layout.transform.kind;
  const int n = 1 << layout.transform.scales;
  const auto level_at = [&](const Subband& s, int r, int c) {
    return levels[s.offset + static_cast<size_t>(r * s.cols + c)];
  };
  Grid dc(layout.padded.rows / n, layout.padded.cols / n);
  const Extent m = {1 << layout.dc_row_log2, 1 << layout.dc_col_log2};
  for (int y0 = 0; kind == TransformKind::kH264_4x4 && y0 < dc.rows / m.rows; ++y0) {
    for (int x0 = 0; x0 < dc.cols / m.cols; ++x0) {
      Grid part(m.rows, m.cols);
      for_frequencies(layout, true, [&](size_t, const Subband& s, Frequency f) {
        part.at(f.row, f.col) = level_at(s, y0, x0);
      });
      const Grid f = dc_transform(part);
      const int count = m.rows * m.cols;
      const int qp = count == 8 ? quantisers[0].qp + 3 : quantisers[0].qp;
      const int64_t scale = 16 * h264_tables(false, qp % 6, 0, 0)[0];
      for (int r = 0; r < m.rows; ++r) {
        for (int c = 0; c < m.cols; ++c) {
          int64_t v = f.at(r, c) * scale;
          if (count == 4) {  // 8-330
            v = floor_shift(v * (int64_t{1} << (qp / 6)), 5);
          } else if (qp >= 36) {  // 8-320, 8-326
            v *= int64_t{1} << (qp / 6 - 6);
          } else {
            v = floor_shift(v + (int64_t{1} << (5 - qp / 6)), 6 - qp / 6);
          }
          dc.at(y0 * m.rows + r, x0 * m.cols + c) = limited(v);
        }
      }
    }
  }
  Grid out(layout.padded.rows >> reduction, layout.padded.cols >> reduction);
  for (int y0 = 0; y0 < dc.rows; ++y0) {
    for (int x0 = 0; x0 < dc.cols; ++x0) {
      Grid block(n, n);
      for_frequencies(layout, false, [&](size_t i, const Subband& s, Frequency f) {
        if (s.layer >= layout.layers - reduction) return;
        block.at(f.row, f.col) =
            FrequencyQuantiser{kind, f.row, f.col, quantisers[i]}.scaled(level_at(s, y0, x0));
      });
      if (kind == TransformKind::kH264_4x4) block.at(0, 0) = dc.at(y0, x0);
      inverse_block(kind, block);
      const int side = n >> reduction;
      for (int r = 0; r < side; ++r) {
        for (int c = 0; c < side; ++c) {
          int64_t sum = 0;
          for (int i = 0; i < 1 << reduction; ++i) {
            for (int j = 0; j < 1 << reduction; ++j)
              sum += block.at((r << reduction) + i, (c << reduction) + j);
          }
          out.at(y0 * side + r, x0 * side + c) =
              floor_shift(sum + (int64_t{32} << (2 * reduction)), 6 + 2 * reduction);
        }
      }
    }
  }
  return out;
}

}  // namespace ctv::reference
