// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/headers.hpp"

#include "codec/format/bytes.hpp"
#include "codec/format/fields.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/format/units.hpp"

namespace ctv {
namespace {

// One value of a field, with its width in the header.
template <typename Visitor>
void visit_value(Visitor& v, const StreamField& field, int64_t& value, int64_t most) {
  const auto visit_as = [&](auto raw) {
    raw = static_cast<decltype(raw)>(value);
    v.fixed(field.title, raw, static_cast<uint64_t>(field.lo), static_cast<uint64_t>(most));
    value = raw;
  };
  if (field.width < 8) {
    auto raw = static_cast<uint8_t>(value);
    v.bits(field.title, raw, field.width, static_cast<uint64_t>(field.lo), static_cast<uint64_t>(most));
    value = raw;
    return;
  }
  switch (field.bytes) {
    case 1:
      return visit_as(uint8_t{});
    case 2:
      return visit_as(uint16_t{});
    default:
      return visit_as(uint32_t{});
  }
}

template <typename Visitor>
void visit(Visitor& v, SequenceHeader& h) {
  for (const StreamField& field : stream_fields()) {
    if (!field.is_in(h)) continue;
    for (int i = 0; i < field.values_in(h); ++i) {
      int64_t value = field.get(h, i);
      visit_value(v, field, value, field.most_in(h));
      if (!field.allows(value)) {
        v.refuse(field.title, std::to_string(value) + " is none of " + field.list_values());
      }
      if (!v.ok()) return;
      if (value == field.get(h, i)) continue;  // a writer changes nothing
      field.set(h, i, value);
      if (field.get(h, i) != value)
        v.refuse(field.title, std::to_string(value) + " contradicts other fields");
      if (!v.ok()) return;
    }
  }
}

template <typename Visitor>
void visit_weights(Visitor& v, SequenceHeader& h) {
  const auto subbands = static_cast<size_t>(subband_count(h.transform));
  for (size_t set = 0; set < (h.planes() == 1 ? 1U : 2U); ++set) {
    for (size_t i = 0; i < subbands; ++i) v.fixed("subband weight", h.weights[set][i], 1, UINT16_MAX);
  }
}

/// A header of another version has other fields, but begins with it and ends with its checksum, too.
bool of_another_version(std::span<const uint8_t> unit) {
  constexpr size_t kChecksum = 4;
  if (unit.size() < kPrefixSize + 1 + kChecksum || unit[kPrefixSize] == kBitstreamVersion) return false;
  const size_t covered = unit.size() - kChecksum;
  return check_crc(unit.first(covered), load_u32(&unit[covered]), "sequence header").ok();
}

}  // namespace

std::vector<uint8_t> write_sequence_header(const SequenceHeader& header) {
  std::vector<uint8_t> bytes;
  begin_unit(bytes, kTagHeader);
  FieldWriter w(bytes);
  SequenceHeader h = header;
  visit(w, h);
  visit_weights(w, h);
  store_u32(bytes, 4, static_cast<uint32_t>(bytes.size() + 4 - kPrefixSize));
  append_crc(bytes);
  return bytes;
}

Result<SequenceHeader> read_sequence_header(std::span<const uint8_t> unit) {
  CTV_RETURN_IF_ERROR(check_unit(unit, UnitKind::kHeader, "sequence header"));
  if (of_another_version(unit)) {
    return {CTV_ERROR_UNSUPPORTED, "sequence header: made by another version of ctv, in stream format " +
                                       std::to_string(unit[kPrefixSize]) + "; this one reads format " +
                                       std::to_string(kBitstreamVersion)};
  }
  FieldReader r(unit.subspan(kPrefixSize), kPrefixSize);
  SequenceHeader h;
  visit(r, h);
  if (!r.status().ok()) return r.status();
  visit_weights(r, h);
  const size_t covered = kPrefixSize + r.offset();
  uint32_t crc = 0;
  r.fixed("header checksum", crc, 0, UINT32_MAX);
  if (!r.status().ok()) return r.status();
  if (r.left() != 0) r.refuse("sequence header", "bytes follow its checksum");
  if (!r.status().ok()) return r.status();
  CTV_RETURN_IF_ERROR(check_crc(unit.first(covered), crc, "sequence header"));
  return h;
}

}  // namespace ctv
