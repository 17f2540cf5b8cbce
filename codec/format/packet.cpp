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

template <typename Visitor>
void visit(Visitor& v, FrameParameters& f) {
  v.fixed("frame number", f.number, 0, UINT32_MAX);
  uint8_t reference = f.type == FrameType::kKey ? 0 : f.reference;
  v.fixed("reference", reference, 0, 1);
  f.type = reference == 0 ? FrameType::kKey : FrameType::kPredicted;
  f.reference = reference;
  if (reference > 0) v.fixed("reference check", f.reference_check, 0, UINT16_MAX);
  uint8_t timing = f.duration == 0 ? 0 : 1;
  v.fixed("timing", timing, 0, 1);
  if (timing == 0) {
    f.time_offset = f.duration = 0;
  } else {
    uint64_t folded = fold(f.time_offset);
    v.varint("time offset", folded, 0, UINT64_MAX);
    f.time_offset = unfold(folded);
    v.varint("duration", f.duration, 1, INT32_MAX);
  }
  v.fixed("base step", f.base_step, 1, UINT16_MAX);
  v.fixed("reconstruction offset", f.reconstruction_offset, 0, 31);
}

// Byte offset of a layer's payload in the unit. Layer 0 begins with the motion payload.
size_t layer_begin(const PacketHeader& header, std::span<const Component> components, int layer) {
  size_t at = header.size;
  if (layer > 0) at += header.motion_size;
  for (size_t i = 0; i < components.size() && components[i].layer < layer; ++i)
    at += header.component_sizes[i];
  return at;
}

constexpr size_t kReferenceAt = kPrefixSize + 4;  // behind the frame number

}  // namespace

void write_packet_header(const PacketHeader& header, std::vector<uint8_t>& bytes) {
  bytes.clear();
  begin_unit(bytes, kTagPacket);
  FieldWriter w(bytes);
  FrameParameters f = header.frame;
  visit(w, f);
  w.varint("motion size", header.motion_size);
  uint64_t payload = header.motion_size;
  for (const uint32_t size : header.component_sizes) {
    w.varint("component size", size);
    payload += size;
  }
  for (const uint32_t crc : header.layer_crcs) w.fixed("layer checksum", crc);
  store_u32(bytes, 4, static_cast<uint32_t>(bytes.size() + 4 + payload - kPrefixSize));
  append_crc(bytes);
}

Status read_packet_header(std::span<const uint8_t> unit, size_t components, size_t layers,
                          PacketHeader& header) {
  CTV_ASSIGN_OR_RETURN(const UnitPrefix prefix, read_prefix(unit));
  if (prefix.kind != UnitKind::kPacket) return {CTV_ERROR_STREAM, "unit tag at byte 0: not a packet"};
  if (unit.size() > prefix.size) {
    return {CTV_ERROR_STREAM, "packet size at byte 4: " + std::to_string(prefix.size) + " bytes announced, " +
                                  std::to_string(unit.size()) + " given"};
  }
  FieldReader r(unit.subspan(kPrefixSize), kPrefixSize);
  visit(r, header.frame);
  r.varint("motion size", header.motion_size, 0, kMaxPayload);
  header.component_sizes.resize(components);
  header.layer_crcs.resize(layers);
  uint64_t payload = header.motion_size;
  for (uint32_t& size : header.component_sizes) {
    r.varint("component size", size, 0, kMaxPayload);
    payload += size;
  }
  for (uint32_t& crc : header.layer_crcs) r.fixed("layer checksum", crc, 0, UINT32_MAX);
  const size_t covered = kPrefixSize + r.offset();
  uint32_t crc = 0;
  r.fixed("packet header checksum", crc, 0, UINT32_MAX);
  if (!r.status().ok()) return r.status();
  CTV_RETURN_IF_ERROR(check_crc(unit.first(covered), crc, "packet header"));
  header.frame.check = static_cast<uint16_t>(crc);
  header.size = covered + 4;
  header.unit_size = prefix.size;
  if (header.size + payload != prefix.size) {
    return {CTV_ERROR_STREAM, "packet size at byte 4: " + std::to_string(prefix.size) + " bytes announced, " +
                                  std::to_string(header.size + payload) + " by the component sizes"};
  }
  return {};
}

uint16_t bind_to_reference(std::span<uint8_t> packet, size_t header_size, uint16_t reference_check) {
  const size_t crc_at = header_size - 4;
  if (packet[kReferenceAt] != 0) {
    store_u16(packet, kReferenceAt + 1, reference_check);
    store_u32(packet, crc_at, crc32_of(packet.first(crc_at)));
  }
  return static_cast<uint16_t>(load_u32(packet.data() + crc_at));
}

// The checksums stand before what they cover: write the header once for its size, then the payload, then
// again.
void write_packet(std::span<const Component> components, int layers, std::span<const uint8_t> motion,
                  std::span<const std::span<const uint8_t>> payloads, PacketHeader& header,
                  std::vector<uint8_t>& scratch, std::vector<uint8_t>& packet) {
  header.motion_size = static_cast<uint32_t>(motion.size());
  header.component_sizes.clear();
  size_t payload_size = motion.size();
  for (const auto& payload : payloads) {
    header.component_sizes.push_back(static_cast<uint32_t>(payload.size()));
    payload_size += payload.size();
  }
  header.layer_crcs.assign(static_cast<size_t>(layers), 0);
  write_packet_header(header, packet);
  header.size = packet.size();
  packet.reserve(header.size + payload_size);
  packet.insert(packet.end(), motion.begin(), motion.end());
  for (const auto& payload : payloads) packet.insert(packet.end(), payload.begin(), payload.end());
  for (int layer = 0; layer < layers; ++layer) {
    const size_t begin = layer_begin(header, components, layer);
    const size_t end = layer_begin(header, components, layer + 1);
    header.layer_crcs[static_cast<size_t>(layer)] = crc32_of({packet.data() + begin, end - begin});
  }
  write_packet_header(header, scratch);
  std::copy(scratch.begin(), scratch.end(), packet.begin());
}

Status find_payloads(std::span<const uint8_t> unit, const PacketHeader& header,
                     std::span<const Component> components, int layers, std::span<const uint8_t>& motion,
                     std::vector<std::span<const uint8_t>>& payloads) {
  if (header.frame.type == FrameType::kKey && header.motion_size != 0) {
    return {CTV_ERROR_STREAM, "motion size: a key frame has no vectors"};
  }
  for (int layer = 0; layer < layers; ++layer) {
    const size_t begin = layer_begin(header, components, layer);
    const size_t end = layer_begin(header, components, layer + 1);
    const std::string name = "layer " + std::to_string(layer) + " at byte " + std::to_string(begin);
    if (end > unit.size()) {
      return {CTV_ERROR_STREAM, name + ": needs " + std::to_string(end - begin) +
                                    " bytes, the data end at byte " + std::to_string(unit.size())};
    }
    if (crc32_of(unit.subspan(begin, end - begin)) != header.layer_crcs[static_cast<size_t>(layer)]) {
      return {CTV_ERROR_STREAM, name + ": wrong checksum"};
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
