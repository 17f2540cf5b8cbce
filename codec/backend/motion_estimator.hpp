// SPDX-License-Identifier: BSD-3-Clause
// Block matching on luma, and the decision which cells are skipped, with the same samples.
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
  MotionGrid grid;     // of the vectors
  int log2_block = 4;  // of the blocks that are matched; at least grid.log2_block
  int split = 0;       // 1: each cell of a block may have a vector; the grid is of cells
  int range = 8;       // full search, whole luma samples, both directions
  int far_range = 0;   // far search (motion_decisions.hpp), a multiple of kFarStep; 0: none
  int subpel = 0;      // finest vectors: 0 whole samples, 1 halves, 2 quarters, 3 eighths
  MotionEffort effort = MotionEffort::kUsual;

  /// Whole luma samples that a vector has at most, but for half a one.
  int reach() const { return far_range == 0 ? range : max_of(range, far_range + kFarWindow); }
  /// The grid of blocks of 2^log2 samples that covers the same picture.
  MotionGrid blocks_of(int log2) const {
    const int shift = log2 - grid.log2_block;
    return {log2, ceil_div(grid.rows, 1 << shift), ceil_div(grid.cols, 1 << shift)};
  }
};

/// Whether an estimator can be made.
inline bool valid_motion(const MotionParameters& p) {
  const bool cells = p.grid.log2_block == kLog2Cell && p.log2_block > kLog2Cell;
  return p.grid.log2_block >= kLog2Cell && p.log2_block >= p.grid.log2_block && p.log2_block <= 5 &&
         (p.split == 0 || cells) && p.range >= 0 && p.range <= kMaxSearchRange && p.far_range >= 0 &&
         p.far_range <= kMaxFarRange && p.far_range % kFarStep == 0 && p.subpel >= 0 &&
         p.subpel <= kMaxSubpel;
}

/// Owns its workspace. Finds vectors of blocks, or of their cells, and gives them to the vectors' grid.
class MotionEstimator {
 public:
  virtual ~MotionEstimator() = default;
  /// Reads the reference of the searches that follow, cropped to the true extent, repeated beyond. It stays
  /// as it is until the last of them.
  virtual Status read_reference(PlaneView<const Sample> reference) = 0;
  /// Reads the other plane. bytes: what luma() of the backend's PictureTransfer gave, or empty; then samples,
  /// of the padded extent, are there and stay until prepare() returns. Bytes stay until place(), which then
  /// comes later.
  virtual Status read_current(PlaneView<const uint8_t> bytes, PlaneView<const Sample> samples) = 0;
  /// May begin the search. lambda: cost of a vector bit in sixteenths of SAD.
  virtual Status prepare(uint32_t lambda) = 0;
  /// vectors: [grid.rows][grid.cols]. still: the same or null; a block whose cells are all still has the
  /// vector zero.
  virtual Status find(const uint8_t* still, MotionVector* vectors) = 0;
  /// Decides which cells that are not still are skipped, and with which vectors (skip_decisions.hpp). After
  /// find() of vectors of cells, with the same `still`. planes: all, of which chroma is read; luma is what
  /// was read. side.vectors: those that were found, changed where they are
  /// not used.
  virtual Status decide_skips(const SkipPlanes& planes, uint32_t base_step, const uint8_t* still,
                              const SideInfo& side) = 0;
  /// The first four, one after the other.
  Status search(PlaneView<const Sample> current, PlaneView<const Sample> reference, uint32_t lambda,
                const uint8_t* still, MotionVector* vectors) {
    CTV_RETURN_IF_ERROR(read_reference(reference));
    CTV_RETURN_IF_ERROR(read_current({}, current));
    CTV_RETURN_IF_ERROR(prepare(lambda));
    return find(still, vectors);
  }
};

}  // namespace ctv
