// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing little-endian fields. One visit() function per header serves both: the reader checks
// ranges, and its errors name the field and its byte offset; the writer trusts its caller.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv {

/// Reads fields from bytes; after the first failure every further read fails with the same status.
class FieldReader {
 public:
  /// `origin`: the offset of the first byte in messages.
  FieldReader(std::span<const uint8_t> bytes, size_t origin) : bytes_(bytes), origin_(origin) {}

  template <typename T>
  void fixed(const char* field, T& value, uint64_t lo, uint64_t hi) {
    uint64_t v = 0;
    if (!take(field, sizeof(T))) return;
    for (size_t i = 0; i < sizeof(T); ++i) v |= static_cast<uint64_t>(bytes_[at_ + i]) << (8 * i);
    accept(field, v, lo, hi, sizeof(T));
    value = static_cast<T>(v);
  }
  template <typename T>
  void varint(const char* field, T& value, uint64_t lo, uint64_t hi);
  /// The next `width` bits, least significant first. Consecutive calls must end at a whole byte.
  template <typename T>
  void bits(const char* field, T& value, unsigned width, uint64_t lo, uint64_t hi) {
    if (!take(field, 1)) return;
    const uint64_t v = static_cast<uint64_t>(bytes_[at_]) >> bit_ & ((1U << width) - 1);
    accept(field, v, lo, hi, (bit_ + width) / 8);
    bit_ = (bit_ + width) % 8;
    value = static_cast<T>(v);
  }
  void refuse(const char* field, const std::string& why) {
    if (status_.ok()) {
      status_ = {CTV_ERROR_STREAM,
                 std::string(field) + " at byte " + std::to_string(origin_ + at_) + ": " + why};
    }
  }

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  size_t offset() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }

 private:
  bool take(const char* field, size_t count) {
    if (!status_.ok()) return false;
    if (left() >= count) return true;
    refuse(field, "the data end here");
    return false;
  }
  void accept(const char* field, uint64_t v, uint64_t lo, uint64_t hi, size_t length) {
    if (v < lo || v > hi) {
      refuse(field, std::to_string(v) + " is outside " + std::to_string(lo) + ".." + std::to_string(hi));
    } else {
      at_ += length;
    }
  }

  std::span<const uint8_t> bytes_;
  size_t origin_;
  size_t at_ = 0;
  unsigned bit_ = 0;  // of the byte at at_
  Status status_;
};

/// LEB128: seven bits per byte, least significant first; at most five bytes, ten for 64 bits.
template <typename T>
void FieldReader::varint(const char* field, T& value, uint64_t lo, uint64_t hi) {
  constexpr size_t kMostBytes = (8 * sizeof(T) + 6) / 7;
  uint64_t v = 0;
  for (size_t i = 0; i < kMostBytes; ++i) {
    if (!take(field, i + 1)) return;
    const uint8_t byte = bytes_[at_ + i];
    v |= static_cast<uint64_t>(byte & 127U) << (7 * i);
    if (byte < 128) {
      accept(field, v, lo, hi, i + 1);
      value = static_cast<T>(v);
      return;
    }
  }
  refuse(field, "a number of more than " + std::to_string(kMostBytes) + " bytes");
}

class FieldWriter {
 public:
  explicit FieldWriter(std::vector<uint8_t>& bytes) : bytes_(bytes) {}
  template <typename T>
  void fixed(const char* /*field*/, const T& value, uint64_t = 0, uint64_t = 0) {
    const auto v = static_cast<uint64_t>(value);
    for (size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(static_cast<uint8_t>(v >> (8 * i)));
  }
  template <typename T>
  void varint(const char* /*field*/, const T& value, uint64_t = 0, uint64_t = 0) {
    auto v = static_cast<uint64_t>(value);
    for (; v >= 128; v >>= 7) bytes_.push_back(static_cast<uint8_t>(v | 128U));
    bytes_.push_back(static_cast<uint8_t>(v));
  }
  template <typename T>
  void bits(const char* /*field*/, const T& value, unsigned width, uint64_t = 0, uint64_t = 0) {
    if (bit_ == 0) bytes_.push_back(0);
    bytes_.back() = static_cast<uint8_t>(bytes_.back() | static_cast<unsigned>(value) << bit_);
    bit_ = (bit_ + width) % 8;
  }
  void refuse(const char*, const std::string&) {}
  static bool ok() { return true; }

 private:
  std::vector<uint8_t>& bytes_;
  unsigned bit_ = 0;  // of the last byte
};

/// An enumeration of one byte, 0..last.
template <typename Visitor, typename Enum>
void visit_enum(Visitor& v, const char* field, Enum& value, Enum last) {
  auto raw = static_cast<uint8_t>(value);
  v.fixed(field, raw, 0, static_cast<uint64_t>(last));
  value = static_cast<Enum>(raw);
}

/// Stores v at bytes[at..at+1], bytes[at..at+3].
inline void store_u16(std::span<uint8_t> bytes, size_t at, uint16_t v) {
  for (size_t i = 0; i < 2; ++i) bytes[at + i] = static_cast<uint8_t>(v >> (8 * i));
}
inline void store_u32(std::span<uint8_t> bytes, size_t at, uint32_t v) {
  for (size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<uint8_t>(v >> (8 * i));
}
inline uint32_t load_u32(const uint8_t* p) {
  return p[0] | static_cast<uint32_t>(p[1]) << 8 | static_cast<uint32_t>(p[2]) << 16 |
         static_cast<uint32_t>(p[3]) << 24;
}

/// CRC-32 of zlib (ISO 3309). before: the checksum of bytes that precede these.
uint32_t crc32_of(std::span<const uint8_t> bytes, uint32_t before = 0);
/// CRC contribution of a block that `following` more bytes follow. The XOR of all blocks' contributions is
/// the CRC of their concatenation.
uint32_t crc32_before(uint32_t checksum, size_t following);

}  // namespace ctv
