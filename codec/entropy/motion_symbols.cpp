// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_symbols.hpp"

#include <algorithm>

#include "codec/entropy/zero_run.hpp"
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

size_t encode_vectors(const MotionGrid& grid, int subpel, const MotionVector* vectors, std::span<Level> scratch,
                      uint8_t* out) {
  const int shift = kVectorFractionBits - subpel;
  const auto n = grid.size();
  const MotionVector* v = vectors;
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.cols; ++c, ++v) {
      const MotionVector p = predict(grid, v, r, c);
      const auto i = static_cast<size_t>(v - vectors);
      scratch[i] = static_cast<Level>((v->y - p.y) >> shift);
      scratch[n + i] = static_cast<Level>((v->x - p.x) >> shift);
    }
  }
  return encode_zero_runs(scratch.first(2 * n), true, out);
}

bool decode_vectors(const MotionGrid& grid, int subpel, std::span<const uint8_t> bytes, std::span<Level> scratch,
                    MotionVector* vectors) {
  const int scale = 1 << (kVectorFractionBits - subpel);
  const auto n = grid.size();
  size_t used = 0;
  if (!decode_zero_runs(bytes, used, true, scratch.first(2 * n)) || used != bytes.size()) return false;
  MotionVector* v = vectors;
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.cols; ++c, ++v) {
      const MotionVector p = predict(grid, v, r, c);
      const auto i = static_cast<size_t>(v - vectors);
      *v = {static_cast<int16_t>(p.y + scratch[i] * scale), static_cast<int16_t>(p.x + scratch[n + i] * scale)};
    }
  }
  return true;
}

}  // namespace ctv
