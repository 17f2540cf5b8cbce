// SPDX-License-Identifier: BSD-3-Clause
// The directional filter bank on bands in device memory: launchers.
#pragma once

#include "codec/format/directional_plan.hpp"
#include "codec/util/types.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// Contiguous bands of equal extent.
struct Bands {
  Coefficient* data = nullptr;  // [count][rows][cols]
  int rows = 0, cols = 0;
  int count = 0;
};

inline constexpr int kMaxSplits = 8;

/// One shear of tree depth 2 or deeper in the coordinates of a phase picture, transposed for phases B and C.
/// Target (u, v) is at row target_row + u * stride and column u * shear + v. The sample q = p + (b1 + b2) / 2
/// of the other coset is found in the same way from source_row and source_col. Rows and columns are periodic.
struct LatticeShear {
  int target_base, source_base;  // index of the phases' first samples
  int row_pitch, col_pitch;      // distance of phase rows and of phase columns, in elements
  int rows, cols;                // of the phase picture, transposed where it is
  int stride, shear;
  int target_row, source_row, source_col;
  int transposed;
};

struct LatticeShears {
  int count = 0;
  LatticeShear of[kMaxSplits] = {};
};

/// The shears of coset `target` in every split of a tree depth.
LatticeShears lattice_shears(int rows, int cols, const DirectionalPlan& plan, int depth, int target);

/// In place; taps 6 or 12. directions: on the device, log2 of the directions of each band, at most
/// those of the plan; null: all have the plan's.
Status directional_forward(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps,
                           const int8_t* directions = nullptr);
Status directional_inverse(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps,
                           const int8_t* directions = nullptr);
/// Forward transform of one level of the tree.
Status directional_level(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps,
                         int depth);

}  // namespace ctv::cuda
