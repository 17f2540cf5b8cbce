// SPDX-License-Identifier: BSD-3-Clause
// Divides a frame into datagrams. The parts of a priority form a group. A group is divided into datagrams of
// equal size, and these into blocks of equal numbers, each with its parity. Group 0 begins with the table of
// all parts. The datagrams of each block are spread over the frame, so that a burst of losses hits few of
// them.
#include <algorithm>

#include "codec/transport/erasure_code.hpp"
#include "codec/transport/sender.hpp"

namespace ctv::net {
namespace {

// Bytes per datagram besides its payload: its header, and those of UDP and IP.
constexpr size_t kDatagramCost = kHeaderSize + 28;
constexpr size_t kMostMore = 8;  // datagrams more than necessary

struct Placed {
  double place = 0;  // position in the frame, 0..1
  SentDatagram datagram;
};

size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

// Small datagrams mean small parity but many headers. Returns the number of datagrams that takes the fewest
// bytes, among those that reach the failure rate with less than the most parity.
template <typename Parity>
size_t datagrams_for(size_t bytes, size_t room, int most, Parity parity) {
  const size_t fewest = divide_up(bytes, room);
  size_t best = fewest;
  size_t least = SIZE_MAX;
  for (size_t n = fewest; n <= std::min(fewest + kMostMore, size_t{kMaxData}); ++n) {
    const int of_parity = parity(n);
    if (n > fewest && most > 0 && of_parity == most) continue;
    const size_t cost = (n + static_cast<size_t>(of_parity)) * (divide_up(bytes, n) + kDatagramCost);
    if (cost < least) least = cost, best = n;
  }
  return best;
}

struct Group {
  Bytes bytes;
  std::vector<std::pair<size_t, int>> begins;  // first byte and number of each part
};

Group gather(const ctv_net_frame& frame, int priority, const Bytes& table) {
  Group group;
  if (priority == 0) group.bytes = table;
  for (size_t i = 0; i < frame.part_count; ++i) {
    const ctv_net_part& part = frame.parts[i];
    if (part.priority != priority || part.size == 0) continue;
    // The table precedes the first part.
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

// `others`: approximate number of datagrams in other groups of the frame.
void cut_group(const Group& group, ctv_net_header header, size_t room, size_t others,
               const ctv_net_protection& protection, size_t& most_parity, std::vector<Placed>& out) {
  const std::span<const uint8_t> bytes(group.bytes);
  const auto parity_of = [&](size_t count, size_t beside) {
    return parity_count(protection, header.priority, static_cast<int>(count), static_cast<int>(beside));
  };
  const size_t wanted = datagrams_for(bytes.size(), room, protection.most[header.priority],
                                      [&](size_t count) { return parity_of(count, others); });
  const size_t size = divide_up(bytes.size(), wanted);
  const size_t total = divide_up(bytes.size(), size);
  const size_t most = divide_up(total, divide_up(total, kMaxData));
  const size_t blocks = divide_up(total, most);
  header.blocks = static_cast<int32_t>(blocks);
  int parity = 0;
  for (size_t b = 0; b < blocks; ++b) {
    header.block = static_cast<int32_t>(b);
    const size_t count = std::min(most, total - b * most);
    if (b == 0 || count != most) parity = parity_of(count, others + total - count);
    parity =
        static_cast<int>(std::min<size_t>(static_cast<size_t>(parity), most_parity / (size + kHeaderSize)));
    most_parity -= static_cast<size_t>(parity) * (size + kHeaderSize);
    header.count = static_cast<int32_t>(count);
    int added = 0;
    const auto add = [&](std::span<const uint8_t> payload, int index) {
      header.index = index;
      out.push_back({.place = (added++ + 0.5) / (header.count + parity),
                     .datagram = {.bytes = with_header(header, payload),
                                  .priority = static_cast<uint8_t>(header.priority),
                                  .block = static_cast<uint8_t>(b),
                                  .index = static_cast<uint8_t>(index),
                                  .parity = header.parity != 0}});
    };
    std::vector<std::span<const uint8_t>> shards;
    header.parity = 0;
    for (int i = 0; i < header.count; ++i) {
      const size_t from = (b * most + static_cast<size_t>(i)) * size;
      shards.push_back(bytes.subspan(from, std::min(size, bytes.size() - from)));
      header.part = part_at(group, from);
      add(shards.back(), i);
    }
    header.parity = 1;
    header.part = part_at(group, 0);
    std::vector<Bytes> rows(static_cast<size_t>(parity), Bytes(size));
    make_parity(shards, rows);
    for (int row = 0; row < parity; ++row) add(rows[static_cast<size_t>(row)], row);
  }
}

}  // namespace

SentFrame cut_frame(const ctv_net_frame& frame, int mtu, const ctv_net_protection& protection,
                    const Timing& timing, size_t most_parity, size_t& table_bytes) {
  Table entries;
  entries.timing = timing;
  for (size_t i = 0; i < frame.part_count; ++i)
    entries.parts.push_back({frame.parts[i].size, frame.parts[i].priority});
  const Bytes table = write_table(entries);
  table_bytes = table.size();

  ctv_net_header header{};
  header.frame = static_cast<int32_t>(frame.frame_number & 0xFFFF);
  header.key_frame = frame.reference < 0 ? 1 : 0;
  header.reference = frame.reference < 0 ? 0 : static_cast<int32_t>(frame.frame_number - frame.reference);
  header.temporal_id = frame.temporal_id;
  header.spatial_id = frame.spatial_id;
  header.discardable = frame.discardable;
  std::vector<Placed> placed;
  const size_t room = static_cast<size_t>(mtu) - kHeaderSize;
  std::array<Group, kPriorities> groups;
  size_t fewest = 0;
  for (size_t p = 0; p < groups.size(); ++p) {
    groups[p] = gather(frame, static_cast<int>(p), table);
    fewest += divide_up(groups[p].bytes.size(), room);
  }
  for (size_t p = 0; p < groups.size(); ++p) {
    const size_t size = groups[p].bytes.size();
    header.priority = static_cast<int32_t>(p);
    if (size > 0)
      cut_group(groups[p], header, room, fewest - divide_up(size, room), protection, most_parity, placed);
  }
  std::ranges::stable_sort(placed, {}, &Placed::place);
  SentFrame out;
  out.number = frame.frame_number;
  for (Placed& p : placed) out.datagrams.push_back(std::move(p.datagram));
  out.datagrams.back().bytes[0] |= kLastBit;
  for (const SentDatagram& datagram : out.datagrams) out.bytes += datagram.bytes.size();
  return out;
}

}  // namespace ctv::net
