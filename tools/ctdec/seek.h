// SPDX-License-Identifier: BSD-3-Clause
// Where to begin reading so that frame N can be shown: at the last key frame at or before it.
#pragma once

#include <cstdint>
#include <optional>

#include "io/unit_reader.h"

namespace ctv::tools {

/// Where the units begin: the header that is in force at a key frame, and its packet.
struct KeyFramePlace {
  uint64_t header, packet;
};
/// The last key frame at or before frame N of a file, by the index if there is a sound one, else by scanning.
/// Nothing if it cannot be found (a pipe, damage): decode from the start then. The reader is then anywhere.
std::optional<KeyFramePlace> find_key_frame(UnitReader& units, int64_t frame);

/// How many pictures the index of a file lists. The reader is then at the stream's start.
std::optional<int64_t> pictures_by_index(UnitReader& units);

}  // namespace ctv::tools
