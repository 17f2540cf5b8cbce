// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/stream_input.hpp"

#include <algorithm>

#include "codec/format/bytes.hpp"
#include "codec/format/units.hpp"

namespace ctv::fuzz {

StreamInput read_input(const uint8_t* data, size_t size) {
  StreamInput input;
  if (size < sizeof input.options) return input;
  size -= sizeof input.options;
  std::copy_n(data + size, sizeof input.options, input.options);
  while (size > 0) {
    uint64_t length = size;
    if (size >= kPrefixSize) length = std::min<uint64_t>(size, kPrefixSize + uint64_t{load_u32(data + 4)});
    input.units.emplace_back(data, data + length);
    data += length;
    size -= length;
  }
  return input;
}

}  // namespace ctv::fuzz
