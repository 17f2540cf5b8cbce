// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/stream_index.hpp"

#include <string>

#include "codec/format/bytes.hpp"
#include "codec/format/units.hpp"

namespace ctv {
namespace {

constexpr uint32_t kTagTrailer = 0x43545658;  // "XVTC"

}  // namespace

Result<std::vector<uint8_t>> IndexBuilder::unit(uint32_t fps_den) const {
  if (packets_ > kMaxPackets) {
    return {CTV_ERROR_LIMIT, "index: the stream has more than " + std::to_string(kMaxPackets) + " packets"};
  }
  bool regular = true;
  for (size_t i = 0; i < entries_.size(); ++i) {
    regular = regular && entries_[i].timestamp == static_cast<int64_t>(i) * fps_den;
  }
  std::vector<uint8_t> bytes;
  begin_unit(bytes, kTagIndex);
  FieldWriter w(bytes);
  w.fixed("entry count", static_cast<uint32_t>(entries_.size()));
  w.fixed("frame duration", regular ? fps_den : 0);
  for (const IndexEntry& e : entries_) {
    w.fixed("offset", e.offset);
    w.fixed("key", static_cast<uint8_t>(e.key));
    if (!regular) w.fixed("timestamp", e.timestamp);
  }
  store_u32(bytes, 4, static_cast<uint32_t>(bytes.size() + 12 - kPrefixSize));
  append_crc(bytes);
  w.fixed("index size", static_cast<uint32_t>(bytes.size() + 8));
  w.fixed("trailer tag", kTagTrailer);
  return bytes;
}

Result<size_t> read_index(std::span<const uint8_t> unit, void (*sink)(void*, size_t, IndexEntry),
                          void* opaque) {
  CTV_RETURN_IF_ERROR(check_unit(unit, UnitKind::kIndex, "index"));
  FieldReader r(unit.subspan(kPrefixSize), kPrefixSize);
  uint32_t count = 0;
  r.fixed("entry count", count, 0, UINT32_MAX);
  uint32_t duration = 0;
  r.fixed("frame duration", duration, 0, INT32_MAX);
  const uint64_t entry_size = duration == 0 ? 17 : 9;
  if (r.status().ok() && r.left() != count * entry_size + 12) {
    r.refuse("entry count", "does not fit the size of the index");
  }
  if (!r.status().ok()) return r.status();
  const size_t covered = unit.size() - 12;
  CTV_RETURN_IF_ERROR(check_crc(unit.first(covered), load_u32(unit.data() + covered), "index"));
  for (size_t i = 0; i < count; ++i) {
    uint64_t offset = 0;
    uint8_t key = 0;
    r.fixed("offset", offset, 0, UINT64_MAX);
    r.fixed("key", key, 0, 1);
    auto timestamp = static_cast<uint64_t>(i) * duration;
    if (duration == 0) r.fixed("timestamp", timestamp, 0, UINT64_MAX);
    if (!r.status().ok()) return r.status();
    sink(opaque, i, {offset, key != 0, static_cast<int64_t>(timestamp)});
  }
  CTV_ASSIGN_OR_RETURN(const uint64_t size, read_index_trailer(unit.last(8)));
  if (size != unit.size()) return {CTV_ERROR_STREAM, "index trailer: its size differs from the unit's"};
  return size_t{count};
}

Result<uint64_t> read_index_trailer(std::span<const uint8_t> bytes) {
  if (bytes.size() != 8 || load_u32(bytes.data() + 4) != kTagTrailer) {
    return {CTV_ERROR_STREAM, "index trailer: not there"};
  }
  return uint64_t{load_u32(bytes.data())};
}

}  // namespace ctv
