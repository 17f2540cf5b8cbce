// SPDX-License-Identifier: BSD-3-Clause
// Block matching: 8-bit copies of luma, full search, passes over the field of vectors: launchers.
#pragma once

#include "codec/control/motion_decisions.hpp"
#include "codec/format/motion_grid.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// 8-bit luma of whole blocks, and of the reference with a border of repeated samples on all sides.
struct SearchPlanes {
  uint8_t* current = nullptr;    // [rows][cols]
  uint8_t* reference = nullptr;  // sample (0, 0)
  int rows = 0, cols = 0;        // of whole blocks; strides are multiples of 16 bytes
  int current_stride = 0, reference_stride = 0;
  int border = 0;  // before and behind, multiple of 16
};

/// Fill one of the two, and that of planes of quarter samples, if there are any; positions beyond a plane
/// repeat its edge. The current one from bytes, or, if these are empty, from samples of the padded extent.
Status fill_current(Device& device, PlaneView<const uint8_t> bytes, PlaneView<const Sample> samples,
                    const SearchPlanes& planes, const SearchPlanes& quarters);
Status fill_reference(Device& device, PlaneView<const Sample> samples, const SearchPlanes& planes,
                      const SearchPlanes& quarters);

/// Whole vectors (times `unit` eighths) and their costs (16 SAD), [grid.rows][grid.cols].
Status search_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int range, int unit,
                     uint32_t lambda, MotionVector* vectors, uint32_t* costs);

/// Cells that need no vector. Blocks of 2^log2_cells x 2^log2_cells still cells are left out.
struct StillCells {
  const uint8_t* flags;  // [rows][cols]
  int rows, cols;
  int log2_cells;
};
/// Vectors and costs of still blocks become 0. The passes that follow keep vectors whose cost is 0.
Status leave_out_still(Device& device, const MotionGrid& grid, const StillCells& still, MotionVector* vectors,
                       uint32_t* costs);

/// The reference at half samples, four planes: whole samples, half a sample to the right, below, and both. A
/// plane is stored by columns of words of four samples.
struct HalfPlanes {
  uint32_t* samples = nullptr;  // [4][words][pitch]; its first sample is (-margin, -margin)
  int words = 0, pitch = 0;     // words of a row; rows, a multiple of 32
  int margin = 0;               // multiple of 4

  CTV_HOST_DEVICE int size() const { return words * pitch; }
};
/// All but `samples`.
HalfPlanes half_planes(const SearchPlanes& planes);
Status fill_half_planes(Device& device, const SearchPlanes& planes, const HalfPlanes& halves);

/// A pass over the vectors of a grid (codec/control/motion_decisions.hpp).
struct FieldWork {
  MotionGrid grid;    // blocks of 8, 16 or 32 samples
  MotionGrid blocks;  // that were searched; the same or coarser
  FieldPass pass;
  int finest_step = 0;  // eighths of a sample
  int range = 0;
  uint32_t lambda = 0;
};
/// before: [grid.rows][grid.cols]. costs: of the searched blocks, in sixteenths of SAD; passes over these
/// write them. vectors: not `before`; each goes to the blocks of `finer`, which are not larger, that its
/// block holds.
Status improve_field(Device& device, const SearchPlanes& planes, const HalfPlanes& halves,
                     const FieldWork& work, const MotionVector* before, uint32_t* costs,
                     const MotionGrid& finer, MotionVector* vectors);

/// The squares that follow the last pass, over the same grid, of at most 16 samples a block.
Status unite_squares(Device& device, const SearchPlanes& planes, const HalfPlanes& halves,
                     const FieldWork& work, const MotionVector* before, uint32_t* costs,
                     const MotionGrid& finer, MotionVector* vectors);

/// What the search reads beyond range: half samples, and rows of a last group of candidates.
inline constexpr int kSearchReach = 8;

}  // namespace ctv::cuda
