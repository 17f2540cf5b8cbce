// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/stream_input.hpp"

#include <algorithm>

#include "codec/format/bytes.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/units.hpp"
#include "tests/support/repair.hpp"

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

void repair_checksums(std::vector<std::vector<uint8_t>>& units) {
  std::vector<int> layers;
  uint16_t check = 0;  // of the packet before, so that predicted packets are decoded
  for (auto& unit : units) {
    const auto prefix = read_prefix(unit);
    if (!prefix.ok()) continue;
    if (prefix->kind == UnitKind::kHeader) {
      test::repair_header(unit);
      layers = test::layers_of_components(unit);
    } else if (prefix->kind == UnitKind::kPacket && !layers.empty()) {
      check = test::repair_packet(unit, layers, check);
    }
  }
}

}  // namespace ctv::fuzz
