// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/packet.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "codec/format/bytes.hpp"
#include "codec/format/units.hpp"
#include "codec/util/parallel.hpp"

namespace ctv {
namespace {

// Maps 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
uint64_t fold(int64_t v) { return static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63); }
int64_t unfold(uint64_t v) { return static_cast<int64_t>(v >> 1 ^ (~(v & 1) + 1)); }

constexpr uint32_t kManySizes = 7;

// Optional fields, which most frames lack, have a presence bit in the first byte.
template <typename Visitor>
void visit(Visitor& v, FrameParameters& f, bool& checked, uint32_t& sizes, const PacketLayout& layout) {
  const bool key = f.type == FrameType::kKey;
  auto reference = static_cast<uint8_t>(key ? 0 : f.reference == 1 ? 1 : 2);
  auto timing = static_cast<uint8_t>(f.duration == 0 ? 0 : 1);
  auto placed = static_cast<uint8_t>(f.slot != 0 || !f.kept || f.temporal_id != 0 ? 1 : 0);
  auto offset = static_cast<uint8_t>(layout.regions && !key ? checked : f.reconstruction_offset != 0);
  uint32_t few = std::min(sizes, kManySizes);
  v.bits("reference", reference, 2, 0, 2);
  v.bits("timing", timing, 1, 0, 1);
  v.bits("placed", placed, 1, 0, 1);
  v.bits(layout.regions && reference != 0 ? "checks" : "offset", offset, 1, 0, 1);
  v.bits("few sizes", few, 3, 0, kManySizes);
  f.type = reference == 0 ? FrameType::kKey : FrameType::kPredicted;
  const bool regions = layout.regions && f.type == FrameType::kPredicted;
  checked = !regions || offset != 0;
  if (regions) offset = 0;
  const size_t components = regions ? kMostRegions : layout.components;
  if (reference < 2) f.reference = reference;
  if (reference == 2) v.fixed("distance", f.reference, 1, kMaxReference);
  if (placed == 0) {
    f.slot = f.temporal_id = 0;
    f.kept = true;
  } else {
    auto discardable = static_cast<uint8_t>(f.kept ? 0 : 1);
    v.bits("discardable", discardable, 1, 0, 1);
    v.bits("slot", f.slot, 3, 0, discardable != 0 ? 0 : kMaxSlots - 1);
    v.bits("temporal id", f.temporal_id, 4, 0, kMaxTemporalId);
    f.kept = discardable == 0;
  }
  if (offset == 0) f.reconstruction_offset = 0;
  if (offset == 1) v.fixed("reconstruction offset", f.reconstruction_offset, 0, 31);
  v.varint("frame number", f.number, 0, UINT32_MAX);
  if (timing == 0) {
    f.time_offset = f.duration = 0;
  } else {
    uint64_t folded = fold(f.time_offset);
    v.varint("time offset", folded, 0, UINT64_MAX);
    f.time_offset = unfold(folded);
    v.varint("duration", f.duration, 1, INT32_MAX);
  }
  v.varint("base step", f.base_step, 1, UINT16_MAX);
  if (few < kManySizes) {
    sizes = few;
    if (sizes > components) v.refuse("few sizes", "more than the parts of a packet");
  } else {
    v.varint("sizes", sizes, 0, components);
  }
}

/// Part 0 is the side payload, part i + 1 is component i.
uint32_t& part_size(PacketHeader& header, size_t part) {
  return part == 0 ? header.side_size : header.component_sizes[part - 1];
}

template <typename Visitor>
void visit_checks(Visitor& v, PacketHeader& header) {
  if (!header.checked) return;
  for (size_t i = 0; i < header.component_sizes.size(); ++i) {
    if (header.component_sizes[i] > 0) v.fixed("part check", header.component_checks[i], 0, UINT16_MAX);
  }
}

size_t checksum_at(const PacketHeader& header) { return header.size - 4; }

// Checksum of header and vectors, or of the whole unit if components have no checks; without the reference
// check.
uint32_t checksum_of(std::span<const uint8_t> unit, const PacketHeader& header) {
  const size_t size = header.checked ? header.side_size : header.unit_size - header.size;
  return crc32_of(unit.subspan(header.size, size), crc32_of(unit.first(checksum_at(header))));
}

uint16_t check_of(uint32_t checksum) { return static_cast<uint16_t>(checksum ^ checksum >> 16); }

Status check_length(std::span<const uint8_t> unit, const std::string& part, size_t begin, size_t end) {
  if (end <= unit.size()) return {};
  return {CTV_ERROR_STREAM, part + " at byte " + std::to_string(begin) + ": needs " +
                                std::to_string(end - begin) + " bytes, the data end at byte " +
                                std::to_string(unit.size())};
}

}  // namespace

