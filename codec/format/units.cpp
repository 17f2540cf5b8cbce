// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/units.hpp"

#include <string>

#include "codec/format/bytes.hpp"

namespace ctv {

Result<UnitPrefix> read_prefix(std::span<const uint8_t> bytes) {
  FieldReader r(bytes, 0);
  uint32_t size = 0;
  if (bytes.size() >= 2 && bytes[0] == (kTagPacket & 255U) && bytes[1] == kTagPacket >> 8) {
    uint16_t tag = 0;
    r.fixed("unit tag", tag, 0, UINT16_MAX);
    r.varint("unit size", size, kLeastPacket, kMaxPayload);
    if (!r.ok()) return r.status();
    return UnitPrefix{UnitKind::kPacket, r.offset(), r.offset() + uint64_t{size}};
  }
  uint32_t tag = 0;
  r.fixed("unit tag", tag, 0, UINT32_MAX);
  r.fixed("unit size", size, 0, kMaxPayload);
  if (!r.status().ok()) return r.status();
  if (tag != kTagHeader && tag != kTagIndex) {
    return {CTV_ERROR_STREAM, "unit tag at byte 0: neither header, packet nor index"};
  }
  return UnitPrefix{tag == kTagHeader ? UnitKind::kHeader : UnitKind::kIndex, kPrefixSize,
                    kPrefixSize + uint64_t{size}};
}

void begin_packet(std::vector<uint8_t>& bytes, uint32_t size) {
  FieldWriter w(bytes);
  w.fixed("tag", kTagPacket);
  w.varint("size", size);
}

void begin_unit(std::vector<uint8_t>& bytes, uint32_t tag) {
  FieldWriter w(bytes);
  w.fixed("tag", tag);
  w.fixed("size", uint32_t{0});
}

void append_crc(std::vector<uint8_t>& bytes) {
  const uint32_t crc = crc32_of(bytes);
  FieldWriter(bytes).fixed("checksum", crc);
}

Status check_crc(std::span<const uint8_t> covered, uint32_t stored, const char* what) {
  if (crc32_of(covered) == stored) return {};
  return {CTV_ERROR_STREAM,
          std::string(what) + " checksum at byte " + std::to_string(covered.size()) + ": wrong"};
}

Status check_unit(std::span<const uint8_t> unit, UnitKind kind, const char* name) {
  CTV_ASSIGN_OR_RETURN(const UnitPrefix prefix, read_prefix(unit));
  if (prefix.kind != kind) return {CTV_ERROR_STREAM, std::string("unit tag at byte 0: not a ") + name};
  if (prefix.size != unit.size()) {
    return {CTV_ERROR_STREAM, std::string(name) + " size at byte 4: " + std::to_string(prefix.size) +
                                  " bytes announced, " + std::to_string(unit.size()) + " given"};
  }
  return {};
}

}  // namespace ctv
