// SPDX-License-Identifier: BSD-3-Clause
// A grid of integers for transforms written from their definitions: 64 bits wide, stores wrapped to 16 bits.
#pragma once

#include <cstdint>
#include <vector>

namespace ctv::reference {

struct Grid {
  int rows = 0;
  int cols = 0;
  std::vector<int64_t> values;

  Grid() = default;
  Grid(int r, int c) : rows(r), cols(c), values(static_cast<size_t>(r) * static_cast<size_t>(c)) {}
  int64_t& at(int r, int c) {
    return values[static_cast<size_t>(r) * static_cast<size_t>(cols) + static_cast<size_t>(c)];
  }
  int64_t at(int r, int c) const {
    return values[static_cast<size_t>(r) * static_cast<size_t>(cols) + static_cast<size_t>(c)];
  }
};

inline int64_t wrap16(int64_t v) { return static_cast<int16_t>(static_cast<uint64_t>(v)); }
inline int64_t wrap32(int64_t v) { return static_cast<int32_t>(static_cast<uint64_t>(v)); }

/// floor(v / 2^shift)
inline int64_t floor_shift(int64_t v, int shift) {
  const int64_t d = int64_t{1} << shift;
  return v >= 0 ? v / d : -((-v + d - 1) / d);
}

/// Whole-sample symmetric extension, ... 2 1 [0 1 ... n-1] n-2 n-3 ..., step by step.
inline int reflect(int i, int n) {
  while (i < 0 || i >= n) {
    if (n == 1) return 0;
    i = i < 0 ? -i : 2 * (n - 1) - i;
  }
  return i;
}

inline int modulo(int i, int n) { return (i % n + n) % n; }

}  // namespace ctv::reference
