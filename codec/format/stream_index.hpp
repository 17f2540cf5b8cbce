// SPDX-License-Identifier: BSD-3-Clause
// The index unit at the end of a stream: where its packets begin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv {

struct IndexEntry {
  uint64_t offset;
  bool key;
  int64_t timestamp;
};
/// Collects the entries while packets go out.
class IndexBuilder {
 public:
  /// header_size: bytes before the first packet.
  explicit IndexBuilder(size_t header_size) : next_(header_size) {}
  void add(size_t packet_size, bool key, int64_t timestamp) {
    entries_.push_back({next_, key, timestamp});
    next_ += packet_size;
  }
  /// A header goes out between packets.
  void skip(size_t header_size) { next_ += header_size; }
  const std::vector<IndexEntry>& entries() const { return entries_; }

 private:
  uint64_t next_;
  std::vector<IndexEntry> entries_;
};
/// fps_den: the duration of a frame at a constant rate. If all timestamps are its multiples in order, they
/// are not written.
std::vector<uint8_t> write_index(const std::vector<IndexEntry>& entries, uint32_t fps_den);
/// Calls sink(i, entry) for each entry; returns their number.
Result<size_t> read_index(std::span<const uint8_t> unit, void (*sink)(void*, size_t, IndexEntry),
                          void* opaque);
/// Size of the index unit from the last eight bytes of a stream.
Result<uint64_t> read_index_trailer(std::span<const uint8_t> bytes);

}  // namespace ctv
