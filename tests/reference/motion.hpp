// SPDX-License-Identifier: BSD-3-Clause
// Motion search and compensation by definition: sample by sample, every position clamped, every tap
// multiplied.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "codec/backend/motion_estimator.hpp"
#include "codec/control/motion_decisions.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/subband_layout.hpp"

namespace ctv::reference {

/// Sample (row, col) of a plane, at any position.
using SampleAt = std::function<int(int64_t row, int64_t col)>;

inline SampleAt clamped(const std::function<int(int, int)>& at, int rows, int cols) {
  return [=](int64_t r, int64_t c) {
    return at(static_cast<int>(std::clamp<int64_t>(r, 0, rows - 1)),
              static_cast<int>(std::clamp<int64_t>(c, 0, cols - 1)));
  };
}

inline int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// The prediction of one sample with vector v, on a plane subsampled by 2^row_shift, 2^col_shift.
inline int predict(const SampleAt& reference, int row, int col, MotionVector v, int row_shift,
                   int col_shift) {
  const int64_t row_unit = int64_t{kVectorUnit} << row_shift;  // steps of a vector in a sample
  const int64_t col_unit = int64_t{kVectorUnit} << col_shift;
  const int64_t y = row * row_unit + v.y;
  const int64_t x = col * col_unit + v.x;
  const int64_t r = floor_div(y, row_unit);
  const int64_t c = floor_div(x, col_unit);
  const int fy = static_cast<int>((y - r * row_unit) * 8 / row_unit);
  const int fx = static_cast<int>((x - c * col_unit) * 8 / col_unit);
  int64_t sum = 0;
  for (int i = 0; i < kInterpolationTaps; ++i) {
    for (int j = 0; j < kInterpolationTaps; ++j) {
      sum += int64_t{interpolation_weight(fy, i)} * interpolation_weight(fx, j) *
             reference(r + i - kInterpolationBefore, c + j - kInterpolationBefore);
    }
  }
  return static_cast<int>(floor_div(sum + 2048, 4096));
}

/// Blocks and their weights (sum 32) at a sample along one axis.
struct Pair {
  int block[2];
  int weight[2];
};
inline Pair blocks_at(int sample, int shift, int log2_block, int count, bool overlap) {
  const int own = static_cast<int>((int64_t{sample} << shift) >> log2_block);
  const auto limited = [&](int b) { return std::clamp(b, 0, count - 1); };
  const int size = (1 << log2_block) >> shift;
  if (!overlap || size <= 1) return {{limited(own), limited(own)}, {32, 0}};
  const int log2_size = log2_block - shift;
  const int d = sample - own * size;
  if (d < size / 2) {
    const int w = overlap_weight(log2_size, d + size / 2);
    return {{limited(own - 1), limited(own)}, {32 - w, w}};
  }
  const int w = overlap_weight(log2_size, d - size / 2);
  return {{limited(own), limited(own + 1)}, {32 - w, w}};
}

/// skips: [cells], empty if none is skipped.
inline int compensated(const SampleAt& reference, const std::vector<MotionVector>& vectors,
                       const std::vector<uint8_t>& skips, const CompensationGeometry& g, int row, int col) {
  const MotionGrid& grid = g.grid;
  const Pair own_y = blocks_at(row, g.row_shift, grid.log2_block, grid.rows, false);
  const Pair own_x = blocks_at(col, g.col_shift, grid.log2_block, grid.cols, false);
  const bool skipped =
      !skips.empty() && skips[static_cast<size_t>(own_y.block[0] * grid.cols + own_x.block[0])] != 0;
  const bool overlap = g.overlap && !skipped;
  const Pair y = blocks_at(row, g.row_shift, grid.log2_block, grid.rows, overlap);
  const Pair x = blocks_at(col, g.col_shift, grid.log2_block, grid.cols, overlap);
  int64_t sum = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const MotionVector v = vectors[static_cast<size_t>(y.block[i] * grid.cols + x.block[j])];
      sum += int64_t{y.weight[i]} * x.weight[j] * predict(reference, row, col, v, g.row_shift, g.col_shift);
    }
  }
  return static_cast<int>(floor_div(sum + 512, 1024));
}

