// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/repair.hpp"

#include <ctv/ctv.h>

#include <algorithm>

#include "codec/format/bytes.hpp"
#include "codec/format/components.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/packet.hpp"
#include "codec/format/units.hpp"
#include "codec/pipeline/slot_table.hpp"
#include "codec/pipeline/stream.hpp"

namespace ctv::test {
namespace {

uint32_t read_varint(const std::vector<uint8_t>& bytes, size_t& at) {
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 70 && at < bytes.size(); shift += 7) {
    const uint8_t byte = bytes[at++];
    v |= static_cast<uint64_t>(byte & 127U) << std::min(shift, 63U);
    if (byte < 128) break;
  }
  return static_cast<uint32_t>(v);
}

// Sets the size in the prefix to that of the following bytes.
void repair_prefix(std::vector<uint8_t>& packet, size_t prefix) {
  std::vector<uint8_t> bytes;
  begin_packet(bytes, static_cast<uint32_t>(packet.size() - prefix));
  bytes.insert(bytes.end(), packet.begin() + static_cast<std::ptrdiff_t>(prefix), packet.end());
  packet = std::move(bytes);
}

}  // namespace

PacketParts packet_parts(const std::vector<uint8_t>& packet, const PacketLayout& layout) {
  PacketParts parts;
  size_t at = 2;
  read_varint(packet, at);
  if (at >= packet.size()) return parts;
  parts.prefix = at;
  const uint8_t bits = packet[at++];
  const bool regions = layout.regions && (bits & 3) != 0;
  if ((bits & 3) == 2) ++at;                                               // distance
  if ((bits & 8) != 0) ++at;                                               // place
  if ((bits & 16) != 0 && !regions) ++at;                                  // reconstruction offset
  read_varint(packet, at);                                                 // frame number
  for (int i = 0; (bits & 4) != 0 && i < 2; ++i) read_varint(packet, at);  // time
  read_varint(packet, at);                                                 // base step
  const size_t sizes = bits >> 5 < 7 ? bits >> 5 : read_varint(packet, at);
  if (sizes > (regions ? kMostRegions : layout.components)) return parts;
  const size_t components = regions ? sizes : layout.components;
  const bool checked = !regions || (bits & 16) != 0;
  std::vector<size_t> size(components + 1);
  for (size_t i = 0; i < sizes; ++i) size[i] = read_varint(packet, at);
  size[sizes] = 1;  // until the rest is known
  for (size_t i = 1; i <= components; ++i) {
    const bool has_check = checked && size[i] != 0;
    parts.checks.push_back(has_check ? at : 0);
    if (has_check) at += 2;
  }
  parts.packet_checksum = at;
  parts.motion_begin = at + 4;
  parts.checked = checked;
  size_t begin = parts.motion_begin;
  for (size_t i = 0; i <= components; ++i) {
    if (i == sizes) size[i] = begin < packet.size() ? packet.size() - begin : 0;
    begin += size[i];
    parts.component_begins.push_back(begin);
  }
  parts.sound = begin <= packet.size();
  return parts;
}

uint16_t repair_packet(std::vector<uint8_t>& packet, const PacketLayout& layout, uint16_t reference_check) {
  PacketParts parts = packet_parts(packet, layout);
  if (!parts.sound) return 0;
  packet.resize(parts.component_begins.back());
  repair_prefix(packet, parts.prefix);
  parts = packet_parts(packet, layout);
  for (size_t i = 0; i < parts.checks.size(); ++i) {
    const size_t begin = parts.component_begins[i];
    if (parts.checks[i] == 0) continue;
    store_u16(packet, parts.checks[i],
              part_check({packet.data() + begin, parts.component_begins[i + 1] - begin}));
  }
  const size_t covered = parts.checked ? parts.component_begins[0] : packet.size();
  uint32_t checksum = crc32_of({packet.data() + parts.motion_begin, covered - parts.motion_begin},
                               crc32_of({packet.data(), parts.packet_checksum}));
  if ((packet[parts.prefix] & 3) != 0) checksum ^= uint32_t{reference_check} << 16;
  store_u32(packet, parts.packet_checksum, checksum);
  return static_cast<uint16_t>(checksum ^ checksum >> 16);
}

void repair_header(std::vector<uint8_t>& unit) {
  if (unit.size() < kPrefixSize + 4) return;
  store_u32(unit, 4, static_cast<uint32_t>(unit.size() - kPrefixSize));
  store_u32(unit, unit.size() - 4, crc32_of({unit.data(), unit.size() - 4}));
}

std::vector<uint8_t> resized(std::vector<uint8_t> header, int width, int height) {
  header[9] = static_cast<uint8_t>(width);
  header[10] = static_cast<uint8_t>(width >> 8);
  header[11] = static_cast<uint8_t>(height);
  header[12] = static_cast<uint8_t>(height >> 8);
  repair_header(header);
  return header;
}

void repair_checksums(std::vector<std::vector<uint8_t>>& units) {
  PacketLayout layout;
  SlotTable slots;
  for (auto& unit : units) {
    const auto prefix = read_prefix(unit);
    if (!prefix.ok()) continue;
    if (prefix->kind == UnitKind::kHeader) {
      repair_header(unit);
      layout = layout_of(unit);
      slots = {};
    } else if (prefix->kind == UnitKind::kPacket && layout.components > 0) {
      repair_packet(unit, layout);
      PacketHeader header;
      if (!read_packet_header(unit, layout, header).ok()) continue;
      const SlotTable::Entry* reference = slots.reference_of(header.frame);
      slots.take(header.frame,
                 repair_packet(unit, layout, reference == nullptr ? uint16_t{0} : reference->check));
    }
  }
}

PacketLayout layout_of(const std::vector<uint8_t>& header) {
  const auto sequence = read_sequence_header(header);
  if (!sequence.ok()) return {};
  PacketLayout layout = packet_layout(make_stream(*sequence));
  layout.slots = kMaxSlots;
  return layout;
}

}  // namespace ctv::test
