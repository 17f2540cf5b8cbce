// SPDX-License-Identifier: BSD-3-Clause
// Squares of skipped cells that get one vector. Both backends compile these formulas, and a GPU tries many
// vectors in parallel (cuda/motion/skip_squares.cu). Not normative.
//
// The search chooses vectors without regard to skips. If all cells of a square are to be skipped, little or
// no residual corrects the prediction, so the exact error of another vector is measured, here that of luma.
// Such a vector may pay off if the motion tree codes it in few bits. Each root of the tree is decided
// independently, level by level: squares of 2x2, then 4x4 and 8x8 cells try the vectors of their quarters and
// of their neighbours. All squares of a level change in parallel. Cells around the root count with their
// original vectors.
//
// Luma does not see where the new vector fetches a wrong colour. So at the end each cell that changed
// compares chroma, predicted as the decision about skips does, and takes its own vector back if the new one
// is much worse.
#pragma once

#include <cstdint>

#include "codec/control/skip_decisions.hpp"

namespace ctv {

inline constexpr int kQuarters = 4;
inline constexpr int kSquareVectors = kQuarters + 4;

/// Bits of a leaf whose vector is zero or a neighbour's, and the additional bits of any other vector.
inline constexpr uint32_t kLeafBits = 4;
inline constexpr uint32_t kOwnVectorBits = 7;

/// A square of cells and its candidate vectors.
struct alignas(16) SkipSquare {
  MotionVector vectors[kSquareVectors];  // first of each quarter, then of the neighbours
  uint32_t mixed;                        // bit k: quarter k has other vectors, too
  uint32_t tried;                        // bit k: vector k is tried; it differs from those before
  bool uniform;                          // whether all its cells have one vector

  CTV_HOST_DEVICE bool tries(int k) const { return (tried >> k & 1) != 0; }
  CTV_HOST_DEVICE bool is_uniform() const {
    return mixed == 0 && same_vector(vectors[0], vectors[1]) && same_vector(vectors[0], vectors[2]) &&
           same_vector(vectors[0], vectors[3]);
  }
  /// Whether `v` is zero or equals a vector from index `first` on, except vector `without`.
  CTV_HOST_DEVICE bool is_known(MotionVector v, int first, int without) const {
    bool known = same_vector(v, MotionVector{});
    for (int i = first; i < kSquareVectors; ++i) known |= i != without && same_vector(vectors[i], v);
    return known;
  }
  /// Whether v, which is vector i, was tried before.
  CTV_HOST_DEVICE bool is_repeated(MotionVector v, int i) const {
    bool repeated = false;
    for (int k = 0; k < kSquareVectors; ++k) repeated |= k < i && same_vector(vectors[k], v);
    return repeated;
  }
  /// Bits of the square as one leaf with the vector v.
  CTV_HOST_DEVICE uint32_t leaf_bits(MotionVector v) const {
    return kLeafBits + (is_known(v, kQuarters, -1) ? 0 : kOwnVectorBits);
  }
  /// Bits of the square with its present vectors.
  CTV_HOST_DEVICE uint32_t own_bits() const {
    if (is_uniform()) return leaf_bits(vectors[0]);
    uint32_t bits = 0;
    for (int k = 0; k < kQuarters; ++k) {
      bits += kLeafBits * ((mixed >> k & 1) != 0 ? kQuarters : 1);
      bits += is_known(vectors[k], 0, k) ? 0 : kOwnVectorBits;
    }
    return bits;
  }
};

/// The input vectors of a frame and its skip flags: [rows][cols].
struct SkipField {
  int rows, cols;
  const uint8_t* skips;
  const MotionVector* vectors;
  /// Index of a cell in the arrays; -1: outside.
  CTV_HOST_DEVICE int place(int row, int col) const {
    return row >= 0 && col >= 0 && row < rows && col < cols ? row * cols + col : -1;
  }
};

/// A root of the motion tree. Units, and the squares of each level, are numbered in tree order, so that the
/// squares within a square are consecutive.
struct SkipRoot {
  static constexpr int kSide = 1 << kRootLevel;  // cells
  static constexpr int kUnits = kSide * kSide / kSkipCells;
  static constexpr int kPitch = kSide + 2;
  static constexpr int kWindow = kPitch * kPitch;
  static constexpr uint32_t kUnknown = UINT32_MAX;

  MotionVector window[kWindow];  // vectors of the root's cells and those around; zero outside the grid
  uint32_t skipped;              // bit k: all cells of unit k are skipped
  SkipSquare squares[kRootLevel][kUnits];  // of levels 1, 2 and 3
  alignas(16)
      uint32_t errors[kRootLevel][kUnits][kSquareVectors];  // squared errors with the vectors of the squares
  uint32_t own[kUnits];  // squared errors of units with their present vectors, where measured

