/* SPDX-License-Identifier: BSD-3-Clause */
// The two functions of zlib that the library calls: CRC-32 of ISO 3309. There is no zlib for emscripten in
// Debian.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef long z_off_t;

struct CrcTables {
  uint32_t of[4][256];  // [k]: checksum of a byte that k others follow
  constexpr CrcTables() : of() {
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? c >> 1 ^ 0xedb88320U : c >> 1;
      of[0][i] = c;
    }
    for (int k = 1; k < 4; ++k) {
      for (uint32_t i = 0; i < 256; ++i) of[k][i] = of[k - 1][i] >> 8 ^ of[0][of[k - 1][i] & 255];
    }
  }
};
inline constexpr CrcTables kCrcTables;

inline unsigned long crc32_z(unsigned long before, const uint8_t* bytes, size_t size) {
  const auto& t = kCrcTables.of;
  uint32_t c = ~static_cast<uint32_t>(before);
  for (; size >= 4; size -= 4, bytes += 4) {
    c ^= static_cast<uint32_t>(bytes[0] | bytes[1] << 8 | bytes[2] << 16) | static_cast<uint32_t>(bytes[3])
                                                                                << 24;
    c = t[3][c & 255] ^ t[2][c >> 8 & 255] ^ t[1][c >> 16 & 255] ^ t[0][c >> 24];
  }
  for (; size > 0; --size) c = c >> 8 ^ t[0][(c ^ *bytes++) & 255];
  return ~c;
}

// CRC of the concatenation of two blocks: the first checksum, advanced by the second length, XOR the second.
inline unsigned long crc32_combine(unsigned long first, unsigned long second, z_off_t size) {
  auto c = static_cast<uint32_t>(first);
  for (; size > 0; --size) c = c >> 8 ^ kCrcTables.of[0][c & 255];
  return c ^ static_cast<uint32_t>(second);
}