/// SAD of the block of `size` samples at (y, x).
inline uint32_t sad(const SampleAt& current, const SampleAt& reference, int y, int x, int size,
                    MotionVector v) {
  const bool whole = v.y % kVectorUnit == 0 && v.x % kVectorUnit == 0;
  uint32_t sum = 0;
  for (int r = y; r < y + size; ++r) {
    for (int c = x; c < x + size; ++c) {
      const int moved =
          whole ? reference(r + v.y / kVectorUnit, c + v.x / kVectorUnit) : predict(reference, r, c, v, 0, 0);
      sum += static_cast<uint32_t>(std::abs(current(r, c) - moved));
    }
  }
  return sum;
}

/// The vector of one block: full search, least cost, then least rank.
inline MotionVector search(const SampleAt& current, const SampleAt& reference, int block_row, int block_col,
                           const MotionParameters& p, uint32_t lambda) {
  const int size = 1 << p.log2_block;
  MotionVector best{};
  uint32_t best_cost = UINT32_MAX;
  uint32_t best_rank = 0;
  for (int y = -p.range; y <= p.range; ++y) {
    for (int x = -p.range; x <= p.range; ++x) {
      const MotionVector v{static_cast<int16_t>(kVectorUnit * y), static_cast<int16_t>(kVectorUnit * x)};
      const uint32_t c =
          motion_cost(sad(current, reference, block_row * size, block_col * size, size, v), lambda, v);
      const uint32_t rank = candidate_rank(y, x, p.range);
      if (c > best_cost || (c == best_cost && rank >= best_rank)) continue;
      best = v;
      best_cost = c;
      best_rank = rank;
    }
  }
  return best;
}

inline MotionVector difference(MotionVector a, MotionVector b) {
  return {static_cast<int16_t>(a.y - b.y), static_cast<int16_t>(a.x - b.x)};
}

/// The predictor of the vector of block (row, col).
inline MotionVector predicted(const std::vector<MotionVector>& vectors, const MotionGrid& blocks, int row,
                              int col) {
  const auto at = [&](int r, int c) {
    const bool inside = r >= 0 && c >= 0 && c < blocks.cols;
    return inside ? vectors[static_cast<size_t>(r * blocks.cols + c)] : MotionVector{};
  };
  const MotionVector three[] = {at(row, col - 1), at(row - 1, col), at(row - 1, col + 1)};
  if (row == 0) return three[0];
  std::vector<int16_t> y;
  std::vector<int16_t> x;
  for (const MotionVector v : three) {
    y.push_back(v.y);
    x.push_back(v.x);
  }
  std::sort(y.begin(), y.end());
  std::sort(x.begin(), x.end());
  return {y[1], x[1]};
}

/// Compares a whole vector with the eight neighbours' vectors, the predictor and zero.
inline MotionVector smooth(const SampleAt& current, const SampleAt& reference,
                           const std::vector<MotionVector>& vectors, const MotionGrid& blocks, int row,
                           int col, uint32_t lambda) {
  const int size = 1 << blocks.log2_block;
  const MotionVector origin = predicted(vectors, blocks, row, col);
  const auto cost = [&](MotionVector v) {
    return motion_cost(sad(current, reference, row * size, col * size, size, v), lambda,
                       difference(v, origin));
  };
  MotionVector best = vectors[static_cast<size_t>(row * blocks.cols + col)];
  std::vector<MotionVector> candidates;
  for (int r = row - 1; r <= row + 1; ++r) {
    for (int c = col - 1; c <= col + 1; ++c) {
      candidates.push_back(vectors[static_cast<size_t>(std::clamp(r, 0, blocks.rows - 1) * blocks.cols +
                                                       std::clamp(c, 0, blocks.cols - 1))]);
    }
  }
  candidates.push_back(origin);
  candidates.push_back({});
  for (const MotionVector v : candidates) {
    if (cost(v) < cost(best)) best = v;
  }
  return best;
}

