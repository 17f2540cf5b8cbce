// SPDX-License-Identifier: BSD-3-Clause
// Finds the position from which frame N can be decoded: the last key frame at or before it.
#pragma once

#include <cstdint>
#include <optional>

#include "io/unit_reader.h"

namespace ctv::tools {

/// Offsets of the header that applies to a key frame, and of its packet.
struct KeyFramePlace {
  uint64_t header, packet;
  int64_t before = 0;  // frames of the streams that were put in front of this one
};
/// Finds the last key frame at or before frame N of a file, by an intact index, else by scanning. Streams
/// behind each other count as one. Nothing if it cannot be found (a pipe, damage): then decode from the
/// start. The reader's position is then undefined.
std::optional<KeyFramePlace> find_key_frame(UnitReader& units, int64_t frame);

/// The number of pictures in a file's index. The reader is then at the stream's start.
std::optional<int64_t> pictures_by_index(UnitReader& units);

}  // namespace ctv::tools
