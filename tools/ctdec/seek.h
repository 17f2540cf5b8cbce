// SPDX-License-Identifier: BSD-3-Clause
// Where to begin reading so that frame N can be shown: at the last key frame at or before it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "io/unit_reader.h"

namespace ctv::tools {

/// Moves the reader of a file to that key frame's packet, by the index if there is a sound one, else by
/// scanning. header: the stream's first unit. False, with the reader at the stream's start, if it cannot be
/// found (a pipe, damage): decode from the start then.
bool seek_key_frame(UnitReader& units, std::span<const uint8_t> header, int64_t frame);

/// How many pictures the index of a file lists. The reader is then at the stream's start.
std::optional<int64_t> pictures_by_index(UnitReader& units);

}  // namespace ctv::tools
