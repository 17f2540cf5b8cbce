// SPDX-License-Identifier: BSD-3-Clause
// Which cells are skipped, by definition: Hadamard transforms as sums of products, one coefficient at a time.
#pragma once

#include <bit>

#include "codec/control/skip_decisions.hpp"
#include "codec/control/skip_squares.hpp"
#include "tests/reference/motion.hpp"

namespace ctv::reference {

/// A plane of both pictures, and how it is subsampled.
struct SkipPlane {
  SampleAt source, reference;
  ChromaShift shift;
  int depth_shift = 0;  // bits of a sample beyond 8

  /// The prediction of a sample as compensation has it.
  int exact(int row, int col, MotionVector v) const {
    return predict(reference, row, col, v, shift.y, shift.x, depth_shift);
  }
  /// Between four samples, as 8 bits.
  int between(int row, int col, MotionVector v) const {
    const auto [r, fy] = Position(row, v.y, shift.y);
    const Position x(col, v.x, shift.x);
    const auto along = [&](int64_t y) {
      return floor_div((8 - x.eighth) * reference(y, x.sample) + x.eighth * reference(y, x.sample + 1),
                       1 << depth_shift);
    };
    return static_cast<int>(floor_div((8 - fy) * along(r) + fy * along(r + 1) + 32, 64));
  }
  /// The plane with a source of 8 bits.
  SkipPlane with_bytes() const {
    SkipPlane p = *this;
    const SampleAt deep = source;
    const int bits = depth_shift;
    p.source = [=](int64_t r, int64_t c) {
      return static_cast<int>(floor_div(deep(r, c) + (1 << bits) / 2, 1 << bits));
    };
    return p;
  }
};
using Prediction = std::function<int(int row, int col, MotionVector v)>;

/// Sums of the cell at (row, col), predicted with v, and 64 times its squared error.
inline SkipSums cell_sums(const SkipPlane& p, const Prediction& prediction, const SkipPrices& prices, int row,
                          int col, MotionVector v, uint64_t& squares) {
  const int rows = 8 >> p.shift.y;
  const int cols = 8 >> p.shift.x;
  const int n = std::min(rows, cols);
  SkipSums sums;
  for (int top = row * rows; top < (row + 1) * rows; top += n) {
    for (int left = col * cols; left < (col + 1) * cols; left += n) {
      std::vector<int> d;
      for (int k = 0; k < n * n; ++k) {
        const int r = top + k / n;
        const int c = left + k % n;
        d.push_back(std::clamp(p.source(r, c) - prediction(r, c, v), -511, 511));
        squares += static_cast<uint64_t>(64 * d.back() * d.back());
      }
      for (int i = 0; i < n * n; ++i) {
        int coefficient = 0;
        for (int k = 0; k < n * n; ++k) {
          const int product = d[static_cast<size_t>(k)];
          coefficient += std::popcount(static_cast<unsigned>(i & k)) % 2 == 0 ? product : -product;
        }
        const int magnitude = std::abs(coefficient) * 8 / n;
        if (magnitude <= prices.dead) sums.lost += static_cast<uint64_t>(magnitude * magnitude);
        if (magnitude > prices.dead) ++sums.coded;
        for (int k = 0; k < kSkipOctaves; ++k) sums.octaves += magnitude > prices.first << k ? 1U : 0U;
      }
    }
  }
  return sums;
}

/// [grid.rows][grid.cols]
inline std::vector<uint8_t> find_still(const std::vector<SkipPlane>& planes, const MotionGrid& grid,
                                       uint32_t base_step) {
  SkipPrices prices = skip_prices(base_step << planes[0].depth_shift);
  prices.dead = prices.still;
  std::vector<uint8_t> still(grid.size());
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.cols; ++c) {
      uint32_t coded = 0;
      uint64_t unused = 0;
      for (const SkipPlane& p : planes) {
        const auto exact = [&](int row, int col, MotionVector v) { return p.exact(row, col, v); };
        for (int k = 0; k < kSkipCells; ++k)
          coded += cell_sums(p, exact, prices, (r & ~1) + k / 2, (c & ~1) + k % 2, {}, unused).coded;
      }
      still[static_cast<size_t>(r * grid.cols + c)] = coded == 0 ? 1 : 0;
    }
  }
  return still;
}

