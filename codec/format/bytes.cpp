// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/bytes.hpp"

#if defined(CTV_HAVE_LIBDEFLATE)
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

namespace ctv {

uint32_t crc32_of(std::span<const uint8_t> bytes, uint32_t before) {
  if (bytes.empty()) return before;  // its address may be null, which the libraries take for a reset
#if defined(CTV_HAVE_LIBDEFLATE)
  return libdeflate_crc32(before, bytes.data(), bytes.size());
#else
  return static_cast<uint32_t>(crc32_z(before, bytes.data(), bytes.size()));
#endif
}

}  // namespace ctv
