// SPDX-License-Identifier: BSD-3-Clause
// Block matching: the full search of whole samples, and the estimator that runs it and the refinement.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "codec/backend/backend.hpp"

namespace ctv {

/// 8-bit luma of both pictures, repeated beyond the borders as far as search and filters reach.
struct SearchPlanes {
  const uint8_t* current;  // sample (0, 0); rows of whole blocks, columns to a multiple of 64
  ptrdiff_t current_stride;
  const uint8_t* reference;  // sample (0, 0), with the border around
  ptrdiff_t reference_stride;
};

/// A vector to try. Lists are in the order of candidate_rank, so of equal costs the first wins.
struct SearchCandidate {
  ptrdiff_t offset;  // into the reference
  int64_t key;       // price of the vector, then the place in the list: kKeyIndexBits
};
inline constexpr int kKeyIndexBits = 20;

/// Best keys, SAD * 16 included, for one row of blocks. keys: [columns rounded up to a multiple of 64
/// samples].
void search_block_row(const SearchPlanes& planes, std::span<const SearchCandidate> candidates, int log2_block,
                      int block_row, int block_cols, int64_t* keys);

Result<std::unique_ptr<MotionEstimator>> make_cpu_motion(const MotionParameters& parameters, int threads,
                                                         StageTimes& times);

}  // namespace ctv
