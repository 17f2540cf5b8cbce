// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/datagram.hpp"

#include "codec/transport/erasure_code.hpp"

namespace ctv::net {
namespace {

constexpr uint64_t kMostMilliseconds = 60001;
constexpr uint64_t kMostRepeats = 8;

int bit(uint8_t byte, int place) { return byte >> place & 1; }

ctv_status refuse(const char* what) { return fail(CTV_ERROR_STREAM, "datagram: %s", what); }

void put_number(Bytes& out, uint64_t value) {
  for (; value >= 128; value >>= 7) out.push_back(static_cast<uint8_t>(value | 128));
  out.push_back(static_cast<uint8_t>(value));
}

// Returns nothing if the bytes end or the number exceeds 35 bits.
std::optional<uint64_t> get_number(std::span<const uint8_t> bytes, size_t& at) {
  uint64_t value = 0;
  for (int shift = 0; shift < 35 && at < bytes.size(); shift += 7) {
    const uint8_t byte = bytes[at++];
    value |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) return value;
  }
  return std::nullopt;
}

}  // namespace

void write_header(const ctv_net_header& h, uint8_t* out) {
  const auto flag = [](int32_t value, int place) {
    return static_cast<uint32_t>(value != 0 ? 1 : 0) << place;
  };
  out[0] = static_cast<uint8_t>(kVersionBits | flag(h.parity, 4) | flag(h.key_frame, 3) |
                                flag(h.discardable, 2) | flag(h.last, 1) | flag(h.repeated, 0));
  out[1] = static_cast<uint8_t>(h.temporal_id << 5 | h.spatial_id << 3 | h.priority << 1);
  put_16(out + 2, static_cast<uint32_t>(h.sequence));
  put_16(out + 4, static_cast<uint32_t>(h.frame));
  out[6] = static_cast<uint8_t>(h.reference);
  out[7] = static_cast<uint8_t>(h.part);
  out[8] = static_cast<uint8_t>(h.block);
  out[9] = static_cast<uint8_t>(h.blocks);
  out[10] = static_cast<uint8_t>(h.parity != 0 ? kParityIndex + h.index : h.index);
  out[11] = static_cast<uint8_t>(h.count);
}

ctv_status read_header(std::span<const uint8_t> d, ctv_net_header& header) {
  if (d.size() < kHeaderSize) return refuse("cut in the header");
  ctv_net_header h{};
  h.struct_size = sizeof h;
  if (d[0] >> 6 != kVersionBits >> 6) return refuse("unknown version");
  h.feedback = bit(d[0], 5);
  h.sequence = static_cast<int32_t>(get_16(&d[2]));
  if (h.feedback != 0) {
    header = h;
    return CTV_OK;
  }
  h.parity = bit(d[0], 4);
  h.key_frame = bit(d[0], 3);
  h.discardable = bit(d[0], 2);
  h.last = bit(d[0], 1);
  h.repeated = bit(d[0], 0);
  h.temporal_id = d[1] >> 5;
  h.spatial_id = d[1] >> 3 & 3;
  h.priority = d[1] >> 1 & 3;
  if (bit(d[1], 0) != 0) return refuse("reserved bit");
  h.frame = static_cast<int32_t>(get_16(&d[4]));
  h.reference = d[6];
  h.part = d[7];
  h.block = d[8];
  h.blocks = d[9];
  h.index = d[10];
  h.count = d[11];
  if ((h.reference == 0) != (h.key_frame != 0)) return refuse("reference");
  if (h.block >= h.blocks) return refuse("block");
  if (h.count < 1 || h.count > kMaxData) return refuse("count");
  if ((h.index >= kParityIndex) != (h.parity != 0)) return refuse("index");
  if (h.parity != 0) h.index -= kParityIndex;
  if (h.index >= (h.parity != 0 ? kMaxParity : h.count)) return refuse("index");
  if (d.size() == kHeaderSize) return refuse("empty");
  header = h;
  return CTV_OK;
}

int64_t unwrap(uint32_t low, int64_t near) {
  const auto distance = static_cast<int16_t>(static_cast<uint16_t>(low - static_cast<uint64_t>(near)));
  return near + distance;
}

Bytes write_table(const Table& table) {
  Bytes out;
  const Timing& timing = table.timing;
  put_number(out, timing.known ? 1 + static_cast<uint64_t>(timing.round_trip) : 0);
  if (timing.known) {
    put_number(out, static_cast<uint64_t>(timing.deadline));
    put_number(out, static_cast<uint64_t>(timing.repeats));
  }
  put_number(out, table.parts.size());
  for (const PartEntry& part : table.parts)
    put_number(out, part.size << 2 | static_cast<uint64_t>(part.priority));
  return out;
}

std::optional<Table> read_table(std::span<const uint8_t> bytes, uint64_t most, size_t& size) {
  size_t at = 0;
  Table table;
  const auto round_trip = get_number(bytes, at);
  if (!round_trip) return std::nullopt;
  if (*round_trip > 0) {
    const auto deadline = get_number(bytes, at);
    const auto repeats = get_number(bytes, at);
    if (!deadline || !repeats || *round_trip > kMostMilliseconds || *deadline > kMostMilliseconds ||
        *repeats > kMostRepeats)
      return std::nullopt;
    table.timing = {true, static_cast<int64_t>(*round_trip) - 1, static_cast<int64_t>(*deadline),
                    static_cast<int64_t>(*repeats)};
  }
  const auto count = get_number(bytes, at);
  if (!count || *count == 0 || *count > CTV_NET_MAX_PARTS) return std::nullopt;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < *count; ++i) {
    const auto number = get_number(bytes, at);
    if (!number) return std::nullopt;
    table.parts.push_back({*number >> 2, static_cast<int>(*number & 3)});
    sum += table.parts.back().size;
    if (sum > most) return std::nullopt;
  }
  size = at;
  return table;
}

}  // namespace ctv::net
