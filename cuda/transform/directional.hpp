// SPDX-License-Identifier: BSD-3-Clause
// The directional filter bank on bands in device memory: launchers.
#pragma once

#include "codec/format/directional_plan.hpp"
#include "codec/util/types.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// Bands of one extent, one after the other without gaps.
struct Bands {
  Coefficient* data = nullptr;  // [count][rows][cols]
  int rows = 0, cols = 0;
  int count = 0;
};

inline constexpr int kMaxSplits = 8;

/// One shear of tree depth 2 or deeper in the coordinates of a phase picture, transposed for phases B and C:
/// target (u, v) lies at row target_row + u * stride, column u * shear + v, the sample q = p + (b1 + b2) / 2
/// of the other coset at source_row, source_col in the same way; rows and columns are periodic.
struct LatticeShear {
  int target_base, source_base;  // elements of the phases' first samples
  int row_pitch, col_pitch;      // elements from phase row to phase row, phase column to phase column
  int rows, cols;                // of the phase picture, as it is seen
  int stride, shear;
  int target_row, source_row, source_col;
  int transposed;
};

struct LatticeShears {
  int count = 0;
  LatticeShear of[kMaxSplits] = {};
};

/// The shears of coset `target` of every split of a tree depth.
LatticeShears lattice_shears(int rows, int cols, const DirectionalPlan& plan, int depth, int target);

/// In place; taps 6 or 12. directions: on the device, log2 of the directions of each band, at most
/// those of the plan; null: all have the plan's.
Status directional_forward(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps,
                           const int8_t* directions = nullptr);
Status directional_inverse(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps,
                           const int8_t* directions = nullptr);
/// Forward, one level of the tree alone.
Status directional_level(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps,
                         int depth);

}  // namespace ctv::cuda
