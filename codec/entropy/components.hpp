// SPDX-License-Identifier: BSD-3-Clause
// How the subbands of a picture are grouped into the components of a packet: each is coded alone, so that
// each can travel alone and be decoded on a thread of its own. Components go by layer, coarse to fine;
// several layers pooled in one component count as layer 0, so that every prefix of a packet still is a
// picture.
#pragma once

#include <vector>

#include "codec/bitstream/headers.hpp"
#include "codec/frame/picture_layout.hpp"

namespace ctv {

struct Component {
  int layer;
  int first_plane, last_plane;  // inclusive
  int first_subband,
      last_subband;   // inclusive, of each of the planes; consecutive in the plane's array of levels
  size_t levels = 0;  // of all of it

  /// Levels of one plane's part: its offset in the plane's array and their number.
  size_t offset(const PictureLayout& picture, int plane) const {
    return picture.subbands[static_cast<size_t>(plane)].subbands[static_cast<size_t>(first_subband)].offset;
  }
  size_t count(const PictureLayout& picture, int plane) const {
    const auto& s = picture.subbands[static_cast<size_t>(plane)].subbands[static_cast<size_t>(last_subband)];
    return s.offset + s.size() - offset(picture, plane);
  }
};

std::vector<Component> make_components(const PictureLayout& picture, const Grouping& grouping);

/// The encoder's choice, from the extent of the picture and everything else in the header.
Grouping choose_grouping(const SequenceHeader& header);

}  // namespace ctv
