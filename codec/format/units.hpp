// SPDX-License-Identifier: BSD-3-Clause
// A stream is a sequence of units: a tag, a size and a body. This file has the code for all units. The prefix
// of a packet is short, because there are many packets and they may be small.
#pragma once

#include <ctv/ctv.h>

#include <cstdint>
#include <span>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv {

inline constexpr size_t kPrefixSize = 8;             // prefix of headers and indexes
inline constexpr uint32_t kTagHeader = 0x53565443;   // "CTVS"
inline constexpr uint32_t kTagIndex = 0x58565443;    // "CTVX"
inline constexpr uint16_t kTagPacket = 0x5043;       // "CP"
inline constexpr uint32_t kLeastPacket = 7;          // bytes after the prefix: bits, number, step, checksum
inline constexpr uint32_t kMaxPayload = 0x7fffffff;  // bytes of a unit after its prefix

enum class UnitKind { kHeader = CTV_UNIT_HEADER, kPacket = CTV_UNIT_PACKET, kIndex = CTV_UNIT_INDEX };
struct UnitPrefix {
  UnitKind kind;
  size_t prefix;  // bytes of the prefix
  uint64_t size;  // of the unit, prefix included
};

/// kPrefixSize bytes are enough for any unit.
Result<UnitPrefix> read_prefix(std::span<const uint8_t> bytes);

/// Appends the prefix of a packet with `size` bytes after the prefix.
void begin_packet(std::vector<uint8_t>& bytes, uint32_t size);
/// Appends the prefix of another unit; call store_u32(bytes, 4, size) when its size is known.
void begin_unit(std::vector<uint8_t>& bytes, uint32_t tag);
/// Appends the checksum of all bytes so far.
void append_crc(std::vector<uint8_t>& bytes);
/// `stored`: the checksum that follows the covered bytes. Errors name `what`.
Status check_crc(std::span<const uint8_t> covered, uint32_t stored, const char* what);
/// Error: not a whole unit of this kind and of the announced size. Errors name `name`.
Status check_unit(std::span<const uint8_t> unit, UnitKind kind, const char* name);

}  // namespace ctv