/// halves: of luma as 8 bits. vectors: those that the search found, changed where they are not used.
inline std::vector<uint8_t> decide_skips(const std::vector<SkipPlane>& deep, const HalfSamples& halves,
                                         const MotionGrid& grid, uint32_t base_step,
                                         const std::vector<uint8_t>& still,
                                         std::vector<MotionVector>& vectors) {
  const SkipPrices prices = skip_prices(base_step);
  std::vector<SkipPlane> planes;
  for (const SkipPlane& p : deep) planes.push_back(p.with_bytes());
  planes[0].source = as_bytes(deep[0].source, deep[0].depth_shift);
  const std::vector<MotionVector> searched = vectors;
  std::vector<uint8_t> skips(grid.size());
  const auto at = [&](int r, int c) { return static_cast<size_t>(r * grid.cols + c); };
  for (int row = 0; row < grid.rows; row += 2) {
    for (int col = 0; col < grid.cols; col += 2) {
      SkipCosts costs[kSkipCells];
      SkipChoice choices[kSkipCells] = {};
      for (int k = 0; k < kSkipCells; ++k) {
        const int r = row + k / 2;
        const int c = col + k % 2;
        if (r >= grid.rows || c >= grid.cols) continue;
        SkipSums sums;
        const MotionVector v = searched[at(r, c)];
        for (const SkipPlane& p : planes) {
          const auto prediction = [&](int y, int x, MotionVector moved) {
            return &p == planes.data() ? moved_sample(halves, y, x, moved) : p.between(y, x, moved);
          };
          const SkipSums own = cell_sums(p, prediction, prices, r, c, v, costs[k].own);
          sums.lost += own.lost;
          sums.coded += own.coded;
          sums.octaves += own.octaves;
          cell_sums(p, prediction, prices, r, c, {}, costs[k].zero);
        }
        costs[k].code = coded_cost(prices, sums, v);
      }
      if (still[at(row, col)] == 0) choose_skips(prices, costs, choices);
      for (int k = 0; k < kSkipCells; ++k) {
        const int r = row + k / 2;
        const int c = col + k % 2;
        if (r >= grid.rows || c >= grid.cols) continue;
        if (choices[k] == SkipChoice::kZero) vectors[at(r, c)] = {};
        skips[at(r, c)] = choices[k] == SkipChoice::kCode ? 0 : 1;
      }
    }
  }
  return skips;
}

/// What one plane of a cell adds to the squared error of its unit.
inline uint64_t squared_error(const SkipPlane& p, int row, int col) {
  const int rows = 8 >> p.shift.y;
  const int cols = 8 >> p.shift.x;
  uint64_t sum = 0;
  for (int r = row * rows; r < (row + 1) * rows; ++r) {
    for (int c = col * cols; c < (col + 1) * cols; ++c) {
      const int d = p.source(r, c) - p.reference(r, c);
      sum += static_cast<uint64_t>(d * d);
    }
  }
  return sum;
}

/// vectors: empty for still units.
inline std::vector<uint8_t> skip_by_ssd(const std::vector<SkipPlane>& planes, const MotionGrid& grid,
                                        uint32_t base_step, const std::vector<MotionVector>& vectors) {
  const uint64_t step = uint64_t{base_step} << planes[0].depth_shift;
  std::vector<uint8_t> close;
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.cols; ++c) {
      uint64_t error = 0;
      for (const SkipPlane& p : planes) {
        for (int k = 0; k < kSkipCells; ++k) error += squared_error(p, (r & ~1) + k / 2, (c & ~1) + k % 2);
      }
      const size_t first = static_cast<size_t>((r & ~1) * grid.cols + (c & ~1));
      const uint64_t squares = vectors.empty() ? 3 : (vectors[first] == MotionVector{} ? 27 : 10);
      close.push_back(256 * error <= squares * step * step ? 1 : 0);
    }
  }
  return close;
}

