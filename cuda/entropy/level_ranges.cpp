// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/entropy/level_ranges.hpp"

#include <algorithm>

namespace ctv::cuda {

std::vector<RunRange> join_ranges(std::vector<RunRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const RunRange& a, const RunRange& b) {
    return a.plane != b.plane ? a.plane < b.plane : a.offset < b.offset;
  });
  std::vector<RunRange> joined;
  for (const RunRange& r : ranges) {
    if (!joined.empty() && r.plane == joined.back().plane &&
        r.offset == joined.back().offset + joined.back().count) {
      joined.back().count += r.count;
    } else {
      joined.push_back(r);
    }
  }
  return joined;
}

Status clear_ranges(Device& device, const std::vector<RunRange>& ranges, const std::array<Level*, 3>& levels,
                    cudaStream_t stream) {
  for (const RunRange& r : ranges) {
    CTV_CUDA_TRY(device, cudaMemsetAsync(levels[r.plane] + r.offset, 0, r.count * sizeof(Level), stream));
  }
  return {};
}

}  // namespace ctv::cuda
