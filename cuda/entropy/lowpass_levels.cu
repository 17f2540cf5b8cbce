// SPDX-License-Identifier: BSD-3-Clause
// Each level depends on the left, upper and upper left ones. So a thread has a row and is one level behind
// the row above; a block needs as many steps as the subband has columns and rows.
#include "cuda/entropy/lowpass_levels.hpp"

#include "codec/model/lowpass_prediction.hpp"

namespace ctv::cuda {
namespace {

constexpr int kRows = 1024;  // rows at once
constexpr int kAhead = 8;    // levels that a thread prefetches

struct Work {
  Level* levels[3];
  const DeviceTileSet* sets;
  const uint32_t* lowpass;
  uint32_t predicted;
};

/// Rows of a subband, one per thread. before: the row above them, or null.
struct Rows {
  Level* levels;
  const Level* before;
  int count, cols;
};

__device__ void add_to_rows(const Rows& rows, Level (*last)[kRows]) {
  const int own = static_cast<int>(threadIdx.x);
  Level* const row = rows.levels + static_cast<ptrdiff_t>(own) * rows.cols;
  const bool first = own == 0;
  int left = 0;
  int corner = 0;
  const int steps = rows.cols + rows.count - 1;
  for (int begin = 0; begin < steps; begin += kAhead) {
    Level errors[kAhead];
    Level before[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const int x = begin + k - own;
      const bool there = own < rows.count && x >= 0 && x < rows.cols;
      errors[k] = there ? row[x] : Level{0};
      before[k] = there && first && rows.before != nullptr ? rows.before[x] : Level{0};
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const int x = begin + k - own;
      if (own < rows.count && x >= 0 && x < rows.cols) {
        int above = first ? before[k] : last[(k + 1) % 2][own - 1];
        if (first && rows.before == nullptr) above = corner = left;
        if (x == 0) left = corner = above;
        left = static_cast<Level>(errors[k] + median_edge(left, above, corner));
        corner = above;
        row[x] = last[k % 2][own] = static_cast<Level>(left);
      }
      __syncthreads();
    }
  }
}

__global__ void __launch_bounds__(kRows) predictions_kernel(const __grid_constant__ Work work) {
  __shared__ Level last[2][kRows];  // of each row, in even and odd steps
  if ((work.predicted >> blockIdx.x & 1U) == 0) return;
  const DeviceTileSet& set = work.sets[work.lowpass[blockIdx.x]];
  Level* const levels = work.levels[set.plane] + set.offsets[0];
  for (int top = 0; top < set.rows; top += kRows) {
    Level* const at = levels + static_cast<ptrdiff_t>(top) * set.cols;
    add_to_rows({at, top == 0 ? nullptr : at - set.cols, min_of(kRows, set.rows - top), set.cols}, last);
  }
}

}  // namespace

Status add_predictions(Device& device, const DeviceTileLayout& layout, const std::array<Level*, 3>& levels,
                       uint32_t predicted, cudaStream_t stream) {
  if (predicted == 0) return {};
  const Work work{{levels[0], levels[1], levels[2]}, layout.sets.data(), layout.lowpass.data(), predicted};
  predictions_kernel<<<static_cast<unsigned>(layout.lowpass.size()), kRows, 0, stream>>>(work);
  return device.launched("predictions_kernel");
}

}  // namespace ctv::cuda
