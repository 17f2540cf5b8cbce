// SPDX-License-Identifier: BSD-3-Clause
// Motion search and compensation by definition: sample by sample, every position clamped, every tap
// multiplied.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
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

/// Where vector v points from a sample along one axis of a plane subsampled by 2^shift.
struct Position {
  int64_t sample;
  int eighth;

  Position(int from, int component, int shift) {
    const int64_t eighths = from * int64_t{kVectorUnit} +  // halves to even
                            static_cast<int64_t>(std::nearbyint(std::ldexp(component, -shift)));
    sample = floor_div(eighths, kVectorUnit);
    eighth = static_cast<int>(eighths - sample * kVectorUnit);
  }
};

/// The prediction of one sample with vector v, on a plane subsampled by 2^row_shift, 2^col_shift. shift: bits
/// of a sample beyond 8.
inline int predict(const SampleAt& reference, int row, int col, MotionVector v, int row_shift, int col_shift,
                   int shift) {
  const auto [r, fy] = Position(row, v.y, row_shift);
  const auto [c, fx] = Position(col, v.x, col_shift);
  int64_t sum = 0;
  for (int i = 0; i < kInterpolationTaps; ++i) {
    int64_t row_sum = 0;
    for (int j = 0; j < kInterpolationTaps; ++j) {
      row_sum += int64_t{interpolation_weight(fx, j)} *
                 reference(r + i - kInterpolationBefore, c + j - kInterpolationBefore);
    }
    sum += interpolation_weight(fy, i) * floor_div(row_sum, 1 << shift);
  }
  const auto value = static_cast<int>(floor_div(sum + (2048 >> shift), 4096 >> shift));
  return shift == 0 ? value : std::clamp(value, 0, (256 << shift) - 1);
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

/// still: [cells], empty if none is.
inline int compensated(const SampleAt& reference, const std::vector<MotionVector>& vectors,
                       const std::vector<uint8_t>& still, const CompensationGeometry& g, int row, int col) {
  const MotionGrid& grid = g.grid;
  const Pair own_y = blocks_at(row, g.row_shift, grid.log2_block, grid.rows, false);
  const Pair own_x = blocks_at(col, g.col_shift, grid.log2_block, grid.cols, false);
  const bool alone =
      !still.empty() && still[static_cast<size_t>(own_y.block[0] * grid.cols + own_x.block[0])] != 0;
  const bool overlap = g.overlap && !alone;
  const Pair y = blocks_at(row, g.row_shift, grid.log2_block, grid.rows, overlap);
  const Pair x = blocks_at(col, g.col_shift, grid.log2_block, grid.cols, overlap);
  int64_t sum = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const MotionVector v = vectors[static_cast<size_t>(y.block[i] * grid.cols + x.block[j])];
      sum += int64_t{y.weight[i]} * x.weight[j] *
             predict(reference, row, col, v, g.row_shift, g.col_shift, g.range.shift());
    }
  }
  return std::clamp(static_cast<int>(floor_div(sum + 512, 1024)), g.range.lo, g.range.hi);
}

/// The samples of a plane as 8 bits. shift: their bits beyond 8.
inline SampleAt as_bytes(SampleAt at, int shift) {
  return [=](int64_t r, int64_t c) {
    return std::clamp(static_cast<int>(floor_div(at(r, c) + (1 << shift) / 2, 1 << shift)), 0, 255);
  };
}

/// SAD of the block of `size` samples at (y, x). v: whole samples.
inline uint32_t sad(const SampleAt& current, const SampleAt& reference, int y, int x, int size,
                    MotionVector v) {
  uint32_t sum = 0;
  for (int r = y; r < y + size; ++r) {
    for (int c = x; c < x + size; ++c) {
      const int moved = reference(r + v.y / kVectorUnit, c + v.x / kVectorUnit);
      sum += static_cast<uint32_t>(std::abs(current(r, c) - moved));
    }
  }
  return sum;
}

struct Found {
  MotionVector vector;
  uint32_t cost;
};
/// The vector of one block of `size` samples among those within `range` samples of `centre` (eighths): least
/// cost, then least rank. A sample stands for `scale` luma samples on a side.
inline Found search(const SampleAt& current, const SampleAt& reference, int block_row, int block_col,
                    int size, MotionVector centre, int range, uint32_t lambda, int scale = 1) {
  Found best{{}, UINT32_MAX};
  uint32_t best_rank = 0;
  for (int y = -range; y <= range; ++y) {
    for (int x = -range; x <= range; ++x) {
      const MotionVector v{static_cast<int16_t>(centre.y + kVectorUnit * y),
                           static_cast<int16_t>(centre.x + kVectorUnit * x)};
      const MotionVector luma{static_cast<int16_t>(scale * v.y), static_cast<int16_t>(scale * v.x)};
      const uint32_t c =
          motion_cost(sad(current, reference, block_row * size, block_col * size, size, v), lambda, luma);
      const uint32_t rank = candidate_rank(y, x, range);
      if (c > best.cost || (c == best.cost && rank >= best_rank)) continue;
      best = {luma, c};
      best_rank = rank;
    }
  }
  return best;
}

