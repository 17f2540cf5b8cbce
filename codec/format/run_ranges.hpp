// SPDX-License-Identifier: BSD-3-Clause
// A component's levels, plane by plane, as one sequence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "codec/format/components.hpp"
#include "codec/format/picture_layout.hpp"

namespace ctv {

/// Levels that follow each other in a plane.
struct RunRange {
  size_t plane, offset, count;
};

inline std::vector<RunRange> run_ranges(const PictureLayout& picture, const Component& c) {
  std::vector<RunRange> ranges;
  for (int p = c.first_plane; p <= c.last_plane; ++p) {
    if (c.count(picture, p) > 0)
      ranges.push_back({static_cast<size_t>(p), c.offset(picture, p), c.count(picture, p)});
  }
  return ranges;
}

/// Calls with_levels(plane, offset, count) for the parts of levels [first, last) of the sequence.
template <typename Work>
void for_ranges(const std::vector<RunRange>& ranges, size_t first, size_t last, Work with_levels) {
  size_t before = 0;
  for (const RunRange& r : ranges) {
    const size_t begin = std::clamp(first, before, before + r.count) - before;
    const size_t end = std::clamp(last, before, before + r.count) - before;
    if (end > begin) with_levels(r.plane, r.offset + begin, end - begin);
    before += r.count;
  }
}

}  // namespace ctv
