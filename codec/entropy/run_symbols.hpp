// SPDX-License-Identifier: BSD-3-Clause
// Levels of a chunk as symbols (docs/bitstream.md, 6.1): values and runs of zeros (Katsigiannis et al.,
// section II). The first byte of a symbol is its head, the others are its tail; both are stored separately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/model/run_chunk.hpp"
#include "codec/model/run_index.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Room for a chunk's bytes, including the overrun.
inline constexpr size_t kMostHeads = kRunChunk + 8;
inline constexpr size_t kMostTails = 2 * kRunChunk + 8;

struct RunBytes {
  uint32_t heads = 0, tails = 0;
};

/// Writes the symbols of at most kRunChunk levels to `heads` (kMostHeads) and `tails` (kMostTails). runs:
/// zeros are coded as runs; otherwise all levels are coded as differences. Returns the numbers of bytes.
RunBytes find_run_bytes(std::span<const Level> levels, bool runs, uint8_t* heads, uint8_t* tails);

}  // namespace ctv
