// SPDX-License-Identifier: BSD-3-Clause
// Block matching: launchers of 8-bit copies of luma, full search, and passes over the field of vectors.
#pragma once

#include "codec/control/motion_decisions.hpp"
#include "codec/format/motion_grid.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// 8-bit luma in whole blocks; the reference has a border of repeated samples on all sides.
struct SearchPlanes {
  uint8_t* current = nullptr;    // [rows][cols]
  uint8_t* reference = nullptr;  // sample (0, 0)
  int rows = 0, cols = 0;        // of whole blocks; strides are multiples of 16 bytes
  int current_stride = 0, reference_stride = 0;
  int border = 0;  // on each side, a multiple of 16
};

/// Fill one of the two planes, and its plane of quarter samples, if any. Positions outside a plane repeat its
/// edge. The current plane is filled from bytes or, if these are empty, from samples of the padded extent.
/// Samples of 8 + shift bits are rounded to 8.
Status fill_current(Device& device, PlaneView<const uint8_t> bytes, PlaneView<const Sample> samples,
                    int shift, const SearchPlanes& planes, const SearchPlanes& quarters);
Status fill_reference(Device& device, PlaneView<const Sample> samples, int shift, const SearchPlanes& planes,
                      const SearchPlanes& quarters);

/// Finds whole-sample vectors (times `unit` eighths) and their costs (16 SAD), [grid.rows][grid.cols].
Status search_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int range, int unit,
                     uint32_t lambda, MotionVector* vectors, uint32_t* costs);

/// Cells that need no vector. Blocks of 2^log2_cells x 2^log2_cells still cells are skipped.
struct StillCells {
  const uint8_t* flags;  // [rows][cols]
  int rows, cols;
  int log2_cells;
};
/// Sets vectors and costs of still blocks to 0. Later passes keep vectors with cost 0.
Status leave_out_still(Device& device, const MotionGrid& grid, const StillCells& still, MotionVector* vectors,
                       uint32_t* costs);

/// The reference at half samples in four planes: whole samples, half a sample to the right, below, and both.
/// A plane is stored by columns of words of four samples.
struct HalfPlanes {
  uint32_t* samples = nullptr;  // [4][words][pitch]; the first sample is (-margin, -margin)
  int words = 0, pitch = 0;     // words per row; number of rows, a multiple of 32
  int margin = 0;               // a multiple of 4

  CTV_HOST_DEVICE int size() const { return words * pitch; }
};
/// Sets everything except `samples`.
HalfPlanes half_planes(const SearchPlanes& planes);
Status fill_half_planes(Device& device, const SearchPlanes& planes, const HalfPlanes& halves);

/// A pass over the vectors of a grid (codec/control/motion_decisions.hpp).
struct FieldWork {
  MotionGrid grid;    // blocks of 8, 16 or 32 samples
  MotionGrid blocks;  // of the search; the same or coarser
  FieldPass pass;
  int finest_step = 0;  // in eighths of a sample
  int range = 0;
  uint32_t lambda = 0;
};
/// before: [grid.rows][grid.cols]. costs: of the searched blocks, in sixteenths of SAD; passes over these
/// update them. vectors: not `before`; each vector goes to all blocks of `finer`, which is the same or finer,
/// in its block.
Status improve_field(Device& device, const SearchPlanes& planes, const HalfPlanes& halves,
                     const FieldWork& work, const MotionVector* before, uint32_t* costs,
                     const MotionGrid& finer, MotionVector* vectors);

/// Squares after the last pass over the same grid. Blocks have at most 16 samples per side.
Status unite_squares(Device& device, const SearchPlanes& planes, const HalfPlanes& halves,
                     const FieldWork& work, const MotionVector* before, uint32_t* costs,
                     const MotionGrid& finer, MotionVector* vectors);

/// Samples read beyond the range of the search, for half samples and the rows of a last group of candidates.
inline constexpr int kSearchReach = 8;

}  // namespace ctv::cuda
