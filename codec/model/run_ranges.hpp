// SPDX-License-Identifier: BSD-3-Clause
// A component's levels, plane by plane, as one sequence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "codec/format/components.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/model/run_index.hpp"

namespace ctv {

/// Consecutive levels of a plane.
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

/// A component that a device codes by runs.
struct RunComponent {
  std::vector<RunRange> ranges;  // at most three, one per plane
  bool lowpass = false;          // layer 0, coded without runs in key frames
};
/// A coded component: `stream` follows the index, which RunIndexWriter makes of `chunks`. Both are empty if
/// all levels are 0; the component then has no bytes.
struct CodedRuns {
  std::span<const RunChunkBits> chunks;
  std::span<const uint8_t> stream;
};

/// Calls with_levels(plane, offset, count) for the ranges that levels [first, last) of the sequence cover.
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
