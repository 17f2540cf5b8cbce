// SPDX-License-Identifier: BSD-3-Clause
// The index unit at the end of a stream: offsets of its packets.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv {

struct IndexEntry {
  uint64_t offset;
  bool key;
  int64_t timestamp;
};
class IndexBuilder {
 public:
  /// Most packets of a stream with an index: 19 hours at 60 frames a second. Bounds the memory for endless
  /// streams.
  static constexpr size_t kMaxPackets = size_t{1} << 22;
  /// header_size: bytes before the first packet.
  explicit IndexBuilder(size_t header_size) : next_(header_size) {}
  void add(size_t packet_size, bool key, int64_t timestamp) {
    if (packets_++ < kMaxPackets) entries_.push_back({next_, key, timestamp});
    next_ += packet_size;
  }
  /// Call it for a header between packets.
  void skip(size_t header_size) { next_ += header_size; }
  uint64_t packets() const { return packets_; }
  /// Returns the index unit. fps_den: duration of a frame at a constant rate. Timestamps are omitted if they
  /// are consecutive multiples of it. CTV_ERROR_LIMIT: there were more packets than kMaxPackets.
  Result<std::vector<uint8_t>> unit(uint32_t fps_den) const;

 private:
  uint64_t next_, packets_ = 0;
  std::deque<IndexEntry> entries_;  // grows without copying
};
/// Calls sink(i, entry) for each entry; returns their number.
Result<size_t> read_index(std::span<const uint8_t> unit, void (*sink)(void*, size_t, IndexEntry),
                          void* opaque);
/// Returns the size of the index unit from the last eight bytes of a stream.
Result<uint64_t> read_index_trailer(std::span<const uint8_t> bytes);

}  // namespace ctv
