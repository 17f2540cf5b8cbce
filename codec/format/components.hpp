// SPDX-License-Identifier: BSD-3-Clause
// Groups the subbands of a picture into the components of a packet. Each component is coded independently, so
// it can be sent separately and decoded by another thread. Components are ordered by layer, coarse to fine.
// Pooled layers form one component in layer 0, so that every prefix of a packet gives a picture.
#pragma once

#include <vector>

#include "codec/format/headers.hpp"
#include "codec/format/picture_layout.hpp"

namespace ctv {

/// The levels of some subbands, plane by plane.
struct Component {
  int layer;
  int first_plane, last_plane;      // inclusive
  int first_subband, last_subband;  // inclusive, in each of the planes
  size_t levels = 0;                // of all planes

  struct Range {
    size_t offset, count;
  };
  /// Range of the component's levels in one plane's array; the count may be 0.
  Range range(const PictureLayout& picture, int plane) const;
  size_t offset(const PictureLayout& picture, int plane) const { return range(picture, plane).offset; }
  size_t count(const PictureLayout& picture, int plane) const { return range(picture, plane).count; }
};

std::vector<Component> make_components(const PictureLayout& picture, const Grouping& grouping);

/// The encoder's choice, from the picture's extent and the other header fields.
Grouping choose_grouping(const SequenceHeader& header);

}  // namespace ctv
