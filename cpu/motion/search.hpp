// SPDX-License-Identifier: BSD-3-Clause
// Block matching: the full search of whole-sample vectors, and the estimator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "codec/backend/motion_estimator.hpp"
#include "codec/util/stage_times.hpp"

namespace ctv {

/// 8-bit luma of both pictures, with repeated borders as wide as search and filters need.
struct SearchPlanes {
  const uint8_t* current;  // sample (0, 0); whole blocks, columns a multiple of 64
  ptrdiff_t current_stride;
  const uint8_t* reference;  // sample (0, 0), with the border around
  ptrdiff_t reference_stride;
};

/// A candidate vector. Lists are in the order of candidate_rank(), so the first of equal costs wins.
struct SearchCandidate {
  ptrdiff_t offset;  // into the reference
  int64_t key;       // cost of the vector, then kKeyIndexBits bits of its index
};
inline constexpr int kKeyIndexBits = 20;
inline constexpr int64_t kNoKey = INT64_MAX;

/// Replaces keys of one row of blocks by those of better candidates, SAD * 16 included. keys, still: [columns
/// rounded up to a multiple of 64 samples]. still: the keys of these blocks are not needed.
void search_block_row(const SearchPlanes& planes, std::span<const SearchCandidate> candidates, int log2_block,
                      int block_row, int block_cols, const uint8_t* still, int64_t* keys);

Result<std::unique_ptr<MotionEstimator>> make_cpu_motion(const MotionParameters& parameters, int threads,
                                                         StageTimes& times);

}  // namespace ctv