/// What squares of skipped cells get by the error of luma, level after level. Squares look at the vectors of
/// the level before in their root, and at those that came in around it.
inline void merge_by_luma(const SkipPlane& luma, const MotionGrid& grid, uint32_t base_step,
                          const std::vector<uint8_t>& skips, std::vector<MotionVector>& vectors) {
  const SkipPrices prices = skip_prices(base_step << luma.depth_shift);
  const std::vector<MotionVector> first = vectors;
  for (int level = 1; level <= kRootLevel; ++level) {
    const int side = 1 << level;
    const int half = side / 2;
    const std::vector<MotionVector> before = vectors;
    for (int row = 0; row + side <= grid.rows; row += side) {
      for (int col = 0; col + side <= grid.cols; col += side) {
        const auto vector_at = [&](int r, int c) {
          if (r < 0 || c < 0 || r >= grid.rows || c >= grid.cols) return MotionVector{};
          const bool inside = r >> kRootLevel == row >> kRootLevel && c >> kRootLevel == col >> kRootLevel;
          return (inside ? before : first)[static_cast<size_t>(r * grid.cols + c)];
        };
        SkipSquare square{};
        for (int k = 0; k < kQuarters; ++k)
          square.vectors[k] = vector_at(row + k / 2 * half, col + k % 2 * half);
        square.vectors[4] = vector_at(row + half, col - 1);
        square.vectors[5] = vector_at(row - 1, col + half);
        square.vectors[6] = vector_at(row + half, col + side);
        square.vectors[7] = vector_at(row + side, col + half);
        std::vector<size_t> cells;
        bool skipped = true;
        for (int i = 0; i < side * side; ++i) {
          const int r = i / side;
          const int c = i % side;
          cells.push_back(static_cast<size_t>((row + r) * grid.cols + col + c));
          skipped = skipped && skips[cells.back()] != 0;
          const int quarter = 2 * (r / half) + c / half;
          if (before[cells.back()] != square.vectors[quarter]) square.mixed |= 1U << quarter;
        }
        if (!skipped || square.own_bits() == kLeafBits) continue;
        const auto exact = [&](int y, int x, MotionVector v) { return luma.exact(y, x, v); };
        // vector: null for the cells' own
        const auto cost = [&](const MotionVector* vector, uint32_t bits) {
          uint64_t sum = 0;  // 64ths
          for (const size_t cell : cells) {
            cell_sums(luma, exact, prices, static_cast<int>(cell) / grid.cols,
                      static_cast<int>(cell) % grid.cols, vector == nullptr ? before[cell] : *vector, sum);
          }
          return skip_square_cost(prices, sum / 64, bits);
        };
        uint64_t least = cost(nullptr, square.own_bits());
        for (const MotionVector v : square.vectors) {
          const uint64_t other = cost(&v, square.leaf_bits(v));
          if (other >= least) continue;
          least = other;
          for (const size_t cell : cells) vectors[cell] = v;
        }
      }
    }
  }
}

/// Squares of skipped cells that get one vector (codec/control/skip_squares.hpp). Returns how many cells took
/// their own back.
inline int merge_skip_vectors(const std::vector<SkipPlane>& planes, const MotionGrid& grid,
                              uint32_t base_step, const std::vector<uint8_t>& skips,
                              std::vector<MotionVector>& vectors) {
  const std::vector<MotionVector> first = vectors;
  merge_by_luma(planes[0], grid, base_step, skips, vectors);
  int taken_back = 0;
  for (size_t cell = 0; cell < vectors.size(); ++cell) {
    if (vectors[cell] == first[cell]) continue;
    const auto error = [&](MotionVector v) {
      uint64_t sum = 0;  // 64ths
      for (size_t p = 1; p < planes.size(); ++p) {
        const SkipPlane bytes = planes[p].with_bytes();
        const auto between = [&](int y, int x, MotionVector moved) { return bytes.between(y, x, moved); };
        cell_sums(bytes, between, {}, static_cast<int>(cell) / grid.cols, static_cast<int>(cell) % grid.cols,
                  v, sum);
      }
      return sum;
    };
    const uint64_t step = base_step;
    if (4 * error(vectors[cell]) <= 4 * error(first[cell]) + step * step) continue;
    vectors[cell] = first[cell];
    ++taken_back;
  }
  return taken_back;
}

}  // namespace ctv::reference
