// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_symbols.hpp"

#include "codec/dsp/motion_vectors.hpp"

namespace ctv {
namespace {

// Predictor of a block's vector, or of the k-th vector of a split block. i: the vector; width: vectors per
// row of the block. Neighbours outside the grid are 0, and the first row uses the left neighbour only. Above
// right of a split block's last vector is not yet known, so above left replaces it.
MotionVector predict(const MotionGrid& grid, const MotionVector* vectors, size_t i, int width, int k) {
  const auto cols = static_cast<size_t>(grid.cols);
  const MotionVector* v = vectors + i;
  const size_t c = i % cols;
  const MotionVector left = c > 0 ? v[-1] : MotionVector{};
  if (i < cols) return left;
  const MotionVector above = *(v - cols);
  MotionVector third{};
  if (k == 3) {
    third = *(v - cols - 1);
  } else if (c + static_cast<size_t>(width) < cols) {
    third = *(v - cols + width);
  }
  return median_vector(left, above, third);
}

// Calls code(i, predictor) for each coded vector in order, and copy(first) after a block of several vectors
// that is not split. The predictors must be known by then.
template <typename Split, typename Code, typename Copy>
void walk(const MotionGrid& grid, const MotionVector* vectors, Split split, Code code, Copy copy) {
  for_each_block(grid, [&](size_t block, size_t first) {
    if (grid.split != 0 && split(block, first)) {
      for (int k = 0; k < 4; ++k) {
        const size_t i = vector_of_block(grid, first, k);
        code(i, predict(grid, vectors, i, 1, k));
      }
      return;
    }
    code(first, predict(grid, vectors, first, 1 << grid.split, 0));
    if (grid.split != 0) copy(first);
  });
}

template <typename T>
void copy_first(const MotionGrid& grid, size_t first, T* values) {
  for (int k = 1; k < 4; ++k) values[vector_of_block(grid, first, k)] = values[first];
}

}  // namespace

void difference_vectors(const MotionGrid& grid, int subpel, const MotionVector* vectors,
                        std::span<uint8_t> splits, std::span<Level> differences) {
  const int shift = kVectorFractionBits - subpel;
  const auto n = grid.size();
  walk(
      grid, vectors,
      [&](size_t block, size_t first) {
        splits[block] = is_split(vectors + first, grid.cols) ? 1 : 0;
        return splits[block] != 0;
      },
      [&](size_t i, MotionVector p) {
        differences[i] = static_cast<Level>((vectors[i].y - p.y) >> shift);
        differences[n + i] = static_cast<Level>((vectors[i].x - p.x) >> shift);
      },
      [&](size_t first) {
        copy_first(grid, first, differences.data());
        copy_first(grid, first, differences.data() + n);
      });
}

void sum_vectors(const MotionGrid& grid, int subpel, std::span<const uint8_t> splits,
                 std::span<const Level> differences, MotionVector* vectors) {
  const int scale = 1 << (kVectorFractionBits - subpel);
  const auto n = grid.size();
  walk(
      grid, vectors, [&](size_t block, size_t) { return splits[block] != 0; },
      [&](size_t i, MotionVector p) {
        vectors[i] = {static_cast<int16_t>(p.y + differences[i] * scale),
                      static_cast<int16_t>(p.x + differences[n + i] * scale)};
      },
      [&](size_t first) { copy_first(grid, first, vectors); });
}

}  // namespace ctv
