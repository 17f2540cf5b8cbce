// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a datagram's header, and of the table of parts at the beginning of group 0.
//   0  2 (two bits) | feedback | parity | key frame | discardable | last | repeated
//   1  temporal id (three bits) | spatial id (two) | priority (two) | 0
//   2  sequence, 16 bits    4  frame, 16 bits    6  reference    7  part
//   8  block    9  blocks    10  index; 128 + index of parity    11  count
// Feedback has other bytes from 4 on (feedback.hpp). Numbers are little-endian.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "codec/transport/error.hpp"

namespace ctv::net {

using Bytes = std::vector<uint8_t>;

constexpr size_t kHeaderSize = CTV_NET_HEADER_SIZE;
constexpr int kPriorities = CTV_NET_PRIORITIES;
constexpr int kMaxBlocks = 255;
constexpr uint8_t kParityIndex = 128;
constexpr uint8_t kVersionBits = 2U << 6;
constexpr uint8_t kLastBit = 1U << 1;
constexpr uint8_t kFeedbackBit = 1U << 5;
constexpr uint8_t kRepeatedBit = 1U << 0;

inline void put_16(uint8_t* at, uint32_t value) {
  at[0] = static_cast<uint8_t>(value);
  at[1] = static_cast<uint8_t>(value >> 8);
}
inline uint32_t get_16(const uint8_t* at) { return at[0] | static_cast<uint32_t>(at[1]) << 8; }

/// Writes a header of 12 bytes; its members must be in range.
void write_header(const ctv_net_header& header, uint8_t* out);
/// Reads a header. A media datagram must have a payload.
ctv_status read_header(std::span<const uint8_t> datagram, ctv_net_header& header);

/// Returns the 64-bit number nearest to `near` with these low 16 bits.
int64_t unwrap(uint32_t low, int64_t near);

struct PartEntry {
  uint64_t size = 0;
  int priority = 0;
};
/// What the sender tells the receiver about waiting and requests; milliseconds.
struct Timing {
  bool known = false;
  int64_t round_trip = 0, deadline = 0, repeats = 0;
};
struct Table {
  Timing timing;
  std::vector<PartEntry> parts;
};
/// Writes the table at the beginning of group 0, numbers in base 128: 0, or 1 + round trip, deadline and
/// repeats; the number of parts; size x 4 + priority of each.
Bytes write_table(const Table& table);
/// Reads a table; `size` receives its bytes. Returns nothing if it is truncated, or if its parts exceed
/// `most` bytes together.
std::optional<Table> read_table(std::span<const uint8_t> bytes, uint64_t most, size_t& size);

}  // namespace ctv::net
