// SPDX-License-Identifier: BSD-3-Clause
// Binary range coding with adaptive probabilities (Martin, Range encoding, 1979; a carry goes back into the
// bytes written). A payload ends after its last byte that is not 0: the decoder reads zeros beyond.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/entropy/growing.hpp"

namespace ctv {

/// Probability of a 0 in 65536ths: the mean of a fast and a slow estimate.
class AdaptiveBit {
 public:
  static constexpr uint32_t kLeast = 256;
  static constexpr int kFast = 4;
  static constexpr int kSlow = 7;
  static constexpr uint8_t kPriorBits = 7;
  constexpr AdaptiveBit() = default;
  /// zero: the probability to begin with. It counts as much as kPriorBits bits.
  constexpr explicit AdaptiveBit(uint16_t zero) : fast_(zero), slow_(zero), seen_(kPriorBits) {}
  uint32_t zero() const {
    const uint32_t p = (uint32_t{fast_} + slow_) >> 1;
    return p < kLeast ? kLeast : (p > 65536 - kLeast ? 65536 - kLeast : p);
  }
  void update(bool one) {
    const auto length = static_cast<int>(std::bit_width(static_cast<unsigned>(seen_ + 1)));
    move(one, length < kFast ? length : kFast, fast_);
    move(one, length < kSlow ? length : kSlow, slow_);
    seen_ = static_cast<uint8_t>(seen_ + (length < kSlow ? 1 : 0));
  }

 private:
  // Towards 0 after a 1, towards 65535 after a 0; without branches, which bits cannot be predicted for.
  static void move(bool one, int shift, uint16_t& estimate) {
    const uint32_t ones = one ? ~0U : 0U;
    const uint32_t way = (estimate ^ ~ones) & 0xffffU;
    estimate = static_cast<uint16_t>(estimate + (((way >> shift) ^ ones) - ones));
  }
  uint16_t fast_ = 32768;
  uint16_t slow_ = 32768;
  uint8_t seen_ = 0;  // bits so far
};

class RangeEncoder {
 public:
  static constexpr bool kDecodes = false;
  /// Overwrites `out` from its beginning.
  explicit RangeEncoder(Growing<uint8_t>& out) : out_(out) {}
  bool bit(AdaptiveBit& p, bool one) {
    code(one, p.zero());
    p.update(one);
    return one;
  }
  /// A bit of probability one half.
  bool even(bool one) {
    code(one, 32768);
    return one;
  }
  /// Writes the number with most trailing zeros that identifies the symbols. Returns the number of bytes.
  size_t finish() {
    for (int zeros = 31; zeros >= 0; --zeros) {
      const uint64_t step = uint64_t{1} << zeros;
      const uint64_t value = (low_ + step - 1) & ~(step - 1);
      if (value <= low_ + range_ - 1) {
        low_ = value;
        break;
      }
    }
    for (int i = 0; i < 4; ++i) shift();
    while (size_ > 0 && out_.data()[size_ - 1] == 0) --size_;
    return size_;
  }

 private:
  void code(bool one, uint32_t zero) {
    const auto part = static_cast<uint32_t>((uint64_t{range_} * zero) >> 16);
    low_ += one ? part : 0;
    range_ = one ? range_ - part : part;
    if (range_ < 1U << 24) {  // once: no probability is below 2^-8
      shift();
      range_ <<= 8;
    }
  }
  void shift() {
    if (low_ >> 32 != 0) {
      size_t i = size_;
      while (++out_.data()[--i] == 0) {
      }
      low_ &= 0xffffffffU;
    }
    if (size_ == out_.capacity()) out_.reserve(2 * size_ + 256, size_);
    out_.data()[size_++] = static_cast<uint8_t>(low_ >> 24);
    low_ = (low_ & 0xffffffU) << 8;
  }

  Growing<uint8_t>& out_;
  size_t size_ = 0;
  uint64_t low_ = 0;
  uint32_t range_ = ~0U;
};

/// Any bytes give symbols. Arguments of bit() and even() that the encoder codes are ignored. sound() is
/// whether an encoder can have written the bytes.
class RangeDecoder {
 public:
  static constexpr bool kDecodes = true;
  explicit RangeDecoder(std::span<const uint8_t> bytes) : bytes_(bytes) {
    for (int i = 0; i < 4; ++i) code_ = code_ << 8 | next();
    in_range_ = code_ < range_;
  }
  bool bit(AdaptiveBit& p, bool) {
    const bool one = decode(p.zero());
    p.update(one);
    return one;
  }
  bool even(bool) { return decode(32768); }
  /// After the last symbol: whether the bytes begin with a number in range, all were read, and the last one
  /// is not 0.
  bool sound() const { return in_range_ && at_ >= bytes_.size() && (bytes_.empty() || bytes_.back() != 0); }

 private:
  bool decode(uint32_t zero) {
    const auto part = static_cast<uint32_t>((uint64_t{range_} * zero) >> 16);
    const bool one = code_ >= part;
    code_ -= one ? part : 0;
    range_ = one ? range_ - part : part;
    if (range_ < 1U << 24) {
      code_ = code_ << 8 | next();
      range_ <<= 8;
    }
    return one;
  }
  uint32_t next() {
    const uint32_t byte = at_ < bytes_.size() ? bytes_[at_] : 0;
    ++at_;
    return byte;
  }
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  uint32_t code_ = 0;
  uint32_t range_ = ~0U;
  bool in_range_ = false;
};

}  // namespace ctv
