// SPDX-License-Identifier: BSD-3-Clause
// Block matching: full search of whole-sample vectors, and the estimator.
#pragma once

#include <cstdint>
#include <memory>

#include "codec/backend/motion_estimator.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/stage_times.hpp"

namespace ctv {

/// 8-bit luma of both pictures, with repeated borders as wide as search and filters require.
struct SearchPlanes {
  const uint8_t* current;  // sample (0, 0); whole blocks, columns a multiple of 64
  ptrdiff_t current_stride;
  const uint8_t* reference;  // sample (0, 0), surrounded by the border
  ptrdiff_t reference_stride;
};

/// Key of a candidate vector: its cost, then kKeyIndexBits bits of its index in the order of
/// candidate_rank(). So the first of equal costs wins.
inline constexpr int kKeyIndexBits = 20;
inline constexpr int64_t kNoKey = INT64_MAX / 2;  // no candidate; adding a SAD does not overflow
inline int64_t search_key(uint32_t cost, size_t index) {
  return (static_cast<int64_t>(cost) << kKeyIndexBits) + static_cast<int64_t>(index);
}
inline size_t index_of(int64_t key) { return static_cast<size_t>(key & ((1 << kKeyIndexBits) - 1)); }
inline uint32_t cost_of(int64_t key) { return static_cast<uint32_t>(key >> kKeyIndexBits); }

/// Vertically adjacent candidates that are matched together.
inline constexpr int kSearchRun = 5;
/// Candidates of -range..range samples in both directions, by position.
struct SearchWindow {
  int range;
  const int64_t* keys;  // [2 range + 1 columns][window_rows()]; kNoKey outside the range
};
constexpr int window_rows(int range) { return max_of(2 * range + 1, kSearchRun); }
constexpr size_t window_size(int range) {
  return static_cast<size_t>(2 * range + 1) * static_cast<size_t>(window_rows(range));
}
constexpr size_t window_place(int y, int x, int range) {
  return static_cast<size_t>((x + range) * window_rows(range) + y + window_rows(range) / 2);
}

/// Replaces keys of a row of blocks by those of better candidates, including SAD * 16. keys, still: [columns
/// rounded up to a multiple of 64 samples]. still: blocks whose keys are not needed.
void search_block_row(const SearchPlanes& planes, const SearchWindow& window, int log2_block, int block_row,
                      int block_cols, const uint8_t* still, int64_t* keys);

Result<std::unique_ptr<MotionEstimator>> make_cpu_motion(const MotionParameters& parameters, int threads,
                                                         StageTimes& times);

}  // namespace ctv