  CTV_HOST_DEVICE static int row_of(int unit) { return (unit & 2) | (unit >> 1 & 4); }
  CTV_HOST_DEVICE static int col_of(int unit) { return (unit << 1 & 2) | (unit & 4); }
  /// Number of units in a square of a level.
  CTV_HOST_DEVICE static int units(int level) { return 1 << 2 * (level - 1); }
  /// Index of the square that contains a unit.
  CTV_HOST_DEVICE static int index_of(int level, int unit) { return unit >> 2 * (level - 1); }

  CTV_HOST_DEVICE MotionVector& at(int row, int col) { return window[(row + 1) * kPitch + col + 1]; }
  CTV_HOST_DEVICE MotionVector& cell(int unit, int k) {
    return at(row_of(unit) + k / kSkipUnit, col_of(unit) + k % kSkipUnit);
  }
  CTV_HOST_DEVICE SkipSquare& square_of(int level, int unit) {
    return squares[level - 1][index_of(level, unit)];
  }
  CTV_HOST_DEVICE uint32_t& error(int level, int unit, int k) { return errors[level - 1][unit][k]; }

  /// Loads window[i] of the root at (row, col). Returns whether the cell is skipped and moves; without such a
  /// cell there is nothing to try.
  CTV_HOST_DEVICE bool load(const SkipField& field, int row, int col, int i) {
    const int place = field.place(row - 1 + i / kPitch, col - 1 + i % kPitch);
    MotionVector v{};
    bool skip = false;
    if (place >= 0) {  // both loads in parallel
      v = field.vectors[place];
      skip = field.skips[place] != 0;
    }
    window[i] = v;
    return skip && !same_vector(v, MotionVector{});
  }
  CTV_HOST_DEVICE static bool is_skipped(const SkipField& field, int row, int col, int unit) {
    bool skipped = true;
    for (int k = 0; k < kSkipCells; ++k) {
      const int place = field.place(row + row_of(unit) + k / kSkipUnit, col + col_of(unit) + k % kSkipUnit);
      skipped &= place >= 0 && field.skips[place] != 0;
    }
    return skipped;
  }

  CTV_HOST_DEVICE MotionVector candidate(int level, int index, int k) {
    const int side = 1 << level;
    const int half = side / 2;
    const int unit = index * units(level);
    int row = k / 2 * half;
    int col = k % 2 * half;
    if (k >= kQuarters) {
      // Cells next to the middle of the left, upper, right and lower side.
      const int beside = k < kQuarters + 2 ? -1 : side;
      row = k % 2 == 0 ? half : beside;
      col = k % 2 == 0 ? beside : half;
    }
    return at(row_of(unit) + row, col_of(unit) + col);
  }
  CTV_HOST_DEVICE bool is_mixed(int level, int index, int k) const {
    return level > 1 && !squares[level - 2][kQuarters * index + k].uniform;
  }
  CTV_HOST_DEVICE bool is_skipped(int level, int index) const {
    const uint32_t all = (1U << units(level)) - 1;
    return (skipped >> index * units(level) & all) == all;
  }
  /// Whether a square has any vector to try.
  CTV_HOST_DEVICE bool is_tried(int level, int index, uint32_t own_bits) const {
    return is_skipped(level, index) && own_bits != kLeafBits;
  }

  /// Whether an earlier level tried vectors for a unit, so that own[unit] is known.
  CTV_HOST_DEVICE bool is_own_known(int level, int unit) {
    bool known = false;
    for (int l = 1; l < level; ++l) known |= square_of(l, unit).tried != 0;
    return known;
  }
  /// A unit's squared error with the vector v if an earlier level measured it, else kUnknown.
  CTV_HOST_DEVICE uint32_t known_error(int level, int unit, MotionVector v) {
    uint32_t known = kUnknown;
    for (int l = 1; l < kRootLevel && l < level; ++l) {
      const SkipSquare& s = square_of(l, unit);
      for (int k = 0; k < kSquareVectors; ++k)
        known = same_vector(s.vectors[k], v) ? min_of(known, error(l, unit, k)) : known;
    }
    return known;
  }

  /// Gives a unit vector k of its square.
  CTV_HOST_DEVICE void change(int level, int unit, int k) {
    SkipSquare& s = square_of(level, unit);
    for (int i = 0; i < kSkipCells; ++i) cell(unit, i) = s.vectors[k];
    own[unit] = error(level, unit, k);
    s.uniform = true;
  }
};

/// Cost of a skipped square, in 1024ths of a squared sample. A bit costs a sixteenth of the square of a step.
/// error: squared error.
CTV_HOST_DEVICE uint64_t skip_square_cost(const SkipPrices& p, uint64_t error, uint32_t bits) {
  return 1024 * error + p.square * bits;
}

/// Whether a cell takes its own vector back, given the squared errors of all its chroma with both vectors: if
/// the new one adds more than the square of a step.
CTV_HOST_DEVICE bool takes_vector_back(const SkipPrices& p, uint32_t own, uint32_t merged) {
  return 64 * uint64_t{merged} > 64 * uint64_t{own} + p.square;  // 64ths, as the price
}

}  // namespace ctv