/// Refines a whole vector: eight neighbours at halves, then quarters, then eighths.
inline MotionVector refine(const SampleAt& current, const SampleAt& reference,
                           const std::vector<MotionVector>& vectors, const MotionParameters& p, int row,
                           int col, uint32_t lambda) {
  const MotionGrid blocks = p.blocks_of(p.log2_block);
  const int size = 1 << blocks.log2_block;
  const MotionVector origin = predicted(vectors, blocks, row, col);
  const auto cost = [&](MotionVector v) {
    return motion_cost(sad(current, reference, row * size, col * size, size, v), lambda,
                       difference(v, origin));
  };
  MotionVector best = vectors[static_cast<size_t>(row * blocks.cols + col)];
  uint32_t best_cost = cost(best);
  for (int level = 1; level <= p.subpel; ++level) {
    const int step = kVectorUnit >> level;
    const MotionVector centre = best;
    for (int y = -step; y <= step; y += step) {
      for (int x = -step; x <= step; x += step) {
        const MotionVector v{static_cast<int16_t>(centre.y + y), static_cast<int16_t>(centre.x + x)};
        const uint32_t c = cost(v);
        if (c < best_cost) {
          best = v;
          best_cost = c;
        }
      }
    }
  }
  return best;
}

/// Vector of a quarter of a block, and its cost.
struct Quarter {
  MotionVector vector;
  uint32_t cost;
};
/// The best of `last` and the candidates. own: the block's vector, to which differences are coded.
inline Quarter search_quarter(const SampleAt& current, const SampleAt& reference, int y, int x, int size,
                              MotionVector own, const std::vector<MotionVector>& candidates, uint32_t lambda,
                              Quarter last = {{}, UINT32_MAX}) {
  for (const MotionVector v : candidates) {
    const uint32_t cost = motion_cost(sad(current, reference, y, x, size, v), lambda, difference(v, own));
    if (cost < last.cost) last = {v, cost};
  }
  return last;
}
inline std::vector<MotionVector> nearest_four(MotionVector v, int step) {
  const auto moved = [&](int y, int x) {
    return MotionVector{static_cast<int16_t>(v.y + y), static_cast<int16_t>(v.x + x)};
  };
  return {moved(-step, 0), moved(0, -step), moved(0, step), moved(step, 0)};
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

/// All vectors of a picture, [grid.rows][grid.cols]. Blocks are split where it reduces the cost. still: cells
/// of the grid, or empty. A block of still cells has the vector zero; one that is equal to its prediction
/// keeps its vector.
inline std::vector<MotionVector> search_all(const SampleAt& current, const SampleAt& reference,
                                            const MotionParameters& p, uint32_t lambda,
                                            const std::vector<uint8_t>& still) {
  const MotionGrid blocks = p.blocks_of(p.log2_block);
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
  const auto each = [&](const auto& vector_of) {
    std::vector<MotionVector> out;
    for (int r = 0; r < blocks.rows; ++r) {
      for (int c = 0; c < blocks.cols; ++c) out.push_back(vector_of(r, c));
    }
    return out;
  };
  std::vector<MotionVector> matched = each([&](int r, int c) {
    return is_still(r, c) ? MotionVector{} : search(current, reference, r, c, p, lambda);
  });
  const auto final = [&](int r, int c) {
    const MotionVector v = matched[static_cast<size_t>(r * blocks.cols + c)];
    return is_still(r, c) || sad(current, reference, r * size, c * size, size, v) == 0;
  };
  const auto improve = [&](const auto& pass) {
    matched = each([&](int r, int c) {
      return final(r, c) ? matched[static_cast<size_t>(r * blocks.cols + c)] : pass(r, c);
    });
  };
  if (lambda != 0)
    improve([&](int r, int c) { return smooth(current, reference, matched, blocks, r, c, lambda); });
  improve([&](int r, int c) { return refine(current, reference, matched, p, r, c, lambda); });
  if (p.split == 0) return spread(matched, blocks, p.grid);
  const auto at = [&](int r, int c) {
    return matched[static_cast<size_t>(std::clamp(r, 0, blocks.rows - 1) * blocks.cols +
                                       std::clamp(c, 0, blocks.cols - 1))];
  };
  const int half = size / 2;
  const MotionGrid halves{p.log2_block - 1, 2 * blocks.rows, 2 * blocks.cols};
  std::vector<MotionVector> split(halves.size());
  for (int r = 0; r < blocks.rows; ++r) {
    for (int c = 0; c < blocks.cols; ++c) {
      const uint32_t unsplit =
          is_still(r, c)
              ? 0
              : motion_cost(sad(current, reference, r * size, c * size, size, at(r, c)), lambda, {});
      const bool worth = lambda * kSplitBits * kSplitWorth < unsplit;
      Quarter quarters[4];
      uint32_t sum = 0;
      for (int k = 0; k < 4; ++k) {
        quarters[k] =
            search_quarter(current, reference, (2 * r + k / 2) * half, (2 * c + k % 2) * half, half, at(r, c),
                           {at(r, c), at(r, c + 2 * (k % 2) - 1), at(r + 2 * (k / 2) - 1, c)}, lambda);
        sum += quarters[k].cost;
      }
      for (int level = 1; level <= std::min(p.subpel, 2); ++level) {
        if (level > 1 && 2 * (uint64_t{unsplit} - sum) < uint64_t{lambda} * kSplitBits) break;
        sum = 0;
        for (int k = 0; k < 4; ++k) {
          quarters[k] = search_quarter(current, reference, (2 * r + k / 2) * half, (2 * c + k % 2) * half,
                                       half, at(r, c), nearest_four(quarters[k].vector, kVectorUnit >> level),
                                       lambda, quarters[k]);
          sum += quarters[k].cost;
        }
      }
      bool border = false;  // a neighbour's motion differs by more than a quarter of a sample
      for (const MotionVector v : {at(r - 1, c), at(r, c - 1), at(r, c + 1), at(r + 1, c)}) {
        const MotionVector d = difference(v, at(r, c));
        border = border || std::max(std::abs(d.y), std::abs(d.x)) > kVectorUnit / 4;
      }
      const bool pays = worth && border && uint64_t{lambda} * kSplitBits + sum < unsplit;
      for (int k = 0; k < 4; ++k) {
        split[static_cast<size_t>((2 * r + k / 2) * halves.cols + 2 * c + k % 2)] =
            pays ? quarters[k].vector : at(r, c);
      }
    }
  }
  return spread(split, halves, p.grid);
}

/// The previous frame's level that predicts level (row, col) of a subband.
inline Level moved_level(const Subband& s, ChromaShift chroma, const MotionGrid& grid,
                         const std::vector<MotionVector>& vectors, const Level* previous, int row, int col) {
  const int row_shift = s.row_shift + chroma.y;
  const int col_shift = s.col_shift + chroma.x;
  const int block_row = std::min((row << row_shift) >> grid.log2_block, grid.rows - 1);
  const int block_col = std::min((col << col_shift) >> grid.log2_block, grid.cols - 1);
  const MotionVector v = vectors[static_cast<size_t>(block_row * grid.cols + block_col)];
  const auto nearest = [](int component, int shift) {  // halves towards plus infinity
    return static_cast<int>(floor_div(2 * int64_t{component} + (int64_t{kVectorUnit} << shift),
                                      int64_t{2 * kVectorUnit} << shift));
  };
  const int r = std::clamp(row + nearest(v.y, row_shift), 0, s.rows - 1);
  const int c = std::clamp(col + nearest(v.x, col_shift), 0, s.cols - 1);
  return previous[s.offset + static_cast<size_t>(r) * static_cast<size_t>(s.cols) + static_cast<size_t>(c)];
}

}  // namespace ctv::reference
