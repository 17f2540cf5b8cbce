// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/bytes.hpp"

#include <zlib.h>

namespace ctv {

uint32_t crc32_of(std::span<const uint8_t> bytes, uint32_t before) {
  if (bytes.empty()) return before;  // its address may be null, which zlib takes for a reset
  return static_cast<uint32_t>(crc32_z(before, bytes.data(), bytes.size()));
}

}  // namespace ctv
