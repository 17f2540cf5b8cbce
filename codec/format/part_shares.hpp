// SPDX-License-Identifier: BSD-3-Clause
// Divides the parts of a packet into shares, so that several threads can copy and check the longest part.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ctv {

class PartShares {
 public:
  struct Share {
    size_t part;
    size_t begin, size;  // byte range in the part
    std::span<const uint8_t> of(std::span<const uint8_t> bytes) const { return bytes.subspan(begin, size); }
  };
  static constexpr size_t kBytes = size_t{1} << 14;  // largest share

  /// Starts again with this many parts, without shares. A single thread gets one share per part.
  void begin(size_t parts, int threads);
  /// Appends a part of this size; an empty part has one share.
  void add(size_t part, size_t bytes);
  size_t size() const { return shares_.size(); }
  const Share& operator[](size_t i) const { return shares_[i]; }
  /// Call it once for each share, from any thread. bytes: the share. True for the last share of a part: its
  /// check is then known.
  bool take(size_t i, std::span<const uint8_t> bytes);
  uint16_t check(size_t part) const { return static_cast<uint16_t>(parts_[part].checksum); }

 private:
  struct Part {
    size_t size = 0;
    std::atomic<size_t> shares = 0;  // shares that are not taken yet
    std::atomic<uint32_t> checksum = 0;
  };
  size_t most_ = kBytes;  // largest share in bytes
  std::vector<Share> shares_;
  std::vector<Part> parts_;
};

}  // namespace ctv
