// SPDX-License-Identifier: BSD-3-Clause
// Block transforms by their definition: matrices in double precision, products as they are written.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace ctv::reference {

/// A square matrix.
struct Matrix {
  int n = 0;
  std::vector<double> values;

  explicit Matrix(int size) : n(size), values(static_cast<size_t>(size) * static_cast<size_t>(size)) {}
  double& at(int r, int c) { return values[static_cast<size_t>(r * n + c)]; }
  double at(int r, int c) const { return values[static_cast<size_t>(r * n + c)]; }
};

inline Matrix product(const Matrix& a, const Matrix& b) {
  Matrix p(a.n);
  for (int r = 0; r < a.n; ++r) {
    for (int c = 0; c < a.n; ++c) {
      for (int k = 0; k < a.n; ++k) p.at(r, c) += a.at(r, k) * b.at(k, c);
    }
  }
  return p;
}

inline Matrix transposed(const Matrix& a) {
  Matrix t(a.n);
  for (int r = 0; r < a.n; ++r) {
    for (int c = 0; c < a.n; ++c) t.at(c, r) = a.at(r, c);
  }
  return t;
}

/// a x a^T.
inline Matrix both_sides(const Matrix& a, const Matrix& x) { return product(product(a, x), transposed(a)); }

/// The orthonormal DCT-II (Ahmed, Natarajan and Rao 1974).
inline Matrix dct_matrix(int n) {
  Matrix m(n);
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) {
      m.at(k, i) =
          std::sqrt((k == 0 ? 1.0 : 2.0) / n) * std::cos((2 * i + 1) * k * std::numbers::pi / (2 * n));
    }
  }
  return m;
}

/// H.264's forward core transform of 4 or 8 points, as published.
inline Matrix h264_matrix(int n) {
  Matrix m(n);
  if (n == 4) {
    m.values = {1, 1, 1, 1, 2, 1, -1, -2, 1, -1, -1, 1, 1, -2, 2, -1};
    return m;
  }
  m.values = {8,   8,  8,  8,  8,   8,  8, 8,  12, 10,  6,  3,  -3, -6, -10, -12, 8,  4,   -4, -8,  -8, -4,
              4,   8,  10, -3, -12, -6, 6, 12, 3,  -10, 8,  -8, -8, 8,  8,   -8,  -8, 8,   6,  -12, 3,  10,
              -10, -3, 12, -6, 4,   -8, 8, -4, -4, 8,   -8, 4,  3,  -6, 10,  -12, 12, -10, 6,  -3};
  for (double& v : m.values) v /= 8;
  return m;
}

/// Its inverse transform: columns are basis functions. 4 points: 1 1 1 1/2 in the first row and so on.
inline Matrix h264_inverse_matrix(int n) {
  if (n == 8) return transposed(h264_matrix(8));
  Matrix m(4);
  m.values = {1, 1, 1, 0.5, 1, 0.5, -1, -1, 1, -0.5, -1, 1, 1, -1, 1, -0.5};
  return m;
}

inline Matrix hadamard_matrix() {
  Matrix m(4);
  m.values = {1, 1, 1, 1, 1, 1, -1, -1, 1, -1, -1, 1, 1, -1, 1, -1};
  return m;
}

}  // namespace ctv::reference
