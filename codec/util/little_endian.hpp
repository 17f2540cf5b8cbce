// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a word, with the first byte lowest, on every machine.
#pragma once

#include <bit>
#include <cstdint>

namespace ctv {

/// Converts a word copied from memory, or to be copied to memory.
constexpr uint64_t little_endian(uint64_t v) {
  if constexpr (std::endian::native == std::endian::little) {
    return v;
  } else {
    uint64_t swapped = 0;
    for (int i = 0; i < 8; ++i) swapped |= (v >> (8 * i) & 255U) << (56 - 8 * i);
    return swapped;
  }
}

/// The same for 16 bits.
constexpr uint16_t from_little_endian(uint16_t v) {
  return std::endian::native == std::endian::little ? v : static_cast<uint16_t>(v << 8 | v >> 8);
}

}  // namespace ctv
