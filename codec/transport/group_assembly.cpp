// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "codec/transport/erasure_code.hpp"
#include "codec/transport/frame_assembly.hpp"

namespace ctv::net {
namespace {

bool is_tail(const ctv_net_header& h) {
  return h.parity == 0 && h.block == h.blocks - 1 && h.index == h.count - 1;
}

uint8_t place_of(const ctv_net_header& h) {
  return static_cast<uint8_t>(h.parity != 0 ? kParityIndex + h.index : h.index);
}

}  // namespace

bool GroupAssembly::consistent(const ctv_net_header& h, size_t size) const {
  if (blocks_ != 0 && blocks_ != h.blocks) return false;
  const auto known = by_number_.find(static_cast<uint8_t>(h.block));
  if (known != by_number_.end() && known->second.count != h.count) return false;
  if (h.block < h.blocks - 1) {
    if (full_count_ != 0 && full_count_ != h.count) return false;
    const auto last = by_number_.find(static_cast<uint8_t>(h.blocks - 1));
    if (last != by_number_.end() && last->second.count > h.count) return false;
  } else if (full_count_ != 0 && h.count > full_count_) {
    return false;
  }
  if (is_tail(h)) return shard_size_ == 0 || size <= shard_size_;
  return shard_size_ == 0 ? size >= tail_size_ : size == shard_size_;
}

GroupAssembly::Added GroupAssembly::add(const ctv_net_header& h, std::span<const uint8_t> payload) {
  if (!consistent(h, payload.size())) return Added::kContradiction;
  const auto number = static_cast<uint8_t>(h.block);
  if (const auto it = by_number_.find(number); it != by_number_.end()) {
    if (it->second.complete() || it->second.shards.contains(place_of(h))) return Added::kDuplicate;
  }
  Bytes copy(payload.begin(), payload.end());
  std::map<uint8_t, Bytes> node;
  node.emplace(place_of(h), std::move(copy));
  Block& block = by_number_[number];
  block.count = h.count;
  block.shards.merge(node);
  if (block.complete()) ++complete_;
  blocks_ = h.blocks;
  if (h.block < h.blocks - 1 || h.blocks == 1) full_count_ = h.count;
  if (is_tail(h)) {
    tail_size_ = payload.size();
  } else {
    shard_size_ = payload.size();
  }
  // A group of one datagram has no other datagram that gives the size.
  if (h.blocks == 1 && h.count == 1 && shard_size_ == 0) shard_size_ = payload.size();
  held_ += payload.size() + kOverhead;
  return Added::kTaken;
}

int GroupAssembly::assemble_block(const Block& block, size_t first, std::span<uint8_t> bytes,
                                  std::vector<bool>& present) const {
  std::vector<std::span<uint8_t>> data;
  std::vector<int> lost;
  for (int i = 0; i < block.count; ++i) {
    const size_t place = first + static_cast<size_t>(i);
    data.push_back(bytes.subspan(place * shard_size_, shard_size_));
    const auto shard = block.shards.find(static_cast<uint8_t>(i));
    if (shard == block.shards.end()) {
      lost.push_back(i);
    } else {
      std::ranges::copy(shard->second, data.back().begin());
      present[place] = true;
    }
  }
  if (!block.complete()) return 0;
  std::vector<ParityShard> parity;
  for (auto it = block.shards.lower_bound(kParityIndex); it != block.shards.end(); ++it) {
    if (parity.size() < lost.size()) parity.push_back({it->first - kParityIndex, it->second});
  }
  rebuild(data, lost, parity);
  for (const int i : lost) present[first + static_cast<size_t>(i)] = true;
  return static_cast<int>(lost.size());
}

bool GroupAssembly::assemble(size_t size, Bytes& bytes, std::vector<bool>& present, int& repaired) const {
  if (!seen() || shard_size_ == 0) return false;
  const auto last = by_number_.find(static_cast<uint8_t>(blocks_ - 1));
  size_t total = (size + shard_size_ - 1) / shard_size_;
  if (full_count_ != 0 && last != by_number_.end()) {
    const size_t claimed = static_cast<size_t>(blocks_ - 1) * static_cast<size_t>(full_count_) +
                           static_cast<size_t>(last->second.count);
    if (size != 0 && claimed != total) return false;
    total = claimed;
  }
  if (total == 0) return false;
  bytes.assign(total * shard_size_, 0);
  present.assign(total, false);
  for (const auto& [number, block] : by_number_) {
    if (number > 0 && full_count_ == 0) continue;  // its position is unknown
    const size_t first = number * static_cast<size_t>(full_count_);
    if (first + static_cast<size_t>(block.count) > total) return false;
    repaired += assemble_block(block, first, bytes, present);
  }
  return true;
}

void GroupAssembly::ask(uint16_t frame, uint8_t priority, size_t most, Message& message) const {
  const auto add = [&](uint8_t block, uint8_t index) {
    if (message.request_count < most)
      message.requests[message.request_count++] = {frame, priority, block, index};
  };
  if (!seen()) return add(kAll, kAll);
  for (int b = 0; b < blocks_; ++b) {
    const auto it = by_number_.find(static_cast<uint8_t>(b));
    if (it == by_number_.end()) {
      add(static_cast<uint8_t>(b), kAll);
      continue;
    }
    const Block& block = it->second;
    int needed = block.count - static_cast<int>(block.shards.size());
    for (int i = 0; i < block.count && needed > 0; ++i) {
      if (block.shards.contains(static_cast<uint8_t>(i))) continue;
      add(static_cast<uint8_t>(b), static_cast<uint8_t>(i));
      --needed;
    }
  }
}

}  // namespace ctv::net
