// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/repair.hpp"

#include <ctv/ctv.h>

#include <algorithm>

#include "codec/format/bytes.hpp"
#include "codec/format/components.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/units.hpp"
#include "codec/pipeline/stream.hpp"

namespace ctv::test {
namespace {

// Number, reference, timing, base step, reconstruction offset: the fields of every packet header between the
// unit's prefix and the sizes.
constexpr size_t kReferenceAt = kPrefixSize + 4;
constexpr size_t kLeastFields = 4 + 1 + 1 + 2 + 1;

uint32_t read_varint(const std::vector<uint8_t>& bytes, size_t& at) {
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 70 && at < bytes.size(); shift += 7) {
    const uint8_t byte = bytes[at++];
    v |= static_cast<uint64_t>(byte & 127U) << std::min(shift, 63U);
    if (byte < 128) break;
  }
  return static_cast<uint32_t>(v);
}

}  // namespace

PacketParts packet_parts(const std::vector<uint8_t>& packet, size_t components, size_t layers) {
  PacketParts parts;
  size_t at = kReferenceAt;
  if (packet[at++] != 0) at += 2;  // the check of the reference
  if (packet[at++] != 0) read_varint(packet, at), read_varint(packet, at);
  at += 3;
  std::vector<size_t> sizes(components + 1);
  for (size_t& size : sizes) size = read_varint(packet, at);
  parts.layer_crcs = at;
  parts.header_crc = at + 4 * layers;
  parts.motion_begin = parts.header_crc + 4;
  size_t begin = parts.motion_begin + sizes[0];
  for (size_t i = 0; i < components; ++i) {
    parts.component_begins.push_back(begin);
    begin += sizes[i + 1];
  }
  parts.component_begins.push_back(begin);
  parts.sound = begin <= packet.size();
  return parts;
}

uint16_t repair_packet(std::vector<uint8_t>& packet, const std::vector<int>& component_layers, size_t layers,
                       std::optional<uint16_t> reference_check) {
  if (packet.size() < kPrefixSize + kLeastFields) return 0;
  if (reference_check && packet[kReferenceAt] != 0) store_u16(packet, kReferenceAt + 1, *reference_check);
  const PacketParts parts = packet_parts(packet, component_layers.size(), layers);
  if (!parts.sound) return 0;
  size_t begin = parts.motion_begin;
  for (size_t layer = 0; layer < layers; ++layer) {
    size_t last = 0;  // behind the layer's last component
    while (last < component_layers.size() && static_cast<size_t>(component_layers[last]) <= layer) ++last;
    const size_t end = parts.component_begins[last];
    store_u32(packet, parts.layer_crcs + 4 * layer, crc32_of({packet.data() + begin, end - begin}));
    begin = end;
  }
  store_u32(packet, 4, static_cast<uint32_t>(parts.component_begins.back() - kPrefixSize));
  packet.resize(parts.component_begins.back());
  const uint32_t crc = crc32_of({packet.data(), parts.header_crc});
  store_u32(packet, parts.header_crc, crc);
  return static_cast<uint16_t>(crc);
}

void repair_header(std::vector<uint8_t>& unit) {
  if (unit.size() < kPrefixSize + 4) return;
  store_u32(unit, 4, static_cast<uint32_t>(unit.size() - kPrefixSize));
  store_u32(unit, unit.size() - 4, crc32_of({unit.data(), unit.size() - 4}));
}

std::vector<int> layers_of_components(const std::vector<uint8_t>& header) {
  const auto sequence = read_sequence_header(header);
  if (!sequence.ok()) return {};
  std::vector<int> layers;
  for (const Component& c :
       make_components(make_stream(*sequence).picture, sequence->grouping, sequence->entropy_coding)) {
    layers.push_back(c.layer);
  }
  return layers;
}

}  // namespace ctv::test
