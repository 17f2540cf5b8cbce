// SPDX-License-Identifier: BSD-3-Clause
// All vectors of a picture by definition: the full and the far search, and the passes over the field, block
// by block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "codec/backend/motion_estimator.hpp"
#include "codec/control/motion_decisions.hpp"
#include "tests/reference/motion.hpp"

namespace ctv::reference {

/// Vectors of a grid, and what each block cost without its vector.
struct Field {
  MotionGrid grid;
  std::vector<MotionVector> vectors;
  std::vector<uint32_t> costs;

  size_t index(int row, int col) const { return static_cast<size_t>(row * grid.cols + col); }
  MotionVector near(int row, int col) const {
    return vectors[index(std::clamp(row, 0, grid.rows - 1), std::clamp(col, 0, grid.cols - 1))];
  }
};

/// One pass for one block: the neighbours' vectors and zero, then steps.
inline void improve(const SampleAt& current, const HalfSamples& reference, const Field& before,
                    const MotionParameters& p, const FieldPass& pass, uint32_t lambda, int row, int col,
                    Field& after) {
  const int size = 1 << before.grid.log2_block;
  const MotionVector neighbours[] = {before.near(row, col - 1), before.near(row - 1, col),
                                     before.near(row, col + 1), before.near(row + 1, col)};
  const auto block_cost = [&](MotionVector v) {
    return 2 * uint64_t{hadamard(current, reference, row * size, col * size, size, v,
                                 pass.row_step(before.grid.log2_block))};
  };
  const auto cost = [&](MotionVector v) {
    uint64_t bits = 0;
    int distance = 1 << 20;
    for (const MotionVector n : neighbours) {
      bits += n == v ? 0 : pass.border_bits;
      distance = std::min(distance, std::abs(n.y - v.y) + std::abs(n.x - v.x));
    }
    bits += 2 * static_cast<uint64_t>(std::bit_width(static_cast<unsigned>(distance)));
    return block_cost(v) + lambda * bits;
  };
  MotionVector best = before.near(row, col);
  const auto offer = [&](MotionVector v) {
    if (cost(v) < cost(best)) best = v;
  };
  for (const MotionVector n : neighbours) offer(n);
  offer({});
  const bool steps = block_cost(best) > uint64_t{lambda} * pass.steps_worth;
  const int most = p.reach() * kVectorUnit + kVectorUnit / 2;
  for (int step = pass.first_step; steps && step >= kVectorUnit >> p.subpel; step /= 2) {
    const MotionVector centre = best;
    const int moves[4][2] = {{0, -step}, {-step, 0}, {0, step}, {step, 0}};
    for (const auto& move : moves) {
      offer({static_cast<int16_t>(std::clamp(centre.y + move[0], -most, most)),
             static_cast<int16_t>(std::clamp(centre.x + move[1], -most, most))});
    }
    if (pass.one_miss && best == centre) break;
  }
  after.vectors[after.index(row, col)] = best;
  after.costs[after.index(row, col)] = static_cast<uint32_t>(block_cost(best));
}

/// One vector for the square of 2x2 blocks at (row, col), if it costs less. before: vectors of the grid.
inline void unite(const SampleAt& current, const HalfSamples& reference, const Field& before, uint32_t lambda,
                  int row, int col, Field& after) {
  const int size = 1 << before.grid.log2_block;
  const auto in_square = [&](int r, int c) { return r / 2 == row / 2 && c / 2 == col / 2; };
  // The square's cost, its blocks with vectors of their own or all with *v.
  const auto cost = [&](const MotionVector* v) {
    uint64_t sum = 0;
    for (int k = 0; k < 4; ++k) {
      const int r = row + k / 2;
      const int c = col + k % 2;
      const MotionVector own = v != nullptr ? *v : before.near(r, c);
      int distance = 1 << 20;
      uint64_t bits = 0;
      for (const auto& [y, x] : {std::pair{r, c - 1}, {r - 1, c}, {r, c + 1}, {r + 1, c}}) {
        const int near_y = std::clamp(y, 0, before.grid.rows - 1);
        const int near_x = std::clamp(x, 0, before.grid.cols - 1);
        const MotionVector n = v != nullptr && in_square(near_y, near_x) ? *v : before.near(y, x);
        bits += n == own ? 0 : kSquareBorderBits;
        distance = std::min(distance, std::abs(n.y - own.y) + std::abs(n.x - own.x));
      }
      bits += 2 * static_cast<uint64_t>(std::bit_width(static_cast<unsigned>(distance)));
      sum += 2 * uint64_t{hadamard(current, reference, r * size, c * size, size, own)} + lambda * bits;
    }
    return sum;
  };
  uint64_t least = cost(nullptr);
  for (int k = 0; k < 4; ++k) {
    const MotionVector v = before.near(row + k / 2, col + k % 2);
    const uint64_t united = cost(&v);
    if (united >= least) continue;
    least = united;
    for (int b = 0; b < 4; ++b) {
      const int r = row + b / 2;
      const int c = col + b % 2;
      after.vectors[after.index(r, c)] = v;
      after.costs[after.index(r, c)] = 2 * hadamard(current, reference, r * size, c * size, size, v);
    }
  }
}

/// The vectors of blocks as those of a finer grid.
inline std::vector<MotionVector> spread(const std::vector<MotionVector>& vectors, const MotionGrid& blocks,
                                        const MotionGrid& grid) {
  const int side = 1 << (blocks.log2_block - grid.log2_block);
  std::vector<MotionVector> out;
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.cols; ++c)
      out.push_back(vectors[static_cast<size_t>(r / side * blocks.cols + c / side)]);
  }
  return out;
}