uint16_t part_check(std::span<const uint8_t> bytes) { return static_cast<uint16_t>(crc32_of(bytes)); }

void write_packet_header(PacketHeader& header, bool regions, std::vector<uint8_t>& bytes) {
  uint32_t sizes = static_cast<uint32_t>(header.component_sizes.size());
  const PacketLayout layout{sizes, regions, kMaxSlots};
  while (sizes > 0 && part_size(header, sizes) == 0) --sizes;
  uint64_t payload = header.side_size;
  for (const uint32_t size : header.component_sizes) payload += size;
  const auto write_fields = [&] {
    const size_t begin = bytes.size();
    FieldWriter w(bytes);
    visit(w, header.frame, header.checked, sizes, layout);
    for (size_t i = 0; i < sizes; ++i) w.varint("part size", part_size(header, i));
    visit_checks(w, header);
    w.fixed("packet checksum", uint32_t{0});
    return bytes.size() - begin;
  };
  bytes.clear();
  const size_t fields = write_fields();  // the prefix comes before the fields and contains their size
  bytes.clear();
  begin_packet(bytes, static_cast<uint32_t>(fields + payload));
  write_fields();
  header.size = bytes.size();
  header.unit_size = header.size + static_cast<size_t>(payload);
}

Status read_packet_header(std::span<const uint8_t> unit, const PacketLayout& layout, PacketHeader& header) {
  CTV_ASSIGN_OR_RETURN(const UnitPrefix prefix, read_prefix(unit));
  if (prefix.kind != UnitKind::kPacket) return {CTV_ERROR_STREAM, "unit tag at byte 0: not a packet"};
  if (unit.size() > prefix.size) {
    return {CTV_ERROR_STREAM, "packet size at byte 2: " + std::to_string(prefix.size) + " bytes announced, " +
                                  std::to_string(unit.size()) + " given"};
  }
  FieldReader r(unit.subspan(prefix.prefix), prefix.prefix);
  uint32_t sizes = 0;
  visit(r, header.frame, header.checked, sizes, layout);
  if (header.frame.slot >= layout.slots) r.refuse("slot", "the stream has " + std::to_string(layout.slots));
  if (!r.ok()) return r.status();
  const bool key = header.frame.type == FrameType::kKey;
  const size_t components = layout.regions && !key ? sizes : layout.components;
  header.side_size = 0;
  header.component_sizes.assign(components, 0);
  header.component_checks.assign(components, 0);
  uint64_t payload = 0;
  for (uint32_t i = 0; i < sizes; ++i) {
    r.varint("part size", part_size(header, i), 0, kMaxPayload);
    payload += part_size(header, i);
  }
  part_size(header, sizes) = 1;  // stands for the rest of the unit, which must not be empty after other parts
  visit_checks(r, header);
  uint32_t stored = 0;
  r.fixed("packet checksum", stored, 0, UINT32_MAX);
  if (!r.ok()) return r.status();
  header.size = prefix.prefix + r.offset();
  header.unit_size = static_cast<size_t>(prefix.size);
  const uint64_t least = header.size + payload + (sizes > 0 ? 1 : 0);
  if (least > prefix.size) {
    return {CTV_ERROR_STREAM, "packet size at byte 2: " + std::to_string(prefix.size) +
                                  " bytes announced, at least " + std::to_string(least) +
                                  " by the sizes of its parts"};
  }
  part_size(header, sizes) = static_cast<uint32_t>(prefix.size - header.size - payload);
  CTV_RETURN_IF_ERROR(check_length(unit, "side payload", header.size, header.size + header.side_size));
  if (!header.checked) CTV_RETURN_IF_ERROR(check_length(unit, "residual", header.size, header.unit_size));
  const uint32_t difference = checksum_of(unit, header) ^ stored;
  if ((difference & UINT16_MAX) != 0 || (key && difference != 0)) {
    return {CTV_ERROR_STREAM,
            "packet checksum at byte " + std::to_string(checksum_at(header)) +
                (header.checked ? ": the header or the side payload is damaged" : ": the packet is damaged")};
  }
  header.frame.reference_check = static_cast<uint16_t>(difference >> 16);
  header.frame.check = check_of(stored);
  return {};
}

