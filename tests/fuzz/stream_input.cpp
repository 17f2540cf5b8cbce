// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/stream_input.hpp"

#include <algorithm>

#include "codec/format/units.hpp"

namespace ctv::fuzz {

StreamInput read_input(const uint8_t* data, size_t size) {
  StreamInput input;
  if (size < sizeof input.options) return input;
  size -= sizeof input.options;
  std::copy_n(data + size, sizeof input.options, input.options);
  while (size > 0) {
    size_t length = size;
    if (const auto prefix = read_prefix({data, size}); prefix.ok() && prefix->size < size) {
      length = static_cast<size_t>(prefix->size);
    }
    input.units.emplace_back(data, data + length);
    data += length;
    size -= length;
  }
  return input;
}

}  // namespace ctv::fuzz
