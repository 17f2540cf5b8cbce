// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/frame_assembly.hpp"

#include <algorithm>

namespace ctv::net {

size_t FrameAssembly::held() const {
  size_t sum = group_0_.size() + entries_.size() * sizeof(PartEntry);
  for (const GroupAssembly& group : groups_) sum += group.held();
  return sum;
}

GroupAssembly::Added FrameAssembly::add(const ctv_net_header& h, std::span<const uint8_t> payload,
                                        uint64_t most) {
  using enum GroupAssembly::Added;
  if (touched_ && (h.key_frame != first_.key_frame || h.reference != first_.reference ||
                   h.temporal_id != first_.temporal_id || h.spatial_id != first_.spatial_id ||
                   h.discardable != first_.discardable)) {
    return kContradiction;
  }
  if (broken_ || (h.priority == 0 && !entries_.empty())) return kDuplicate;
  const auto priority = static_cast<size_t>(h.priority);
  const GroupAssembly::Added added = groups_[priority].add(h, payload);
  if (added != kTaken) return added;
  if (!touched_) first_ = h;
  touched_ = true;
  if (h.repeated != 0) ++repeated_;
  if (priority == 0 && groups_[0].decodable()) {
    broken_ = true;  // stays true if memory ends
    open_table(most);
  }
  return kTaken;
}

// Assembles group 0, which begins with the table of parts. If that succeeds, the frame is no longer broken.
void FrameAssembly::open_table(uint64_t most) {
  Bytes bytes;
  std::vector<bool> present;
  int repaired = 0;
  size_t table_size = 0;
  std::optional<Table> table;
  if (groups_[0].assemble(0, bytes, present, repaired)) table = read_table(bytes, most, table_size);
  std::array<size_t, kPriorities> sizes{};
  if (table) {
    for (const PartEntry& entry : table->parts)
      sizes[static_cast<size_t>(entry.priority)] += static_cast<size_t>(entry.size);
  }
  groups_[0].clear();
  if (!table || bytes.size() - table_size < sizes[0]) {
    for (GroupAssembly& group : groups_) group.clear();
    return;
  }
  broken_ = false;
  bytes.resize(table_size + sizes[0]);
  group_0_ = std::move(bytes);
  table_size_ = table_size;
  table_repaired_ = repaired;
  entries_ = std::move(table->parts);
  timing_ = table->timing;
  sizes_ = sizes;
}

bool FrameAssembly::whole() const {
  if (entries_.empty()) return false;
  for (size_t p = 1; p < kPriorities; ++p) {
    if (sizes_[p] > 0 && !groups_[p].decodable()) return false;
  }
  return true;
}

// Fills the parts of a priority from `group`, beginning at byte `from`, or marks them as missing.
void FrameAssembly::copy_parts(int priority, std::span<const uint8_t> group, size_t from, size_t shard_size,
                               const std::vector<bool>* present, std::vector<ctv_net_part>& parts,
                               Bytes& bytes) const {
  size_t to = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const size_t size = static_cast<size_t>(entries_[i].size);
    if (entries_[i].priority == priority && size > 0) {
      bool there = from + size <= group.size();
      for (size_t s = from / shard_size; there && present != nullptr && s <= (from + size - 1) / shard_size;
           ++s) {
        there = s < present->size() && (*present)[s];
      }
      if (there) std::ranges::copy(group.subspan(from, size), bytes.begin() + static_cast<ptrdiff_t>(to));
      parts[i].missing = there ? 0 : 1;
      from += size;
    }
    to += size;
  }
}

ctv_net_state FrameAssembly::assemble(Bytes& bytes, std::vector<ctv_net_part>& parts, int& repaired) const {
  bytes.clear();
  parts.clear();
  repaired = table_repaired_;
  if (entries_.empty()) return CTV_NET_LOST;
  uint64_t size = 0;
  for (const PartEntry& entry : entries_) size += entry.size;
  bytes.assign(static_cast<size_t>(size), 0);
  const uint8_t* at = bytes.data();
  for (const PartEntry& entry : entries_) {
    parts.push_back({at, static_cast<size_t>(entry.size), entry.priority, 0});
    at += entry.size;
  }
  copy_parts(0, group_0_, table_size_, 1, nullptr, parts, bytes);
  for (int p = 1; p < kPriorities; ++p) {
    const GroupAssembly& group = groups_[static_cast<size_t>(p)];
    const size_t wanted = sizes_[static_cast<size_t>(p)];
    if (wanted == 0) continue;
    Bytes whole;
    std::vector<bool> present;
    int rebuilt = 0;
    if (!group.assemble(wanted, whole, present, rebuilt)) whole.clear();
    repaired += whole.empty() ? 0 : rebuilt;
    copy_parts(p, whole, 0, std::max<size_t>(group.shard_size(), 1), &present, parts, bytes);
  }
  const bool any = std::ranges::any_of(parts, [](const ctv_net_part& part) { return part.missing != 0; });
  return any ? CTV_NET_INCOMPLETE : CTV_NET_WHOLE;
}

void FrameAssembly::ask(uint16_t frame, int priorities, size_t most, Message& message) const {
  if (!touched_) {
    const uint8_t priority = priorities == 1 ? uint8_t{0} : kAll;
    if (message.request_count < most)
      message.requests[message.request_count++] = {frame, priority, kAll, kAll};
    return;
  }
  if (entries_.empty()) groups_[0].ask(frame, 0, most, message);
  for (size_t p = 1; p < static_cast<size_t>(priorities); ++p) {
    // Without the table, the receiver does not know which groups exist; the sender does.
    if ((entries_.empty() || sizes_[p] > 0) && !groups_[p].decodable())
      groups_[p].ask(frame, static_cast<uint8_t>(p), most, message);
  }
}

}  // namespace ctv::net
