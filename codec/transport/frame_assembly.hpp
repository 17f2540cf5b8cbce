// SPDX-License-Identifier: BSD-3-Clause
// One frame at the receiver: its datagrams by group, block and place, and what can be made of them.
#pragma once

#include <array>
#include <map>

#include "codec/transport/feedback.hpp"

namespace ctv::net {

/// What a datagram that is held takes besides its payload, about.
constexpr size_t kOverhead = 128;

/// The datagrams of one priority.
class GroupAssembly {
 public:
  enum class Added { kTaken, kDuplicate, kContradiction };

  /// Takes a payload. Allocates before it changes anything.
  Added add(const ctv_net_header& header, std::span<const uint8_t> payload);
  bool seen() const { return blocks_ > 0; }
  /// Every block has as many datagrams as data.
  bool decodable() const { return seen() && complete_ == blocks_; }
  /// The group's bytes, with those of lost datagrams rebuilt where that is possible, else 0.
  /// `size`: the group's, if known, else 0; then it must be decodable.
  /// `present`: per byte of a datagram's size, see shard_size(). False if what came contradicts the size.
  bool assemble(size_t size, Bytes& bytes, std::vector<bool>& present, int& repaired) const;
  size_t shard_size() const { return shard_size_; }
  /// Bytes held, with overhead.
  size_t held() const { return held_; }
  /// Appends requests for what is missing to `message`, as far as there is room for `most`.
  void ask(uint16_t frame, uint8_t priority, size_t most, Message& message) const;
  void clear() { *this = GroupAssembly(); }

 private:
  struct Block {
    int count = 0;
    std::map<uint8_t, Bytes> shards;  // by index; parity from kParityIndex on
    bool complete() const { return static_cast<int>(shards.size()) >= count; }
  };
  bool consistent(const ctv_net_header& header, size_t size) const;
  /// Copies a block's data to their places and rebuilds what is missing.
  int assemble_block(const Block& block, size_t first, std::span<uint8_t> bytes,
                     std::vector<bool>& present) const;

  int blocks_ = 0;         // 0: nothing came yet
  int complete_ = 0;       // blocks
  int full_count_ = 0;     // data of every block but the last; 0: not known
  size_t shard_size_ = 0;  // of every datagram but the last; 0: not known
  size_t tail_size_ = 0;   // of the last one; 0: it did not come
  std::map<uint8_t, Block> by_number_;
  size_t held_ = 0;
};

class FrameAssembly {
 public:
  /// When its first datagram came, or would have come.
  explicit FrameAssembly(int64_t clock_us) : clock_us_(clock_us) {}
  int64_t clock_us() const { return clock_us_; }

  /// Takes a datagram; `most` bounds the frame's bytes.
  GroupAssembly::Added add(const ctv_net_header& header, std::span<const uint8_t> payload, uint64_t most);
  bool touched() const { return touched_; }
  bool whole() const;
  /// Group 0 is there.
  bool has_table() const { return !entries_.empty(); }
  /// Nothing can be made of it: the table of parts is wrong.
  bool broken() const { return broken_; }
  size_t held() const;
  bool key_frame() const { return first_.key_frame != 0; }
  const ctv_net_header& header() const { return first_; }
  int repeated() const { return repeated_; }

  /// Puts the parts together. Returns the state; bytes and parts are empty if it is LOST.
  ctv_net_state assemble(Bytes& bytes, std::vector<ctv_net_part>& parts, int& repaired) const;
  /// Appends requests for what is missing of the first `priorities` priorities.
  void ask(uint16_t frame, int priorities, size_t most, Message& message) const;

  int asks = 0;                   // how often its datagrams were asked for
  int64_t latest_us = INT64_MIN;  // when its latest datagram came
  int64_t asked_us = 0;           // the last time
  int again = 0;                  // how often the last request was written again
  int64_t again_us = 0;           // when it was written last

 private:
  void open_table(uint64_t most);
  void copy_parts(int priority, std::span<const uint8_t> group, size_t from, size_t shard_size,
                  const std::vector<bool>* present, std::vector<ctv_net_part>& parts, Bytes& bytes) const;

  int64_t clock_us_;
  bool touched_ = false;
  bool broken_ = false;
  int repeated_ = 0;
  int table_repaired_ = 0;  // datagrams rebuilt in group 0
  ctv_net_header first_{};  // of the datagram that came first
  std::array<GroupAssembly, kPriorities> groups_;
  std::vector<PartEntry> entries_;  // empty: group 0 is not complete
  size_t table_size_ = 0;
  Bytes group_0_;
  std::array<size_t, kPriorities> sizes_{};  // bytes of the parts, once the table is known
};

}  // namespace ctv::net
