// SPDX-License-Identifier: BSD-3-Clause
#include "ctdec/seek.h"

#include <optional>

#include "cli/exit.h"

namespace ctv::tools {
namespace {

std::optional<ctv_packet_info> packet_at(UnitReader& units, std::span<const uint8_t> header) {
  try {
    const auto unit = units.next();
    ctv_packet_info info{};
    info.struct_size = sizeof info;
    if (!unit || unit->kind != CTV_UNIT_PACKET ||
        ctv_packet_info_parse(header.data(), header.size(), unit->bytes.data(), unit->bytes.size(), &info,
                              nullptr, 0) != CTV_OK)
      return std::nullopt;
    return info;
  } catch (const Failure& e) {
    if (e.code() == Exit::kFile) throw;
    return std::nullopt;
  }
}

bool by_index(UnitReader& units, std::span<const uint8_t> header, int64_t frame) {
  const std::optional<StreamIndex> index = read_index(units.source());
  if (!index || index->entries.empty()) return false;
  auto i = static_cast<size_t>(std::min<int64_t>(frame, static_cast<int64_t>(index->entries.size()) - 1));
  while (i > 0 && index->entries[i].key_frame == 0) --i;
  // An index is a hint from the file: believe it only if the packet there agrees.
  const uint64_t offset = index->entries[i].offset;
  if (!units.seek(offset)) return false;
  const auto info = packet_at(units, header);
  if (!info || info->key_frame == 0 || info->frame_number != static_cast<int64_t>(i)) return false;
  return units.seek(offset);
}

bool by_scan(UnitReader& units, std::span<const uint8_t> header, int64_t frame) {
  if (!units.seek(0)) return false;
  std::optional<uint64_t> best;
  try {
    while (const auto unit = units.next()) {
      if (unit->kind != CTV_UNIT_PACKET) continue;
      ctv_packet_info info{};
      info.struct_size = sizeof info;
      if (ctv_packet_info_parse(header.data(), header.size(), unit->bytes.data(), unit->bytes.size(), &info,
                                nullptr, 0) != CTV_OK)
        break;
      if (info.frame_number > frame) break;
      if (info.key_frame != 0) best = unit->offset;
    }
  } catch (const Failure& e) {
    if (e.code() == Exit::kFile) throw;  // damage further on: what was found stands
  }
  return best && units.seek(*best);
}

}  // namespace

std::optional<int64_t> pictures_by_index(UnitReader& units) {
  if (!units.source().size()) return std::nullopt;
  const std::optional<StreamIndex> index = read_index(units.source());
  units.seek(0);
  if (!index) return std::nullopt;
  return static_cast<int64_t>(index->entries.size());
}

bool seek_key_frame(UnitReader& units, std::span<const uint8_t> header, int64_t frame) {
  if (!units.source().size()) return false;  // a pipe
  if (by_index(units, header, frame) || by_scan(units, header, frame)) return true;
  units.seek(0);
  return false;
}

}  // namespace ctv::tools
