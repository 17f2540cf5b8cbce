// SPDX-License-Identifier: BSD-3-Clause
// The directional filter bank by definition: lattices as matrices, the kernel as one sum over all pairs of
// taps.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "tests/reference/grid.hpp"

namespace ctv::reference {

struct Lattice {
  std::array<int, 4> m;  // rows of [b1 b2]: b1.r b2.r b1.c b2.c
  int r, c;              // offset
  bool contains(int y, int x) const {
    const int d = m[0] * m[3] - m[1] * m[2];
    const int u = m[3] * (y - r) - m[1] * (x - c);
    const int v = m[0] * (x - c) - m[2] * (y - r);
    return u % d == 0 && v % d == 0;
  }
};

struct LatticeSplit {
  Lattice coset0, coset1;
};

struct DirectionalTree {
  std::vector<LatticeSplit> splits;
  std::vector<Lattice> leaves;
};

inline std::array<int, 4> multiply(const std::array<int, 4>& a, const std::array<int, 4>& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
          a[2] * b[1] + a[3] * b[3]};
}

inline DirectionalTree directional_tree(int n) {
  struct Type {
    std::array<int, 4> d;
    int tr, tc;
  };
  const Type q1{{1, -1, 1, 1}, 0, 1};
  const Type q2{{1, 1, -1, 1}, 1, 0};
  const std::array<Type, 4> p{
      {{{2, 0, 1, 1}, 1, 1}, {{2, 0, -1, 1}, 1, 0}, {{1, 1, 0, 2}, 1, 1}, {{1, -1, 0, 2}, 0, 1}}};
  DirectionalTree tree;
  std::vector<Lattice> nodes = {{{1, 0, 0, 1}, 0, 0}};
  for (int depth = 1; depth <= n; ++depth) {
    std::vector<Lattice> next;
    for (size_t k = 0; k < nodes.size(); ++k) {
      const Type& type = depth == 1 ? q1 : depth == 2 ? q2 : p[k % 2 + (k < nodes.size() / 2 ? 0 : 2)];
      const Lattice& parent = nodes[k];
      const Lattice a{multiply(parent.m, type.d), parent.r, parent.c};
      const Lattice b{a.m, parent.r + parent.m[0] * type.tr + parent.m[1] * type.tc,
                      parent.c + parent.m[2] * type.tr + parent.m[3] * type.tc};
      tree.splits.push_back({a, b});
      next.push_back(depth == 1 ? a : b);
      next.push_back(depth == 1 ? b : a);
    }
    nodes = next;
  }
  tree.leaves = nodes;
  if (n > 1) {
    for (size_t i = nodes.size() / 2; i < nodes.size(); ++i)
      tree.leaves[i] = nodes[nodes.size() * 3 / 2 - 1 - i];
  }
  return tree;
}

inline std::vector<int> directional_taps(int taps) {
  return taps == 6 ? std::vector{40, 11, 4} : std::vector{40, 12, 6, 3, 2, 1};
}

/// target += sign * round(factor / 2^(shift) * K other), factor/2^shift being tan(pi/8) or sin(pi/4).
inline void shear(Grid& x, const Lattice& target, const std::vector<int>& a, int64_t factor, int shift,
                  int sign) {
  const Grid source = x;
  const int reach = 2 * static_cast<int>(a.size()) - 1;
  for (int y = 0; y < x.rows; ++y) {
    for (int c = 0; c < x.cols; ++c) {
      if (!target.contains(y, c)) continue;
      int64_t sum = 0;
      for (int i = -reach; i <= reach; i += 2) {
        for (int j = -reach; j <= reach; j += 2) {
          const int dr = (i * target.m[0] + j * target.m[1]) / 2;
          const int dc = (i * target.m[2] + j * target.m[3]) / 2;
          const int product =
              a[static_cast<size_t>(std::abs(i) / 2)] * a[static_cast<size_t>(std::abs(j) / 2)];
          sum += (i * j > 0 ? product : -product) * source.at(modulo(y + dr, x.rows), modulo(c + dc, x.cols));
        }
      }
      const int64_t filtered = floor_shift(sum + 32, 6);
      const int64_t step = floor_shift(filtered * factor + (int64_t{1} << (shift + 5)), shift + 6);
      x.at(y, c) = wrap16(x.at(y, c) + sign * step);
    }
  }
}

inline void directional(Grid& x, int n, int taps, bool inverse) {
  const std::vector<int> a = directional_taps(taps);
  std::vector<LatticeSplit> splits = directional_tree(n).splits;
  if (inverse) splits = {splits.rbegin(), splits.rend()};
  const int sign = inverse ? -1 : 1;
  for (const LatticeSplit& s : splits) {
    shear(x, s.coset0, a, 53, 7, -sign);
    shear(x, s.coset1, a, 181, 8, sign);
    shear(x, s.coset0, a, 53, 7, -sign);
  }
}

/// Positions of subband k in the band, row by row.
inline std::vector<std::pair<int, int>> subband_places(int rows, int cols, int n, int k) {
  const DirectionalTree tree = directional_tree(n);
  const Lattice& leaf = tree.leaves[static_cast<size_t>(k)];
  std::vector<std::pair<int, int>> places;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < cols; ++x) {
      if (leaf.contains(y, x)) places.emplace_back(y, x);
    }
  }
  return places;
}

}  // namespace ctv::reference
