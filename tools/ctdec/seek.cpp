// SPDX-License-Identifier: BSD-3-Clause
#include "ctdec/seek.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/exit.h"

namespace ctv::tools {
namespace {

std::optional<ctv_packet_info> info_of(const StreamUnit& packet, std::span<const uint8_t> header) {
  ctv_packet_info info{};
  info.struct_size = sizeof info;
  if (ctv_packet_info_parse(header.data(), header.size(), packet.bytes.data(), packet.bytes.size(), &info,
                            nullptr, 0) != CTV_OK)
    return std::nullopt;
  return info;
}

// Returns nothing if the file is damaged; a file that cannot be read is an error.
template <typename Read>
auto unless_damaged(Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const Failure& e) {
    if (e.code() == Exit::kFile) throw;
    return std::nullopt;
  }
}

// Offset of the header that precedes a key frame, after the previous packet.
uint64_t header_offset(UnitReader& units, const StreamIndex& index, size_t key) {
  for (size_t k = key; k > 0; --k) {
    if (index.entries[k].key_frame == 0 || !units.seek(index.entries[k - 1].offset) || !units.next())
      continue;
    const auto unit = units.next();
    if (unit && unit->kind == CTV_UNIT_HEADER) return unit->offset;
  }
  return 0;
}

// After a loss a frame may refer to one before the last key frame. Checks the frames between key frame `key`
// and the next key frame after `frame`.
bool reaches_back(UnitReader& units, const StreamIndex& index, size_t key, size_t frame,
                  std::span<const uint8_t> header) {
  for (size_t i = key + 1; i < index.entries.size(); ++i) {
    if (index.entries[i].key_frame != 0 && i > frame) break;
    if (!units.seek(index.entries[i].offset)) return true;
    const auto packet = units.next();
    const auto info = packet ? info_of(*packet, header) : std::nullopt;
    if (info && info->key_frame == 0 && info->reference_frame < static_cast<int64_t>(key)) return true;
  }
  return false;
}

/// The index of the whole file: it leads up to itself. That of a stream behind another one does not.
std::optional<StreamIndex> whole_index(UnitReader& units) {
  std::optional<StreamIndex> index = read_index(units.source());
  if (!index || index->entries.empty() || !units.seek(index->entries.back().offset)) return std::nullopt;
  const auto packet = units.next();
  if (!packet || packet->kind != CTV_UNIT_PACKET || units.offset() != index->offset) return std::nullopt;
  return index;
}

std::optional<KeyFramePlace> by_index(UnitReader& units, int64_t frame) {
  const std::optional<StreamIndex> index = whole_index(units);
  if (!index) return std::nullopt;
  const auto last =
      static_cast<size_t>(std::min<int64_t>(frame, static_cast<int64_t>(index->entries.size()) - 1));
  size_t i = last;
  while (i > 0 && index->entries[i].key_frame == 0) --i;
  const KeyFramePlace place{header_offset(units, *index, i), index->entries[i].offset};
  // An index is a hint from the file: used only if the packet at its offset agrees.
  if (!units.seek(place.header)) return std::nullopt;
  const auto unit = units.next();
  if (!unit || unit->kind != CTV_UNIT_HEADER) return std::nullopt;
  const std::vector<uint8_t> header(unit->bytes.begin(), unit->bytes.end());  // the reader reuses its buffer
  if (!units.seek(place.packet)) return std::nullopt;
  const auto packet = units.next();
  if (!packet || packet->kind != CTV_UNIT_PACKET) return std::nullopt;
  const auto info = info_of(*packet, header);
  if (!info || info->key_frame == 0 || info->frame_number != static_cast<int64_t>(i)) return std::nullopt;
  if (i > 0 && reaches_back(units, *index, i, last, header)) return std::nullopt;
  return place;
}

std::optional<KeyFramePlace> by_scan(UnitReader& units, int64_t frame) {
  if (!units.seek(0)) return std::nullopt;
  std::vector<std::pair<int64_t, KeyFramePlace>> keys;  // by position
  std::vector<uint8_t> header;
  uint64_t header_at = 0;
  int64_t before = 0;                                     // frames of earlier streams
  int64_t next = 0;                                       // number of the next frame
  unless_damaged([&]() -> std::optional<KeyFramePlace> {  // damage further on keeps the result so far
    while (const auto unit = units.next()) {
      if (unit->kind == CTV_UNIT_HEADER) {
        header.assign(unit->bytes.begin(), unit->bytes.end());
        header_at = unit->offset;
      }
      if (unit->kind != CTV_UNIT_PACKET) continue;
      const auto info = info_of(*unit, header);
      if (!info) break;
      if (info->key_frame != 0 && info->frame_number < next) before += next;
      next = info->frame_number + 1;
      const int64_t position = before + info->frame_number;
      if (info->key_frame != 0 && position > frame) break;
      if (info->key_frame != 0) {
        keys.push_back({position, {header_at, unit->offset, before}});
      } else {
        while (keys.size() > 1 && keys.back().first > before + info->reference_frame) keys.pop_back();
      }
    }
    return std::nullopt;
  });
  if (keys.empty()) return std::nullopt;
  return keys.back().second;
}

}  // namespace

std::optional<int64_t> pictures_by_index(UnitReader& units) {
  if (!units.source().size()) return std::nullopt;
  const std::optional<StreamIndex> index =
      unless_damaged([&]() -> std::optional<StreamIndex> { return whole_index(units); });
  units.seek(0);
  if (!index) return std::nullopt;
  return static_cast<int64_t>(index->entries.size());
}

std::optional<KeyFramePlace> find_key_frame(UnitReader& units, int64_t frame) {
  if (!units.source().size()) return std::nullopt;  // a pipe
  const auto place = unless_damaged([&] { return by_index(units, frame); });
  return place ? place : by_scan(units, frame);
}

}  // namespace ctv::tools
