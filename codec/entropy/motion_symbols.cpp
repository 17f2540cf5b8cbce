// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_symbols.hpp"

#include <algorithm>

#include "codec/math/motion.hpp"

namespace ctv {
namespace {

int median(int a, int b, int c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

// Outside the picture a neighbour counts as zero; above the first row the left neighbour alone predicts.
MotionVector predict(const MotionGrid& grid, const MotionVector* v, int r, int c) {
  const MotionVector left = c > 0 ? v[-1] : MotionVector{};
  if (r == 0) return left;
  const MotionVector above = v[-grid.cols];
  const MotionVector right = c + 1 < grid.cols ? v[-grid.cols + 1] : MotionVector{};
  return {static_cast<int16_t>(median(left.y, above.y, right.y)),
          static_cast<int16_t>(median(left.x, above.x, right.x))};
}

}  // namespace

void difference_vectors(const MotionGrid& grid, int subpel, const MotionVector* vectors,
                        std::span<Level> differences) {
  const int shift = kVectorFractionBits - subpel;
  const auto n = grid.size();
  const MotionVector* v = vectors;
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.cols; ++c, ++v) {
      const MotionVector p = predict(grid, v, r, c);
      const auto i = static_cast<size_t>(v - vectors);
      differences[i] = static_cast<Level>((v->y - p.y) >> shift);
      differences[n + i] = static_cast<Level>((v->x - p.x) >> shift);
    }
  }
}

void sum_vectors(const MotionGrid& grid, int subpel, std::span<const Level> differences,
                 MotionVector* vectors) {
  const int scale = 1 << (kVectorFractionBits - subpel);
  const auto n = grid.size();
  MotionVector* v = vectors;
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.cols; ++c, ++v) {
      const MotionVector p = predict(grid, v, r, c);
      const auto i = static_cast<size_t>(v - vectors);
      *v = {static_cast<int16_t>(p.y + differences[i] * scale),
            static_cast<int16_t>(p.x + differences[n + i] * scale)};
    }
  }
}

}  // namespace ctv
