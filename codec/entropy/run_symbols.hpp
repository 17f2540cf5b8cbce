// SPDX-License-Identifier: BSD-3-Clause
// Levels of a chunk as bytes (docs/bitstream.md, 6.1): values and runs of zeros (Katsigiannis et al., section
// II), apart from each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/entropy/model/run_chunk.hpp"
#include "codec/entropy/model/run_index.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// The most bytes that a chunk needs, with what is written beyond them.
inline constexpr size_t kMostValueBytes = 3 * kRunChunk + 8;
inline constexpr size_t kMostRunBytes = kRunChunk / 2 + 8;  // two of each run of more than 128

struct RunBytes {
  uint32_t values = 0, runs = 0;
};

/// Writes the bytes of at most kRunChunk levels to `values` (kMostValueBytes) and `runs` (kMostRunBytes).
/// with_runs: zeros are runs; otherwise all levels are values. Returns how many bytes there are.
RunBytes find_run_bytes(std::span<const Level> levels, bool with_runs, uint8_t* values, uint8_t* runs);

}  // namespace ctv
