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

constexpr size_t kFlagsAt = kPrefixSize;  // reference, timing, reconstruction offset

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

PacketParts packet_parts(const std::vector<uint8_t>& packet, const std::vector<int>& component_layers) {
  PacketParts parts;
  if (packet.size() <= kFlagsAt) return parts;
  size_t at = kFlagsAt + 1;
  if ((packet[kFlagsAt] & 3) != 0) at += 2;  // the check of the reference
  read_varint(packet, at);                   // frame number
  for (int i = 0; (packet[kFlagsAt] & 4) != 0 && i < 2; ++i) read_varint(packet, at);  // time
  at += 2;
  const size_t count = component_layers.size();
  const size_t sizes = read_varint(packet, at);
  if (sizes > count) return parts;
  std::vector<size_t> size(count + 1);
  for (size_t i = 0; i < sizes; ++i) size[i] = read_varint(packet, at);
  size[sizes] = 1;  // until the rest is known
  for (size_t i = 0; i < count; ++i) {
    size_t& crc = parts.layer_crcs.emplace_back(0);
    const bool first = i == 0 || component_layers[i] != component_layers[i - 1];
    if (component_layers[i] == 0 || !first) continue;
    size_t bytes = 0;
    for (size_t k = i; k < count && component_layers[k] == component_layers[i]; ++k) bytes += size[k + 1];
    if (bytes == 0) continue;
    crc = at;
    at += 4;
  }
  parts.packet_crc = at;
  parts.motion_begin = at + 4;
  size_t begin = parts.motion_begin;
  for (size_t i = 0; i <= count; ++i) {
    if (i == sizes) size[i] = begin < packet.size() ? packet.size() - begin : 0;
    begin += size[i];
    parts.component_begins.push_back(begin);
  }
  parts.sound = begin <= packet.size();
  return parts;
}

uint16_t repair_packet(std::vector<uint8_t>& packet, const std::vector<int>& component_layers,
                       std::optional<uint16_t> reference_check) {
  if (packet.size() < kFlagsAt + 3) return 0;
  if (reference_check && (packet[kFlagsAt] & 3) != 0) store_u16(packet, kFlagsAt + 1, *reference_check);
  const PacketParts parts = packet_parts(packet, component_layers);
  if (!parts.sound) return 0;
  packet.resize(parts.component_begins.back());
  store_u32(packet, 4, static_cast<uint32_t>(packet.size() - kPrefixSize));
  size_t base_end = parts.motion_begin;
  for (size_t i = 0; i < component_layers.size(); ++i) {
    if (component_layers[i] == 0) base_end = parts.component_begins[i + 1];
    if (parts.layer_crcs[i] == 0) continue;
    size_t end = i + 1;  // of the layer
    while (end < component_layers.size() && component_layers[end] == component_layers[i]) ++end;
    const size_t begin = parts.component_begins[i];
    store_u32(packet, parts.layer_crcs[i],
              crc32_of({packet.data() + begin, parts.component_begins[end] - begin}));
  }
  const uint32_t crc = crc32_of({packet.data() + parts.motion_begin, base_end - parts.motion_begin},
                                crc32_of({packet.data(), parts.packet_crc}));
  store_u32(packet, parts.packet_crc, crc);
  return static_cast<uint16_t>(crc);
}

void repair_header(std::vector<uint8_t>& unit) {
  if (unit.size() < kPrefixSize + 4) return;
  store_u32(unit, 4, static_cast<uint32_t>(unit.size() - kPrefixSize));
  store_u32(unit, unit.size() - 4, crc32_of({unit.data(), unit.size() - 4}));
}

void repair_checksums(std::vector<std::vector<uint8_t>>& units) {
  std::vector<int> layers;
  uint16_t check = 0;  // of the packet before, so that predicted packets are decoded
  for (auto& unit : units) {
    const auto prefix = read_prefix(unit);
    if (!prefix.ok()) continue;
    if (prefix->kind == UnitKind::kHeader) {
      repair_header(unit);
      layers = layers_of_components(unit);
    } else if (prefix->kind == UnitKind::kPacket && !layers.empty()) {
      check = repair_packet(unit, layers, check);
    }
  }
}

std::vector<int> layers_of_components(const std::vector<uint8_t>& header) {
  const auto sequence = read_sequence_header(header);
  if (!sequence.ok()) return {};
  std::vector<int> layers;
  for (const Component& c : make_components(make_stream(*sequence).picture, sequence->grouping)) {
    layers.push_back(c.layer);
  }
  return layers;
}

}  // namespace ctv::test
