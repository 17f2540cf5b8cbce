// SPDX-License-Identifier: BSD-3-Clause
// One frame in the receiver: its datagrams by group, block and index, and their assembly.
#pragma once

#include <array>
#include <map>

#include "codec/transport/feedback.hpp"

namespace ctv::net {

/// Approximate memory of a held datagram besides its payload.
constexpr size_t kOverhead = 128;

class GroupAssembly {
 public:
  enum class Added { kTaken, kDuplicate, kContradiction };

  /// Takes a payload. All allocations come before any change.
  Added add(const ctv_net_header& header, std::span<const uint8_t> payload);
  bool seen() const { return blocks_ > 0; }
  /// Every block has at least as many datagrams as it has data datagrams.
  bool decodable() const { return seen() && complete_ == blocks_; }
  /// Assembles the group's bytes and rebuilds lost datagrams where possible; other lost bytes are 0. `size`:
  /// the group's size if known, else 0; then the group must be decodable. `present`: one flag for each
  /// shard_size() bytes. Returns false if the datagrams contradict `size`.
  bool assemble(size_t size, Bytes& bytes, std::vector<bool>& present, int& repaired) const;
  size_t shard_size() const { return shard_size_; }
  /// Bytes held, with overhead.
  size_t held() const { return held_; }
  /// Appends requests for missing datagrams to `message`, which holds at most `most`.
  void ask(uint16_t frame, uint8_t priority, size_t most, Message& message) const;
  void clear() { *this = GroupAssembly(); }

 private:
  struct Block {
    int count = 0;
    std::map<uint8_t, Bytes> shards;  // by index; parity from kParityIndex on
    bool complete() const { return static_cast<int>(shards.size()) >= count; }
  };
  bool consistent(const ctv_net_header& header, size_t size) const;
  /// Copies a block's data into place and rebuilds missing datagrams.
  int assemble_block(const Block& block, size_t first, std::span<uint8_t> bytes,
                     std::vector<bool>& present) const;

  int blocks_ = 0;         // 0: nothing has arrived
  int complete_ = 0;       // complete blocks
  int full_count_ = 0;     // data datagrams of every block but the last; 0: unknown
  size_t shard_size_ = 0;  // bytes of every datagram but the last; 0: unknown
  size_t tail_size_ = 0;   // bytes of the last datagram; 0: it has not arrived
  std::map<uint8_t, Block> by_number_;
  size_t held_ = 0;
};

class FrameAssembly {
 public:
  /// clock_us: time at which its first datagram arrived, or should have.
  explicit FrameAssembly(int64_t clock_us) : clock_us_(clock_us) {}
  int64_t clock_us() const { return clock_us_; }

  /// Takes a datagram; `most` limits the frame's bytes.
  GroupAssembly::Added add(const ctv_net_header& header, std::span<const uint8_t> payload, uint64_t most);
  bool touched() const { return touched_; }
  bool whole() const;
  /// Group 0 is complete.
  bool has_table() const { return !entries_.empty(); }
  /// The table of parts is invalid: nothing can be decoded.
  bool broken() const { return broken_; }
  size_t held() const;
  bool key_frame() const { return first_.key_frame != 0; }
  const ctv_net_header& header() const { return first_; }
  /// Known once the frame has its table, and only if the sender gave it.
  const Timing& timing() const { return timing_; }
  int repeated() const { return repeated_; }

  /// Assembles the parts and returns the state; bytes and parts are empty if it is LOST.
  ctv_net_state assemble(Bytes& bytes, std::vector<ctv_net_part>& parts, int& repaired) const;
  /// Appends requests for missing datagrams of the first `priorities` priorities.
  void ask(uint16_t frame, int priorities, size_t most, Message& message) const;

  int asks = 0;                   // number of requests
  int64_t latest_us = INT64_MIN;  // arrival of the latest datagram
  int64_t passed_us = INT64_MAX;  // when its last datagram, or one of a later frame, arrived
  int64_t asked_us = 0;           // time of the last request
  int again = 0;                  // number of repetitions of the last request
  int64_t again_us = 0;           // time of the last repetition

 private:
  void open_table(uint64_t most);
  void copy_parts(int priority, std::span<const uint8_t> group, size_t from, size_t shard_size,
                  const std::vector<bool>* present, std::vector<ctv_net_part>& parts, Bytes& bytes) const;

  int64_t clock_us_;
  bool touched_ = false;
  bool broken_ = false;
  int repeated_ = 0;
  int table_repaired_ = 0;  // datagrams rebuilt in group 0
  ctv_net_header first_{};  // of the datagram that arrived first
  std::array<GroupAssembly, kPriorities> groups_;
  std::vector<PartEntry> entries_;  // empty: group 0 is incomplete
  Timing timing_;
  size_t table_size_ = 0;
  Bytes group_0_;
  std::array<size_t, kPriorities> sizes_{};  // bytes of the parts, once the table is known
};

}  // namespace ctv::net
