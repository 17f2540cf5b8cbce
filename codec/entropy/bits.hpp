// SPDX-License-Identifier: BSD-3-Clause
// Bits in bytes, least significant first, as in RFC 1951. A window of 64 bits is loaded and stored eight
// bytes at a time, independently of the machine's byte order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "codec/entropy/growing.hpp"

namespace ctv {

constexpr uint64_t little_endian(uint64_t v) {
  if constexpr (std::endian::native == std::endian::little) {
    return v;
  } else {
    uint64_t swapped = 0;
    for (int i = 0; i < 8; ++i) swapped |= (v >> (8 * i) & 255U) << (56 - 8 * i);
    return swapped;
  }
}

class BitWriter {
 public:
  explicit BitWriter(Growing<uint8_t>& out) : out_(out) {}

  /// Continues after the bits of a copy of this writer. Inner loops keep copies in registers.
  void resume(const BitWriter& copy) {
    at_ = copy.at_;
    window_ = copy.window_;
    bits_ = copy.bits_;
  }
  /// Starts at byte `at`; earlier bytes are kept.
  void start(size_t at) {
    at_ = at;
    window_ = 0;
    bits_ = 0;
  }
  /// Reserves room for `bytes` further bytes. Required before put().
  void reserve(size_t bytes) { out_.reserve(at_ + bytes + 8, at_); }
  /// Writes the low `count` bits of `value`, whose other bits are 0; count <= 56.
  void put(uint64_t value, int count) {
    window_ |= value << bits_;
    bits_ += count;
    const uint64_t bytes = little_endian(window_);
    std::memcpy(out_.data() + at_, &bytes, sizeof bytes);
    at_ += static_cast<size_t>(bits_ >> 3);
    window_ >>= bits_ & ~7;
    bits_ &= 7;
  }
  /// Writes zero bits up to the next byte. Room for one byte must be reserved.
  void align() { put(0, -bits_ & 7); }
  /// Writes whole bytes; call it after align().
  void append(std::span<const uint8_t> bytes) {
    reserve(bytes.size());
    std::copy_n(bytes.data(), bytes.size(), out_.data() + at_);
    at_ += bytes.size();
  }
  /// Whole bytes written, including those before the start.
  size_t size() const { return at_; }
  bool empty_since(size_t start) const { return at_ == start && bits_ == 0; }

 private:
  Growing<uint8_t>& out_;
  size_t at_ = 0;  // byte that holds the first bit of the window
  uint64_t window_ = 0;
  int bits_ = 0;  // bits of the window in use, 0..7 between calls
};

/// Reads bits. Zeros follow the end, so reading tests nothing; overrun() tells afterwards.
class BitReader {
 public:
  BitReader() = default;
  explicit BitReader(std::span<const uint8_t> bytes) : next_(bytes.data()), end_(next_ + bytes.size()) {}

  /// Fills the window to at least 56 bits.
  void refill() {
    if (end_ - next_ >= 8) {
      uint64_t bytes = 0;
      std::memcpy(&bytes, next_, sizeof bytes);
      window_ |= little_endian(bytes) << bits_;
      next_ += (63 - bits_) >> 3;
      bits_ |= 56;
    } else {
      refill_at_the_end();
    }
  }
  uint64_t window() const { return window_; }
  int bits() const { return bits_; }
  /// Removes `count` bits, at most bits().
  void drop(int count) {
    window_ >>= count;
    bits_ -= count;
  }
  /// Reads `count` bits, at most 32.
  uint32_t take(int count) {
    if (bits_ < count) refill();
    const auto value = static_cast<uint32_t>(window_ & ((uint64_t{1} << count) - 1));
    drop(count);
    return value;
  }
  void align() { drop(bits_ & 7); }
  bool overrun() const { return padding_ > bits_; }
  /// Whether only zero bits up to the next byte remain.
  bool only_padding_left() { return !overrun() && rest().empty() && take(bits_ & 7) == 0; }
  /// The bytes not yet read; call it at a byte boundary.
  std::span<const uint8_t> rest() const {
    const int unread = padding_ < bits_ ? (bits_ - padding_) / 8 : 0;
    return {next_ - unread, end_};
  }

 private:
  void refill_at_the_end() {
    while (bits_ <= 55) {
      if (next_ != end_) {
        window_ |= uint64_t{*next_++} << bits_;
      } else {
        padding_ += 8;
      }
      bits_ += 8;
    }
  }

  const uint8_t* next_ = nullptr;
  const uint8_t* end_ = nullptr;
  uint64_t window_ = 0;  // bits above bits_ are 0 or following bits
  int bits_ = 0;
  int padding_ = 0;  // zero bits after the end in the window
};

}  // namespace ctv
