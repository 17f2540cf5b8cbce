// SPDX-License-Identifier: BSD-3-Clause
// How the subbands of a picture are grouped into the components of a packet: each is coded alone, so that
// each can travel alone and be decoded on a thread of its own. Components go by layer, coarse to fine;
// several layers pooled in one component count as layer 0, so that every prefix of a packet still is a
// picture.
#pragma once

#include <vector>

#include "codec/format/headers.hpp"
#include "codec/format/picture_layout.hpp"

namespace ctv {

/// With runs (EntropyCoding::kRle) no component has more levels, in layer 0 and in others: LZ77 is slow, and
/// where its window of 32 KiB has passed, cutting costs few bytes. A level of layer 0 takes about six times
/// as long.
inline constexpr size_t kMaxLowpassRuns = 1 << 16;
inline constexpr size_t kMaxDetailRuns = 1 << 18;

/// A range of the levels of some subbands, taken plane by plane; nearly always all of them.
struct Component {
  int layer;
  int first_plane, last_plane;  // inclusive
  int first_subband,
      last_subband;   // inclusive, of each of the planes; consecutive in the plane's array of levels
  size_t begin = 0;   // of the range
  size_t levels = 0;  // of the range

  struct Range {
    size_t offset, count;
  };
  /// Levels of one plane: their offset in the plane's array and their number, which may be 0.
  Range range(const PictureLayout& picture, int plane) const;
  size_t offset(const PictureLayout& picture, int plane) const { return range(picture, plane).offset; }
  size_t count(const PictureLayout& picture, int plane) const { return range(picture, plane).count; }
};

std::vector<Component> make_components(const PictureLayout& picture, const Grouping& grouping,
                                       EntropyCoding entropy_coding);

/// The encoder's choice, from the extent of the picture and everything else in the header.
Grouping choose_grouping(const SequenceHeader& header);

}  // namespace ctv
