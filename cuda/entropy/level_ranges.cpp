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
  const auto begin_of = [&](size_t i) { return levels[ranges[i].plane] + ranges[i].offset; };
  for (size_t i = 0; i < ranges.size();) {
    const Level* const begin = begin_of(i);
    Level* end = begin_of(i);
    for (; i < ranges.size() && begin_of(i) == end; ++i) end += ranges[i].count;  // planes may touch
    const size_t count = static_cast<size_t>(end - begin);
    CTV_CUDA_TRY(device, cudaMemsetAsync(end - count, 0, count * sizeof(Level), stream));
  }
  return {};
}

}  // namespace ctv::cuda