/// All vectors of a picture, [grid.rows][grid.cols]: the full search, passes over the blocks, and with split
/// over their cells. still: cells of the grid, or empty. A block of still cells has the vector zero. One that
/// is equal to its prediction keeps its vector, and so do the cells of one whose difference is small.
inline std::vector<MotionVector> search_all(const SampleAt& current, Extent current_extent,
                                            const SampleAt& reference, Extent reference_extent,
                                            const MotionParameters& p, uint32_t lambda,
                                            const std::vector<uint8_t>& still) {
  const int size = 1 << p.log2_block;
  const auto is_still = [&](int block_row, int block_col) {
    const int side = 1 << (p.log2_block - p.grid.log2_block);
    bool all = !still.empty();
    for (int r = block_row * side; r < std::min((block_row + 1) * side, p.grid.rows); ++r) {
      for (int c = block_col * side; c < std::min((block_col + 1) * side, p.grid.cols); ++c)
        all = all && still[static_cast<size_t>(r * p.grid.cols + c)] != 0;
    }
    return all;
  };
  Field blocks{p.blocks_of(p.log2_block), {}, {}};
  // The vectors of squares of 32x32 samples. A square of still blocks has none.
  const int per_square = 32 / size;
  const int square_cols = ceil_div(blocks.grid.cols, per_square);
  std::vector<MotionVector> far(
      p.far_range == 0 ? 0 : static_cast<size_t>(ceil_div(blocks.grid.rows, per_square) * square_cols));
  const SampleAt current_quarters = quartered(current, current_extent);
  const SampleAt reference_quarters = quartered(reference, reference_extent);
  for (size_t i = 0; i < far.size(); ++i) {
    const int row = static_cast<int>(i) / square_cols;
    const int col = static_cast<int>(i) % square_cols;
    bool all_still = true;
    for (int r = row * per_square; r < std::min((row + 1) * per_square, blocks.grid.rows); ++r) {
      for (int c = col * per_square; c < std::min((col + 1) * per_square, blocks.grid.cols); ++c)
        all_still = all_still && is_still(r, c);
    }
    if (all_still) continue;
    far[i] =
        search(current_quarters, reference_quarters, row, col, 8, {}, p.far_range / 4, lambda / 16, 4).vector;
  }
  const auto find = [&](int r, int c) {
    const Found near = search(current, reference, r, c, size, {}, p.range, lambda);
    if (far.empty()) return near.vector;
    const MotionVector v = far[static_cast<size_t>(r / per_square * square_cols + c / per_square)];
    const Found other = search(current, reference, r, c, size, v, kFarWindow, lambda);
    return other.cost < near.cost ? other.vector : near.vector;
  };
  for (int r = 0; r < blocks.grid.rows; ++r) {
    for (int c = 0; c < blocks.grid.cols; ++c) {
      const bool found = !is_still(r, c);
      const MotionVector v = found ? find(r, c) : MotionVector{};
      blocks.vectors.push_back(v);
      blocks.costs.push_back(found ? sad(current, reference, r * size, c * size, size, v) : 0);
    }
  }
  const HalfSamples halves(reference, blocks.grid.rows * size, blocks.grid.cols * size, p.reach() + 2);
  const auto improve_all = [&](const Field& before, const FieldPass& pass, const auto& keeps) {
    Field after = before;
    for (int r = 0; r < before.grid.rows; ++r) {
      for (int c = 0; c < before.grid.cols; ++c) {
        if (!keeps(before, r, c)) improve(current, halves, before, p, pass, lambda, r, c, after);
      }
    }
    if (!pass.squares || before.grid.log2_block >= kLog2LargestSquare) return after;
    const Field passed = after;
    for (int r = 0; r + 1 < before.grid.rows; r += 2) {
      for (int c = 0; c + 1 < before.grid.cols; c += 2) {
        bool all = true;
        for (int k = 0; k < 4; ++k) all = all && !keeps(passed, r + k / 2, c + k % 2);
        if (all) unite(current, halves, passed, lambda, r, c, after);
      }
    }
    return after;
  };
  const FieldPasses& passes = field_passes(p.effort);
  for (const FieldPass& pass : passes.blocks) {
    blocks =
        improve_all(blocks, pass, [](const Field& f, int r, int c) { return f.costs[f.index(r, c)] == 0; });
  }
  if (p.split == 0) return spread(blocks.vectors, blocks.grid, p.grid);
  const int side = size >> kLog2Cell;
  const MotionGrid fine{kLog2Cell, blocks.grid.rows * side, blocks.grid.cols * side};
  Field cells{fine, spread(blocks.vectors, blocks.grid, fine), std::vector<uint32_t>(fine.size())};
  for (const FieldPass& pass : passes.cells) {
    cells = improve_all(cells, pass, [&](const Field&, int r, int c) {
      return blocks.costs[blocks.index(r / side, c / side)] <= uint64_t{lambda} * kCellsWorth;
    });
  }
  return spread(cells.vectors, fine, p.grid);
}

}  // namespace ctv::reference
