// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/packet.hpp"

#include <algorithm>
#include <string>

#include "codec/format/bytes.hpp"
#include "codec/format/units.hpp"

namespace ctv {
namespace {

// 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
uint64_t fold(int64_t v) { return static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63); }
int64_t unfold(uint64_t v) { return static_cast<int64_t>(v >> 1 ^ (~(v & 1) + 1)); }

constexpr size_t kReferenceCheckAt = kPrefixSize + 1;  // behind the byte of reference, timing and offset

template <typename Visitor>
void visit(Visitor& v, FrameParameters& f) {
  uint8_t reference = f.type == FrameType::kKey ? 0 : f.reference;
  uint8_t timing = f.duration == 0 ? 0 : 1;
  v.bits("reference", reference, 2, 0, 1);
  v.bits("timing", timing, 1, 0, 1);
  v.bits("reconstruction offset", f.reconstruction_offset, 5, 0, 31);
  f.type = reference == 0 ? FrameType::kKey : FrameType::kPredicted;
  f.reference = reference;
  if (reference > 0) v.fixed("reference check", f.reference_check, 0, UINT16_MAX);
  v.varint("frame number", f.number, 0, UINT32_MAX);
  if (timing == 0) {
    f.time_offset = f.duration = 0;
  } else {
    uint64_t folded = fold(f.time_offset);
    v.varint("time offset", folded, 0, UINT64_MAX);
    f.time_offset = unfold(folded);
    v.varint("duration", f.duration, 1, INT32_MAX);
  }
  v.fixed("base step", f.base_step, 1, UINT16_MAX);
}

/// Part 0 is the motion payload, part i + 1 component i.
uint32_t& part_size(PacketHeader& header, size_t part) {
  return part == 0 ? header.motion_size : header.component_sizes[part - 1];
}

// Calls use(checksum) for each layer above 0 that is not empty.
template <typename Use>
void for_layer_crcs(PacketHeader& header, std::span<const Component> components, Use use) {
  for (size_t i = 0, end = 0; i < components.size(); i = end) {
    const int layer = components[i].layer;
    bool empty = true;
    for (end = i; end < components.size() && components[end].layer == layer; ++end) {
      empty = empty && header.component_sizes[end] == 0;
    }
    if (layer > 0 && !empty) use(header.layer_crcs[static_cast<size_t>(layer)]);
  }
}

// Byte offset of a layer's payload in the unit. Layer 0 begins with the motion payload.
size_t layer_begin(const PacketHeader& header, std::span<const Component> components, int layer) {
  size_t at = header.size;
  if (layer > 0) at += header.motion_size;
  for (size_t i = 0; i < components.size() && components[i].layer < layer; ++i)
    at += header.component_sizes[i];
  return at;
}

uint32_t base_crc(std::span<const uint8_t> unit, const PacketHeader& header) {
  return crc32_of(unit.subspan(header.size, header.base_size), crc32_of(unit.first(header.size - 4)));
}

std::string layer_name(int layer, size_t begin) {
  return "layer " + std::to_string(layer) + " at byte " + std::to_string(begin);
}

Status check_length(std::span<const uint8_t> unit, int layer, size_t begin, size_t end) {
  if (end <= unit.size()) return {};
  return {CTV_ERROR_STREAM, layer_name(layer, begin) + ": needs " + std::to_string(end - begin) +
                                " bytes, the data end at byte " + std::to_string(unit.size())};
}

}  // namespace

void write_packet_header(std::span<const Component> components, PacketHeader& header,
                         std::vector<uint8_t>& bytes) {
  bytes.clear();
  begin_unit(bytes, kTagPacket);
  FieldWriter w(bytes);
  visit(w, header.frame);
  size_t sizes = components.size();
  while (sizes > 0 && part_size(header, sizes) == 0) --sizes;
  w.varint("sizes", sizes);
  uint64_t payload = 0;
  for (size_t i = 0; i <= sizes; ++i) {
    if (i < sizes) w.varint("part size", part_size(header, i));
    payload += part_size(header, i);
  }
  for_layer_crcs(header, components, [&](uint32_t crc) { w.fixed("layer checksum", crc); });
  w.fixed("packet checksum", uint32_t{0});
  header.size = bytes.size();
  header.base_size = layer_begin(header, components, 1) - header.size;
  store_u32(bytes, 4, static_cast<uint32_t>(header.size + payload - kPrefixSize));
}