/// A plane at a quarter of its resolution: means of 4x4 samples, the last row and column repeated.
inline SampleAt quartered(const SampleAt& plane, Extent extent) {
  const int rows = ceil_div(extent.rows, 4);
  const int cols = ceil_div(extent.cols, 4);
  std::vector<int> means;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      int sum = 8;
      for (int i = 0; i < 16; ++i) sum += plane(4 * r + i / 4, 4 * c + i % 4);
      means.push_back(sum / 16);
    }
  }
  return clamped([means, cols](int r, int c) { return means[static_cast<size_t>(r * cols + c)]; }, rows,
                 cols);
}

/// The reference at half samples, a grid of twice the rows and columns. Halves are filtered down the columns,
/// then along the rows, and rounded and limited to 8 bits each time.
class HalfSamples {
 public:
  /// Positions of samples from -margin to rows + margin.
  HalfSamples(const SampleAt& reference, int rows, int cols, int margin)
      : top_(-2 * margin), width_(2 * (cols + 2 * margin)) {
    for (int y = top_; y < 2 * (rows + margin); ++y) {
      for (int x = top_; x < top_ + static_cast<int>(width_); ++x) values_.push_back(sample(reference, y, x));
    }
  }
  int at(int64_t y, int64_t x) const {
    return values_.at(static_cast<size_t>((y - top_) * width_ + x - top_));
  }

 private:
  static int sample(const SampleAt& reference, int y, int x) {
    const auto filtered = [](const auto& sample_at) {
      int64_t sum = 32;
      for (int i = 0; i < kInterpolationTaps; ++i)
        sum += int64_t{interpolation_weight(kVectorUnit / 2, i)} * sample_at(i - kInterpolationBefore);
      return static_cast<int>(std::clamp<int64_t>(floor_div(sum, 64), 0, 255));
    };
    const int64_t row = floor_div(y, 2);
    const int64_t col = floor_div(x, 2);
    const auto down = [&](int64_t c) {
      return y % 2 == 0 ? reference(row, c) : filtered([&](int64_t i) { return reference(row + i, c); });
    };
    return x % 2 == 0 ? down(col) : filtered([&](int64_t i) { return down(col + i); });
  }

  const int top_;  // and left
  const int64_t width_;
  std::vector<int> values_;
};

/// The sample at (row, col) of luma, moved by v, between half samples.
inline int moved_sample(const HalfSamples& reference, int row, int col, MotionVector v) {
  const int64_t fine_y = int64_t{row} * 8 + v.y;  // a quarter of a half sample
  const int64_t fine_x = int64_t{col} * 8 + v.x;
  const int64_t half_y = floor_div(fine_y, 4);
  const int64_t half_x = floor_div(fine_x, 4);
  const int64_t weight_y = fine_y - 4 * half_y;
  const int64_t weight_x = fine_x - 4 * half_x;
  int64_t sum = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int64_t weight = (i != 0 ? weight_y : 4 - weight_y) * (j != 0 ? weight_x : 4 - weight_x);
      if (weight != 0) sum += weight * reference.at(half_y + i, half_x + j);
    }
  }
  return static_cast<int>(floor_div(sum + 8, 16));
}

/// Sum of magnitudes of the 8x8 Hadamard transforms of a block's difference to the interpolated reference; or
/// 16 times that of the differences, of one of `row_step` rows.
inline uint32_t hadamard(const SampleAt& current, const HalfSamples& reference, int y, int x, int size,
                         MotionVector v, int row_step = 0) {
  const auto difference = [&](int r, int c) { return current(r, c) - moved_sample(reference, r, c, v); };
  const auto sign = [](int i, int j) {
    return std::popcount(static_cast<unsigned>(i & j)) % 2 == 0 ? 1 : -1;
  };
  uint32_t total = 0;
  for (int r = y; row_step != 0 && r < y + size; r += row_step) {
    for (int c = x; c < x + size; ++c)
      total += 16 * static_cast<uint32_t>(row_step * std::abs(difference(r, c)));
  }
  if (row_step != 0) return total;
  for (int tile_y = y; tile_y < y + size; tile_y += 8) {
    for (int tile_x = x; tile_x < x + size; tile_x += 8) {
      int rows[8][8] = {};  // transformed along the rows
      for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c) {
          const int d = difference(tile_y + r, tile_x + c);
          for (int k = 0; k < 8; ++k) rows[r][k] += sign(c, k) * d;
        }
      }
      for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 8; ++k) {
          int coefficient = 0;
          for (int r = 0; r < 8; ++r) coefficient += sign(r, i) * rows[r][k];
          total += static_cast<uint32_t>(std::abs(coefficient));
        }
      }
    }
  }
  return total;
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
