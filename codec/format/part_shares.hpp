// SPDX-License-Identifier: BSD-3-Clause
// Parts of a packet in shares, so that threads share the bytes of the longest one: copies and checks.
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
    size_t begin, size;  // bytes of the part
    std::span<const uint8_t> of(std::span<const uint8_t> bytes) const { return bytes.subspan(begin, size); }
  };
  static constexpr size_t kBytes = size_t{1} << 14;  // of a share, at most

  /// Begins anew with so many parts, which have no shares. One thread alone has each part in one share.
  void begin(size_t parts, int threads);
  /// Appends a part of so many bytes: one share if it is empty.
  void add(size_t part, size_t bytes);
  size_t size() const { return shares_.size(); }
  const Share& operator[](size_t i) const { return shares_[i]; }
  /// Once for each share, by any threads; bytes: of the share. True for the last one of a part: its check is
  /// known.
  bool take(size_t i, std::span<const uint8_t> bytes);
  uint16_t check(size_t part) const { return static_cast<uint16_t>(parts_[part].checksum); }

 private:
  struct Part {
    size_t size = 0;
    std::atomic<size_t> shares = 0;  // that have not been taken
    std::atomic<uint32_t> checksum = 0;
  };
  size_t most_ = kBytes;  // of a share
  std::vector<Share> shares_;
  std::vector<Part> parts_;
};

}  // namespace ctv