Status read_packet_header(std::span<const uint8_t> unit, std::span<const Component> components, int layers,
                          PacketHeader& header) {
  CTV_ASSIGN_OR_RETURN(const UnitPrefix prefix, read_prefix(unit));
  if (prefix.kind != UnitKind::kPacket) return {CTV_ERROR_STREAM, "unit tag at byte 0: not a packet"};
  if (unit.size() > prefix.size) {
    return {CTV_ERROR_STREAM, "packet size at byte 4: " + std::to_string(prefix.size) + " bytes announced, " +
                                  std::to_string(unit.size()) + " given"};
  }
  FieldReader r(unit.subspan(kPrefixSize), kPrefixSize);
  visit(r, header.frame);
  uint32_t sizes = 0;
  r.varint("sizes", sizes, 0, components.size());
  if (!r.ok()) return r.status();
  header.motion_size = 0;
  header.component_sizes.assign(components.size(), 0);
  header.layer_crcs.assign(static_cast<size_t>(layers), 0);
  uint64_t payload = 0;
  for (uint32_t i = 0; i < sizes; ++i) {
    r.varint("part size", part_size(header, i), 0, kMaxPayload);
    payload += part_size(header, i);
  }
  part_size(header, sizes) = 1;  // the rest, which is not empty behind other parts
  for_layer_crcs(header, components, [&](uint32_t& crc) { r.fixed("layer checksum", crc, 0, UINT32_MAX); });
  uint32_t crc = 0;
  r.fixed("packet checksum", crc, 0, UINT32_MAX);
  if (!r.ok()) return r.status();
  header.size = kPrefixSize + r.offset();
  header.unit_size = prefix.size;
  const uint64_t least = header.size + payload + (sizes > 0 ? 1 : 0);
  if (least > prefix.size) {
    return {CTV_ERROR_STREAM, "packet size at byte 4: " + std::to_string(prefix.size) +
                                  " bytes announced, at least " + std::to_string(least) +
                                  " by the sizes of its parts"};
  }
  part_size(header, sizes) = static_cast<uint32_t>(prefix.size - header.size - payload);
  if (header.frame.type == FrameType::kKey && header.motion_size != 0) {
    return {CTV_ERROR_STREAM,
            "motion payload at byte " + std::to_string(header.size) + ": a key frame has no vectors"};
  }
  const size_t base_end = layer_begin(header, components, 1);
  header.base_size = base_end - header.size;
  CTV_RETURN_IF_ERROR(check_length(unit, 0, header.size, base_end));
  if (base_crc(unit, header) != crc) {
    return {CTV_ERROR_STREAM, "packet checksum at byte " + std::to_string(header.size - 4) +
                                  ": the header or layer 0 is damaged"};
  }
  header.frame.check = static_cast<uint16_t>(crc);
  return {};
}

uint16_t seal_packet(std::span<uint8_t> packet, const PacketHeader& header) {
  const uint32_t crc = base_crc(packet, header);
  store_u32(packet, header.size - 4, crc);
  return static_cast<uint16_t>(crc);
}

uint16_t bind_to_reference(std::span<uint8_t> packet, const PacketHeader& header, uint16_t reference_check) {
  if (header.frame.type == FrameType::kKey) {
    return static_cast<uint16_t>(load_u32(packet.data() + header.size - 4));
  }
  store_u16(packet, kReferenceCheckAt, reference_check);
  return seal_packet(packet, header);
}

void write_packet(std::span<const Component> components, int layers, std::span<const uint8_t> motion,
                  std::span<const std::span<const uint8_t>> payloads, PacketHeader& header,
                  std::vector<uint8_t>& packet) {
  header.motion_size = static_cast<uint32_t>(motion.size());
  header.component_sizes.clear();
  header.layer_crcs.assign(static_cast<size_t>(layers), 0);
  for (size_t i = 0; i < components.size(); ++i) {
    header.component_sizes.push_back(static_cast<uint32_t>(payloads[i].size()));
    uint32_t& crc = header.layer_crcs[static_cast<size_t>(components[i].layer)];
    if (components[i].layer > 0) crc = crc32_of(payloads[i], crc);
  }
  write_packet_header(components, header, packet);
  packet.insert(packet.end(), motion.begin(), motion.end());
  for (const auto& payload : payloads) packet.insert(packet.end(), payload.begin(), payload.end());
  seal_packet(packet, header);
}

Status find_payloads(std::span<const uint8_t> unit, const PacketHeader& header,
                     std::span<const Component> components, int layers, std::span<const uint8_t>& motion,
                     std::vector<std::span<const uint8_t>>& payloads) {
  for (int layer = 1; layer < layers; ++layer) {
    const size_t begin = layer_begin(header, components, layer);
    const size_t end = layer_begin(header, components, layer + 1);
    CTV_RETURN_IF_ERROR(check_length(unit, layer, begin, end));
    if (crc32_of(unit.subspan(begin, end - begin)) != header.layer_crcs[static_cast<size_t>(layer)]) {
      return {CTV_ERROR_STREAM, layer_name(layer, begin) + ": wrong checksum"};
    }
  }
  motion = unit.subspan(header.size, header.motion_size);
  payloads.clear();
  size_t begin = header.size + header.motion_size;
  for (size_t i = 0; i < components.size() && components[i].layer < layers; ++i) {
    payloads.push_back(unit.subspan(begin, header.component_sizes[i]));
    begin += header.component_sizes[i];
  }
  return {};
}

}  // namespace ctv
