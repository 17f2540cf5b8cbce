// SPDX-License-Identifier: BSD-3-Clause
// Skips zeros, four 16-bit numbers at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ctv {

/// Index of the first number in [at, end) that is not 0, or end.
template <typename T>
size_t skip_zeros(const T* numbers, size_t at, size_t end) {
  static_assert(sizeof(T) == 2);
  for (; at + 4 <= end; at += 4) {
    uint64_t four = 0;
    std::memcpy(&four, numbers + at, sizeof four);
    if (four == 0) continue;
    const int bits =
        std::endian::native == std::endian::little ? std::countr_zero(four) : std::countl_zero(four);
    return at + static_cast<size_t>(bits / 16);
  }
  while (at < end && numbers[at] == 0) ++at;
  return at;
}

/// The same, if seven further numbers after `end` are readable.
inline size_t skip_zeros_padded(const uint16_t* numbers, size_t at, size_t end) {
  for (;; at += 8) {
    std::array<uint64_t, 2> fours;
    std::memcpy(fours.data(), numbers + at, sizeof fours);
    if ((fours[0] | fours[1]) == 0 && at + 8 < end) continue;
    const bool second = fours[0] == 0;
    const uint64_t four = second ? fours[1] : fours[0];
    const int bits =
        std::endian::native == std::endian::little ? std::countr_zero(four) : std::countl_zero(four);
    return std::min(at + (second ? 4U : 0U) + static_cast<size_t>(bits / 16), end);
  }
}

}  // namespace ctv
