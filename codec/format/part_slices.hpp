// SPDX-License-Identifier: BSD-3-Clause
// Parts of a packet in slices, so that threads share the bytes of the longest one: copies and checks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ctv {

class PartSlices {
 public:
  struct Slice {
    size_t part;
    size_t begin, size;  // bytes of the part
    std::span<const uint8_t> of(std::span<const uint8_t> bytes) const { return bytes.subspan(begin, size); }
  };
  static constexpr size_t kBytes = size_t{1} << 14;  // of a slice, at most

  /// Begins anew with so many parts, which have no slices.
  void begin(size_t parts);
  /// Appends a part of so many bytes: one slice if it is empty.
  void add(size_t part, size_t bytes);
  size_t size() const { return slices_.size(); }
  const Slice& operator[](size_t i) const { return slices_[i]; }
  /// Once for each slice, by any threads; bytes: of the slice. True for the last one of a part: its check is
  /// known.
  bool take(size_t i, std::span<const uint8_t> bytes);
  uint16_t check(size_t part) const { return static_cast<uint16_t>(parts_[part].checksum); }

 private:
  struct Part {
    size_t size = 0;
    std::atomic<size_t> slices = 0;  // that have not been taken
    std::atomic<uint32_t> checksum = 0;
  };
  std::vector<Slice> slices_;
  std::vector<Part> parts_;
};

}  // namespace ctv