uint16_t seal_packet(std::span<uint8_t> packet, const PacketHeader& header, uint16_t reference_check) {
  uint32_t checksum = checksum_of(packet, header);
  if (header.frame.type == FrameType::kPredicted) checksum ^= uint32_t{reference_check} << 16;
  store_u32(packet, checksum_at(header), checksum);
  return check_of(checksum);
}

void PacketPart::copy(size_t begin, std::span<uint8_t> to) const {
  const std::span<const uint8_t> first = head.subspan(std::min(begin, head.size()));
  const size_t of_head = std::min(first.size(), to.size());
  std::copy_n(first.begin(), of_head, to.begin());
  if (of_head == to.size()) return;
  std::copy_n(rest.subspan(begin + of_head - head.size()).begin(), to.size() - of_head,
              to.subspan(of_head).begin());
}

void write_packet(std::span<const uint8_t> side, std::span<const PacketPart> parts, bool regions,
                  PacketHeader& header, std::vector<uint8_t>& packet, int threads) {
  header.side_size = static_cast<uint32_t>(side.size());
  header.component_sizes.clear();
  for (const PacketPart& part : parts) header.component_sizes.push_back(static_cast<uint32_t>(part.size()));
  header.component_checks.assign(parts.size(), 0);
  std::vector<uint8_t> fields;
  write_packet_header(header, regions, fields);
  // Not cleared before: what is there already is not written twice.
  packet.resize(header.unit_size);
  std::copy(side.begin(), side.end(), packet.begin() + static_cast<std::ptrdiff_t>(header.size));
  PartShares shares;
  shares.begin(parts.size(), threads);
  for (size_t i = 0; i < parts.size(); ++i) shares.add(i, parts[i].size());
  parallel_in_order(threads, static_cast<int>(shares.size()), [&](int task) {
    const PartShares::Share& share = shares[static_cast<size_t>(task)];
    size_t at = header.size + side.size() + share.begin;
    for (size_t before = 0; before < share.part; ++before) at += parts[before].size();
    const std::span<uint8_t> to = std::span(packet).subspan(at, share.size);
    parts[share.part].copy(share.begin, to);
    if (shares.take(static_cast<size_t>(task), to))
      header.component_checks[share.part] = shares.check(share.part);
  });
  write_packet_header(header, regions, fields);
  std::copy(fields.begin(), fields.end(), packet.begin());
  seal_packet(packet, header, 0);
}

void find_payloads(std::span<const uint8_t> unit, const PacketHeader& header, size_t components,
                   const PartLoss& loss, Payloads& payloads) {
  payloads.side = unit.subspan(header.size, header.side_size);
  payloads.components.clear();
  payloads.missing = 0;
  size_t begin = header.size + header.side_size;
  for (size_t i = 0; i < components; ++i) {
    const size_t size = header.component_sizes[i];
    const bool there = begin + size <= unit.size() && !loss.misses(i + 1);
    payloads.components.push_back(there ? unit.subspan(begin, size) : std::span<const uint8_t>());
    begin += size;
  }
  payloads.sound.assign(payloads.components.size(), 0);
}

bool check_payload(const PacketHeader& header, size_t share, std::span<const uint8_t> bytes,
                   Payloads& payloads) {
  if (!payloads.shares.take(share, bytes)) return false;
  const size_t component = payloads.shares[share].part;
  const bool sound =
      header.component_sizes[component] == payloads.components[component].size() &&
      (!header.checked || payloads.shares.check(component) == header.component_checks[component]);
  payloads.sound[component] = sound ? 1 : 0;
  return sound;
}

Status settle_payloads(std::span<const uint8_t> unit, const PacketHeader& header, const PartLoss& loss,
                       Payloads& payloads) {
  size_t begin = header.size + header.side_size;
  for (size_t i = 0; i < payloads.sound.size(); begin += header.component_sizes[i++]) {
    if (payloads.sound[i] != 0) continue;
    if (!loss.conceal) {
      const std::string name = "component " + std::to_string(i);
      CTV_RETURN_IF_ERROR(check_length(unit, name, begin, begin + header.component_sizes[i]));
      const bool there = !payloads.components[i].empty();
      return {CTV_ERROR_STREAM,
              name + " at byte " + std::to_string(begin) + (there ? ": wrong checksum" : ": is missing")};
    }
    ++payloads.missing;
    payloads.components[i] = {};
  }
  return {};
}

}  // namespace ctv
