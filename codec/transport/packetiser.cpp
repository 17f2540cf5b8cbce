// SPDX-License-Identifier: BSD-3-Clause
// Cuts a frame: parts of a priority follow each other in a group, which is cut into datagrams of equal size;
// these into blocks of equal numbers, each with its parity. Group 0 begins with the table of all parts.
#include <algorithm>

#include "codec/transport/erasure_code.hpp"
#include "codec/transport/sender.hpp"

namespace ctv::net {
namespace {

size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

struct Group {
  Bytes bytes;
  std::vector<std::pair<size_t, int>> begins;  // of each part: first byte, number
};

Group gather(const ctv_net_frame& frame, int priority, const Bytes& table) {
  Group group;
  if (priority == 0) group.bytes = table;
  for (size_t i = 0; i < frame.part_count; ++i) {
    const ctv_net_part& part = frame.parts[i];
    if (part.priority != priority || part.size == 0) continue;
    // The table goes with the first part.
    group.begins.emplace_back(group.begins.empty() ? 0 : group.bytes.size(), static_cast<int>(i));
    group.bytes.insert(group.bytes.end(), part.data, part.data + part.size);
  }
  return group;
}

int part_at(const Group& group, size_t offset) {
  int part = 0;
  for (const auto& [begin, number] : group.begins) {
    if (begin <= offset) part = number;
  }
  return part;
}

Bytes with_header(const ctv_net_header& header, std::span<const uint8_t> payload) {
  Bytes bytes(kHeaderSize + payload.size());
  write_header(header, bytes.data());
  std::ranges::copy(payload, bytes.begin() + kHeaderSize);
  return bytes;
}

// Appends the data of a group to `data` and its parity to `parity`.
void cut_group(const Group& group, ctv_net_header header, size_t room, ParityCounts& counts,
               std::vector<SentDatagram>& data, std::vector<SentDatagram>& parity) {
  const std::span<const uint8_t> bytes(group.bytes);
  const size_t size = divide_up(bytes.size(), divide_up(bytes.size(), room));
  const size_t total = divide_up(bytes.size(), size);
  const size_t most = divide_up(total, divide_up(total, kMaxData));
  const size_t blocks = divide_up(total, most);
  header.blocks = static_cast<int32_t>(blocks);
  for (size_t b = 0; b < blocks; ++b) {
    header.block = static_cast<int32_t>(b);
    header.count = static_cast<int32_t>(std::min(most, total - b * most));
    const auto add = [&](std::vector<SentDatagram>& to, std::span<const uint8_t> payload, int index) {
      header.index = index;
      to.push_back({.bytes = with_header(header, payload),
                    .priority = static_cast<uint8_t>(header.priority),
                    .block = static_cast<uint8_t>(b),
                    .index = static_cast<uint8_t>(index),
                    .parity = header.parity != 0});
    };
    std::vector<std::span<const uint8_t>> shards;
    header.parity = 0;
    for (int i = 0; i < header.count; ++i) {
      const size_t from = (b * most + static_cast<size_t>(i)) * size;
      shards.push_back(bytes.subspan(from, std::min(size, bytes.size() - from)));
      header.part = part_at(group, from);
      add(data, shards.back(), i);
    }
    header.parity = 1;
    header.part = part_at(group, 0);
    Bytes sum(size);
    for (int row = 0; row < counts(header.priority, header.count); ++row) {
      make_parity(shards, row, sum);
      add(parity, sum, row);
    }
  }
}

}  // namespace

SentFrame cut_frame(const ctv_net_frame& frame, int mtu, ParityCounts& counts, size_t& table_bytes) {
  std::vector<PartEntry> entries;
  for (size_t i = 0; i < frame.part_count; ++i)
    entries.push_back({frame.parts[i].size, frame.parts[i].priority});
  const Bytes table = write_table(entries);
  table_bytes = table.size();

  ctv_net_header header{};
  header.frame = static_cast<int32_t>(frame.frame_number & 0xFFFF);
  header.key_frame = frame.reference < 0 ? 1 : 0;
  header.reference = frame.reference < 0 ? 0 : static_cast<int32_t>(frame.frame_number - frame.reference);
  header.temporal_id = frame.temporal_id;
  header.spatial_id = frame.spatial_id;
  header.discardable = frame.discardable;
  SentFrame out;
  out.number = frame.frame_number;
  std::vector<SentDatagram> parity;
  for (int priority = 0; priority < kPriorities; ++priority) {
    header.priority = priority;
    const Group group = gather(frame, priority, table);
    if (!group.bytes.empty()) {
      cut_group(group, header, static_cast<size_t>(mtu) - kHeaderSize, counts, out.datagrams, parity);
    }
  }
  // Far behind their data, so that a burst rarely takes both.
  std::ranges::move(parity, std::back_inserter(out.datagrams));
  out.datagrams.back().bytes[0] |= 1U << 1;  // last
  for (const SentDatagram& datagram : out.datagrams) out.bytes += datagram.bytes.size();
  return out;
}

}  // namespace ctv::net
