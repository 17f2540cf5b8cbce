// SPDX-License-Identifier: BSD-3-Clause
// Packets from which a backend's references can be rebuilt after it has failed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "codec/format/packet.hpp"
#include "codec/pipeline/slot_table.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// Packets that lead to the frames still in flight and to those in the slots, from a key frame on. Kept only
/// for backends that can fail; very long chains are given up.
class History {
 public:
  struct Entry {
    uint64_t frame;  // as the encoder or decoder counts them
    uint64_t root;   // the key frame that it descends from
    std::vector<uint8_t> packet;
    bool concealed = false;        // not whole
    std::vector<uint8_t> missing;  // then: by part, as in PartLoss
  };
  void append(std::span<const uint8_t> packet, uint64_t frame, const FrameParameters& parameters,
              const PartLoss& loss);
  /// The picture before stands for this frame.
  void append_lost(uint64_t frame);
  /// Forgets what is needed neither to decode `frame` and those after it nor for the slots.
  void trim(uint64_t frame);
  void clear();
  /// False if the chain is not whole: it was too long, or no key frame has been seen.
  bool whole() const { return !entries_.empty(); }
  bool has(uint64_t frame) const {
    return std::ranges::any_of(entries_, [&](const Entry& e) { return e.frame == frame; });
  }
  const std::deque<Entry>& entries() const { return entries_; }

 private:
  static constexpr size_t kMaxBytes = size_t{256} << 20;
  std::deque<Entry> entries_;  // the first is a key frame
  SlotTable slots_;
  size_t bytes_ = 0;
};

class FrameDecoder;
class FramePipeline;
/// Decodes the history: `decoder` then holds its references, and the slots of `frames` its last pictures.
Status replay(const History& history, FramePipeline& frames, FrameDecoder& decoder);

}  // namespace ctv
