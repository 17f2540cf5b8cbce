// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/bytes.hpp"

#if defined(CTV_HAVE_LIBDEFLATE)
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

namespace ctv {

uint32_t crc32_of(std::span<const uint8_t> bytes) {
#if defined(CTV_HAVE_LIBDEFLATE)
  return libdeflate_crc32(0, bytes.data(), bytes.size());
#else
  return static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
#endif
}

}  // namespace ctv
