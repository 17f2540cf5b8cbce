// SPDX-License-Identifier: BSD-3-Clause
// Block matching on luma, and the skip decision, which uses the same samples.
#pragma once

#include <cstdint>

#include "codec/backend/skip_planes.hpp"
#include "codec/dsp/motion_vectors.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/side_info.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/status.hpp"
#include "codec/util/types.hpp"

namespace ctv {

struct MotionParameters {
  MotionGrid grid;     // grid of the vectors
  int log2_block = 4;  // log2 of the side of matched blocks; at least grid.log2_block
  int split = 0;       // 1: each cell of a block may have a vector; the grid is that of cells
  int range = 8;       // full search in both dimensions, whole luma samples
  int far_range = 0;   // far search (motion_decisions.hpp), a multiple of kFarStep; 0: none
  int subpel = 0;      // finest vectors: 0 whole samples, 1 halves, 2 quarters, 3 eighths
  MotionEffort effort = MotionEffort::kUsual;
  int depth_shift = 0;  // bits of a sample beyond 8; the search compares samples of 8 bits

  /// Largest vector in whole luma samples; half a sample may be added.
  int reach() const { return far_range == 0 ? range : max_of(range, far_range + kFarWindow); }
  /// The grid of blocks of 2^log2 samples that covers the same picture.
  MotionGrid blocks_of(int log2) const {
    const int shift = log2 - grid.log2_block;
    return {log2, ceil_div(grid.rows, 1 << shift), ceil_div(grid.cols, 1 << shift)};
  }
};

inline bool valid_motion(const MotionParameters& p) {
  const bool cells = p.grid.log2_block == kLog2Cell && p.log2_block > kLog2Cell;
  return p.grid.log2_block >= kLog2Cell && p.log2_block >= p.grid.log2_block && p.log2_block <= 5 &&
         (p.split == 0 || cells) && p.range >= 0 && p.range <= kMaxSearchRange && p.far_range >= 0 &&
         p.far_range <= kMaxFarRange && p.far_range % kFarStep == 0 && p.subpel >= 0 &&
         p.subpel <= kMaxSubpel;
}

/// Finds vectors of blocks, or of their cells, and writes them to the vectors' grid. Owns its workspace.
class MotionEstimator {
 public:
  virtual ~MotionEstimator() = default;
  /// Reads the reference of the following searches, cropped to the true extent and repeated beyond. It must
  /// not change before the last of them.
  virtual Status read_reference(PlaneView<const Sample> reference) = 0;
  /// Reads the current luma. bytes: the result of luma() of the backend's PictureTransfer; they stay valid
  /// until place(), which must come later. If empty, samples are read: padded extent, valid until prepare()
  /// returns.
  virtual Status read_current(PlaneView<const uint8_t> bytes, PlaneView<const Sample> samples) = 0;
  /// May start the search. lambda: cost of a vector bit in sixteenths of SAD.
  virtual Status prepare(uint32_t lambda) = 0;
  /// vectors: [grid.rows][grid.cols]. still: [grid.rows][grid.cols] or null; a block whose cells are all
  /// still has the vector zero.
  virtual Status find(const uint8_t* still, MotionVector* vectors) = 0;
  /// Decides which cells that are not still are skipped, and with which vectors (skip_decisions.hpp).
  /// Requires find() with vectors of cells and the same `still`. planes: chroma is read; luma is that of the
  /// search. side.vectors: the vectors found; skipped cells may get others.
  virtual Status decide_skips(const SkipPlanes& planes, uint32_t base_step, const uint8_t* still,
                              const SideInfo& side) = 0;
  /// Calls the four functions above.
  Status search(PlaneView<const Sample> current, PlaneView<const Sample> reference, uint32_t lambda,
                const uint8_t* still, MotionVector* vectors) {
    CTV_RETURN_IF_ERROR(read_reference(reference));
    CTV_RETURN_IF_ERROR(read_current({}, current));
    CTV_RETURN_IF_ERROR(prepare(lambda));
    return find(still, vectors);
  }
};

}  // namespace ctv
