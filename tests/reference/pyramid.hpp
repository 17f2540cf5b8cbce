// SPDX-License-Identifier: BSD-3-Clause
// The pyramids by definition: lifting on whole pictures, Laplacian filters as two-dimensional sums over all
// taps.
#pragma once

#include <array>
#include <cstdlib>

#include "codec/format/transform_parameters.hpp"
#include "tests/reference/grid.hpp"

namespace ctv::reference {

/// A step of the 5/3 on all odd (parity 1) or even (0) positions of each row: adds, with a sign, the rounded
/// sum of the nearest neighbours.
inline void lift_rows(Grid& x, int parity, int sign) {
  for (int r = 0; r < x.rows; ++r) {
    for (int c = parity; c < x.cols; c += 2) {
      const int64_t sum = x.at(r, reflect(c - 1, x.cols)) + x.at(r, reflect(c + 1, x.cols));
      const int64_t added = parity == 1 ? -floor_shift(sum, 1) : floor_shift(sum + 2, 2);
      x.at(r, c) = wrap16(x.at(r, c) + sign * added);
    }
  }
}

/// A step of the 9/7: the nearest neighbours' sum times factor / 2^shift, rounded.
inline void lift_rows(Grid& x, int64_t factor, int shift, int parity, int sign) {
  for (int r = 0; r < x.rows; ++r) {
    for (int c = parity; c < x.cols; c += 2) {
      const int64_t sum = x.at(r, reflect(c - 1, x.cols)) + x.at(r, reflect(c + 1, x.cols));
      x.at(r, c) = wrap16(x.at(r, c) + sign * floor_shift(factor * sum + (int64_t{1} << (shift - 1)), shift));
    }
  }
}

/// All steps of a row, forward or inverse.
inline void lift_all(Grid& x, Pyramid kind, bool inverse) {
  if (kind == Pyramid::kWavelet5_3) {
    lift_rows(x, inverse ? 0 : 1, inverse ? -1 : 1);
    lift_rows(x, inverse ? 1 : 0, inverse ? -1 : 1);
    return;
  }
  constexpr int64_t kFactors[] = {-203, -217, 113, 1817};
  for (int i = 0; i < 4; ++i) {
    const int step = inverse ? 3 - i : i;
    lift_rows(x, kFactors[step], step % 2 == 0 ? 7 : 12, step % 2 == 0 ? 1 : 0, inverse ? -1 : 1);
  }
}

inline Grid transposed(const Grid& x) {
  Grid y(x.cols, x.rows);
  for (int r = 0; r < x.rows; ++r) {
    for (int c = 0; c < x.cols; ++c) y.at(c, r) = x.at(r, c);
  }
  return y;
}

/// A lifted picture to lowpass, HL, LH, HH, and back.
inline std::array<Grid, 4> deinterleaved(const Grid& x) {
  std::array<Grid, 4> bands;
  for (int o = 0; o < 4; ++o) {
    Grid& b = bands[static_cast<size_t>(o)] = Grid(x.rows / 2, x.cols / 2);
    for (int r = 0; r < b.rows; ++r) {
      for (int c = 0; c < b.cols; ++c) b.at(r, c) = x.at(2 * r + (o >> 1), 2 * c + (o & 1));
    }
  }
  return bands;
}

inline Grid interleaved(const std::array<Grid, 4>& bands) {
  Grid x(bands[0].rows * 2, bands[0].cols * 2);
  for (int o = 0; o < 4; ++o) {
    const Grid& b = bands[static_cast<size_t>(o)];
    for (int r = 0; r < b.rows; ++r) {
      for (int c = 0; c < b.cols; ++c) x.at(2 * r + (o >> 1), 2 * c + (o & 1)) = b.at(r, c);
    }
  }
  return x;
}

/// x to lowpass, HL, LH, HH.
inline std::array<Grid, 4> wavelet_forward(Grid x, Pyramid kind) {
  for (int pass = 0; pass < 2; ++pass) {
    lift_all(x, kind, false);
    x = transposed(x);
  }
  return deinterleaved(x);
}

inline Grid wavelet_inverse(const std::array<Grid, 4>& bands, Pyramid kind) {
  Grid x = interleaved(bands);
  for (int pass = 0; pass < 2; ++pass) {
    x = transposed(x);
    lift_all(x, kind, true);
  }
  return x;
}

template <size_t N>
int64_t filtered_at(const Grid& x, int r, int c, const std::array<int64_t, N>& half) {
  const int reach = static_cast<int>(N) - 1;
  int64_t sum = 0;
  for (int i = -reach; i <= reach; ++i) {
    for (int j = -reach; j <= reach; ++j) {
      sum += half[static_cast<size_t>(std::abs(i))] * half[static_cast<size_t>(std::abs(j))] *
             x.at(reflect(r + i, x.rows), reflect(c + j, x.cols));
    }
  }
  return floor_shift(wrap32(wrap32(sum) + 32768), 16);
}

inline constexpr std::array<int64_t, 5> kLowpass = {154, 68, -20, -4, 7};
inline constexpr std::array<int64_t, 4> kInterpolation = {286, 151, -15, -23};

inline Grid laplacian_lowpass(const Grid& x) {
  Grid low(x.rows / 2, x.cols / 2);
  for (int r = 0; r < low.rows; ++r) {
    for (int c = 0; c < low.cols; ++c) low.at(r, c) = wrap16(filtered_at(x, 2 * r, 2 * c, kLowpass));
  }
  return low;
}

/// x + sign * interpolated low
inline Grid add_interpolated(const Grid& x, const Grid& low, int sign) {
  Grid spread(x.rows, x.cols);
  for (int r = 0; r < low.rows; ++r) {
    for (int c = 0; c < low.cols; ++c) spread.at(2 * r, 2 * c) = low.at(r, c);
  }
  Grid y = x;
  for (int r = 0; r < x.rows; ++r) {
    for (int c = 0; c < x.cols; ++c) {
      y.at(r, c) = wrap16(x.at(r, c) + sign * filtered_at(spread, r, c, kInterpolation));
    }
  }
  return y;
}

inline Grid laplacian_inverse(const Grid& band, Grid low, bool projection) {
  if (projection) {
    const Grid correction = laplacian_lowpass(band);
    for (size_t i = 0; i < low.values.size(); ++i)
      low.values[i] = wrap16(low.values[i] - wrap32(correction.values[i]));
  }
  return add_interpolated(band, low, 1);
}

}  // namespace ctv::reference
