// SPDX-License-Identifier: BSD-3-Clause
// Directional lifting by definition: vertical steps of the 9/7 along slopes, sample by sample, then
// horizontal ones; bands with directions; and the search for both on whole pictures.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "codec/control/slope_decisions.hpp"
#include "codec/dsp/quantise.hpp"
#include "codec/format/slope_grid.hpp"
#include "tests/reference/directional.hpp"
#include "tests/reference/pyramid.hpp"

namespace ctv::reference {

/// The slopes of one scale; none: lifted without.
struct Slopes {
  int cols = 0;  // blocks of a row
  std::vector<int> blocks;
  int at(int row, int col) const {
    return blocks[static_cast<size_t>(row / 16) * static_cast<size_t>(cols) + static_cast<size_t>(col / 16)];
  }
};

/// Slopes of a scale, from an array of SlopeGrid, which may be empty.
inline Slopes slopes_of(const SubbandLayout& layout, std::span<const int8_t> array, int scale) {
  const SlopeGrid grid = make_slope_grid(layout);
  Slopes slopes;
  if (array.empty() || scale > grid.scales || array[static_cast<size_t>(scale - 1)] == 0) return slopes;
  const auto own = array.subspan(grid.offset(scale), grid.extent(scale).area());
  slopes.cols = grid.extent(scale).cols;
  slopes.blocks.assign(own.begin(), own.end());
  return slopes;
}

/// Log2 of the directions of a band without a directional bank of its own.
inline int directions_of(const SubbandLayout& layout, std::span<const int8_t> array, int scale,
                         int orientation) {
  if (array.empty() || !make_slope_grid(layout).directed || scale != 1) return 0;
  return orientation == 1 || orientation == 2 ? array[static_cast<size_t>(kSlopedScales + orientation - 1)]
                                              : 0;
}

/// The places of a band's samples in the order of its levels. With two directions, each row has those of
/// even row + column first. With four, even rows and even columns are first.
inline std::vector<std::pair<int, int>> directed_places(int rows, int cols, int n) {
  const auto sorted = [](int count, int by) {
    std::vector<int> order(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    if (by >= 0)
      std::stable_sort(order.begin(), order.end(),
                       [by](int a, int b) { return (a + by) % 2 < (b + by) % 2; });
    return order;
  };
  std::vector<std::pair<int, int>> places;
  for (const int r : sorted(rows, n == 2 ? 0 : -1)) {
    for (const int c : sorted(cols, n == 0 ? -1 : (n == 1 ? r % 2 : 0))) places.emplace_back(r, c);
  }
  return places;
}

inline int64_t at_half_column(const Grid& x, int r, int half_column) {
  constexpr std::array<int64_t, 6> kTaps = {1, -5, 20, 20, -5, 1};
  const auto column = static_cast<int>(floor_shift(half_column, 1));
  if (half_column == 2 * column) return x.at(r, reflect(column, x.cols));
  int64_t sum = 16;
  for (int k = 0; k < 6; ++k) sum += kTaps[static_cast<size_t>(k)] * x.at(r, reflect(column - 2 + k, x.cols));
  return wrap16(floor_shift(sum, 5));
}

inline void lift_along(Grid& x, const Slopes& slopes, bool inverse) {
  constexpr int64_t kFactors[] = {-203, -217, 113, 1817};
  for (int i = 0; i < 4; ++i) {
    const int step = inverse ? 3 - i : i;
    const int shift = step % 2 == 0 ? 7 : 12;
    for (int r = step % 2 == 0 ? 1 : 0; r < x.rows; r += 2) {
      for (int c = 0; c < x.cols; ++c) {
        constexpr std::array<int, kSlopeCount> kHalfColumns = {0, 1, -1, 2, -2, 4, -4, 6, -6, 10, -10};
        const int d = kHalfColumns[static_cast<size_t>(slopes.at(r, c))];
        const int64_t sum = at_half_column(x, reflect(r - 1, x.rows), 2 * c - d) +
                            at_half_column(x, reflect(r + 1, x.rows), 2 * c + d);
        const int64_t change = floor_shift(kFactors[step] * sum + (int64_t{1} << (shift - 1)), shift);
        x.at(r, c) = wrap16(x.at(r, c) + (inverse ? -change : change));
      }
    }
  }
}

/// As wavelet_forward() and wavelet_inverse() of the 9/7.
inline std::array<Grid, 4> slope_forward(Grid x, const Slopes& slopes) {
  lift_along(x, slopes, false);
  lift_all(x, Pyramid::kWavelet9_7, false);
  return deinterleaved(x);
}
inline Grid slope_inverse(const std::array<Grid, 4>& bands, const Slopes& slopes) {
  Grid x = interleaved(bands);
  lift_all(x, Pyramid::kWavelet9_7, true);
  lift_along(x, slopes, true);
  return x;
}

/// The cost of every block of a scale that is lifted with one slope.
inline std::vector<uint32_t> slope_costs(const Grid& x, int slope, const std::array<uint32_t, 3>& steps) {
  const int rows = (x.rows + 15) / 16;
  const int cols = (x.cols + 15) / 16;
  const Slopes uniform{cols, std::vector<int>(static_cast<size_t>(rows * cols), slope)};
  const std::array<Grid, 4> bands = slope_forward(x, uniform);
  std::vector<uint32_t> costs(static_cast<size_t>(rows * cols));
  for (size_t o = 1; o < 4; ++o) {
    const Grid& band = bands[o];
    for (int r = 0; r < band.rows; r += 4) {
      for (int c = 0; c < band.cols; c += 4) {
        uint32_t sum = 0;
        uint32_t n = 0;
        for (int i = r; i < std::min(r + 4, band.rows); ++i) {
          for (int k = c; k < std::min(c + 4, band.cols); ++k, ++n)
            sum += static_cast<uint32_t>(std::abs(band.at(i, k)));
        }
        costs[static_cast<size_t>(r / 8 * cols + c / 8)] +=
            slope_cell_cost(kLaplacianCost, sum, n, slope_scale(n, steps[o - 1]));
      }
    }
  }
  return costs;
}

/// Log2 of the directions that a search finds for a band.
inline int search_directions(const Grid& band, uint32_t step) {
  std::array<uint64_t, 3> costs{};
  for (int n = 0; n < 3; ++n) {
    Grid x = band;
    if (n > 0) directional(x, n, 6, false);
    const auto places = directed_places(x.rows, x.cols, n);
    const int rows = n < 2 ? x.rows : x.rows / 2;  // of a direction
    const int cols = n < 1 ? x.cols : x.cols / 2;
    for (int top = 0; top < x.rows; top += rows) {
      for (int left = 0; left < x.cols; left += cols) {
        for (int r = 0; r < rows; r += 4) {
          for (int c = 0; c < cols; c += 4) {
            uint32_t sum = 0;
            uint32_t count = 0;
            for (int i = r; i < std::min(r + 4, rows); ++i) {
              for (int k = c; k < std::min(c + 4, cols); ++k, ++count) {
                const auto [y, z] = places[static_cast<size_t>((top + i) * x.cols + left + k)];
                sum += static_cast<uint32_t>(std::abs(x.at(y, z)));
              }
            }
            costs[static_cast<size_t>(n)] +=
                slope_cell_cost(kLaplacianCost, sum, count, slope_scale(count, step));
          }
        }
      }
    }
  }
  return decide_directions(costs.data());
}

/// The slopes that a search finds. x: samples minus the DC offset, of the padded extent.
inline std::vector<int8_t> search_slopes(const SubbandLayout& layout, Grid x,
                                         std::span<const SubbandQuantiser> quantisers) {
  const SlopeGrid grid = make_slope_grid(layout);
  std::vector<int8_t> slopes(grid.size());
  for (int64_t& v : x.values) v = wrap16(v * (int64_t{1} << layout.transform.fraction_bits));
  for (int scale = 1; scale <= grid.scales; ++scale) {
    std::array<uint32_t, 3> steps{};
    for (size_t i = 0; i < layout.subbands.size(); ++i) {
      const Subband& s = layout.subbands[i];
      if (s.scale == scale && s.direction == 0)
        steps[static_cast<size_t>(s.orientation - 1)] = quantisers[i].step;
    }
    std::array<std::vector<uint32_t>, kSlopeCount> costs;
    for (int k = 0; k < kSlopeCount; ++k) costs[static_cast<size_t>(k)] = slope_costs(x, k, steps);
    const Extent blocks = grid.extent(scale);
    std::vector<int> field(blocks.area());
    for (int pass = 0; pass <= kSlopePasses; ++pass) {
      const std::vector<int> before = field;
      for (int r = 0; r < blocks.rows; ++r) {
        for (int c = 0; c < blocks.cols; ++c) {
          const auto place = [&](int row, int col) { return static_cast<size_t>(row * blocks.cols + col); };
          const auto near = [&](int row, int col) {
            return row < 0 || col < 0 || row >= blocks.rows || col >= blocks.cols ? 0
                                                                                  : before[place(row, col)];
          };
          field[place(r, c)] =
              decide_slope(pass, [&](int slope) { return costs[static_cast<size_t>(slope)][place(r, c)]; },
                           {{near(r, c - 1), near(r, c + 1), near(r - 1, c), near(r + 1, c)}});
        }
      }
    }
    uint64_t without = 0;
    uint64_t with = 0;
    for (size_t i = 0; i < field.size(); ++i) {
      without += costs[0][i];
      with += costs[static_cast<size_t>(field[i])][i];
    }
    const bool pays = slopes_pay(without, with);
    slopes[static_cast<size_t>(scale - 1)] = pays ? 1 : 0;
    for (size_t i = 0; pays && i < field.size(); ++i)
      slopes[grid.offset(scale) + i] = static_cast<int8_t>(field[i]);
    const std::array<Grid, 4> bands =
        pays ? slope_forward(x, slopes_of(layout, slopes, scale)) : wavelet_forward(x, Pyramid::kWavelet9_7);
    for (size_t b = 0; scale == 1 && grid.directed && b < 2; ++b)
      slopes[kSlopedScales + b] = static_cast<int8_t>(search_directions(bands[b + 1], steps[b]));
    x = bands[0];
  }
  return slopes;
}

}  // namespace ctv::reference
