// SPDX-License-Identifier: BSD-3-Clause
// Groups the subbands of a picture into the components of a packet. Each component is coded independently, so
// it can be sent alone and decoded on a separate thread. Components are ordered by layer, coarse to fine.
// Pooled layers form one component that counts as layer 0, so that every prefix of a packet is a picture.
#pragma once

#include <vector>

#include "codec/format/headers.hpp"
#include "codec/format/picture_layout.hpp"

namespace ctv {

/// Largest components with runs (EntropyCoding::kRle), in layer 0 and in others. LZ77 is slow, and beyond its
/// window of 32 KiB a cut costs few bytes. A level of layer 0 takes about six times as long.
inline constexpr size_t kMaxLowpassRuns = 1 << 16;
inline constexpr size_t kMaxDetailRuns = 1 << 18;

/// A range of the levels of some subbands, taken plane by plane; usually all of them.
struct Component {
  int layer;
  int first_plane, last_plane;  // inclusive
  int first_subband,
      last_subband;   // inclusive, in each of the planes
  size_t begin = 0;   // of the range
  size_t levels = 0;  // of the range

  struct Range {
    size_t offset, count;
  };
  /// The component's levels in one plane: offset in the plane's array, and count, which may be 0.
  Range range(const PictureLayout& picture, int plane) const;
  size_t offset(const PictureLayout& picture, int plane) const { return range(picture, plane).offset; }
  size_t count(const PictureLayout& picture, int plane) const { return range(picture, plane).count; }
};

std::vector<Component> make_components(const PictureLayout& picture, const Grouping& grouping,
                                       EntropyCoding entropy_coding);

/// The encoder's choice, from the picture's extent and the other fields of the header.
Grouping choose_grouping(const SequenceHeader& header);

}  // namespace ctv
