// SPDX-License-Identifier: BSD-3-Clause
// RFC 1951 by zlib, to check streams that the codec wrote without a library.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ctv::test {

/// Returns the inflated bytes; empty unless the input is exactly one stream.
inline std::optional<std::vector<uint8_t>> inflate(std::span<const uint8_t> bytes) {
  z_stream z{};
  if (inflateInit2(&z, -15) != Z_OK) return {};
  std::vector<uint8_t> out(1 << 16);
  z.next_in = const_cast<uint8_t*>(bytes.data());
  z.avail_in = static_cast<unsigned>(bytes.size());
  int result = Z_OK;
  while (result == Z_OK) {
    if (z.total_out == out.size()) out.resize(2 * out.size());
    z.next_out = out.data() + z.total_out;
    z.avail_out = static_cast<unsigned>(out.size() - z.total_out);
    result = ::inflate(&z, Z_NO_FLUSH);
  }
  out.resize(z.total_out);
  const bool whole = result == Z_STREAM_END && z.avail_in == 0;
  inflateEnd(&z);
  if (!whole) return {};
  return out;
}

}  // namespace ctv::test
