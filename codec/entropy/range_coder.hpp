// SPDX-License-Identifier: BSD-3-Clause
// Binary range coding with adaptive probabilities (Martin, Range encoding, 1979; a carry goes back into the
// bytes written). A payload ends after its last byte that is not 0: the decoder reads zeros beyond.
#pragma once

#include <array>
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
  static constexpr uint16_t kPriorBits = 7;
  constexpr AdaptiveBit() = default;
  /// zero: the probability to begin with. It counts as much as kPriorBits bits.
  constexpr explicit AdaptiveBit(uint16_t zero)
      : fast_(zero), slow_(zero), zero_(in_bounds(zero)), seen_(kPriorBits) {}
  uint32_t zero() const { return zero_; }
  void update(bool one) {
    const int length = kLengths[seen_];
    const uint32_t fast = moved(one, length < kFast ? length : kFast, fast_);
    const uint32_t slow = moved(one, length, slow_);
    fast_ = static_cast<uint16_t>(fast);
    slow_ = static_cast<uint16_t>(slow);
    zero_ = in_bounds((fast + slow) >> 1);
    seen_ = static_cast<uint16_t>(seen_ + (length < kSlow ? 1 : 0));
  }

 private:
  static constexpr size_t kMostSeen = (1U << (kSlow - 1)) - 1;
  static constexpr std::array<uint8_t, kMostSeen + 1> kLengths = [] {  // binary digits of one more
    std::array<uint8_t, kMostSeen + 1> lengths{};
    for (size_t n = 0; n <= kMostSeen; ++n) lengths[n] = static_cast<uint8_t>(std::bit_width(n + 1));
    return lengths;
  }();
  static constexpr uint16_t in_bounds(uint32_t p) {
    return static_cast<uint16_t>(p < kLeast ? kLeast : (p > 65536 - kLeast ? 65536 - kLeast : p));
  }
  // Towards 0 after a 1, towards 65535 after a 0; without branches, which bits cannot be predicted for.
  static uint32_t moved(bool one, int shift, uint32_t estimate) {
    const uint32_t zeros = (uint32_t{one} - 1) & 0xffffU;
    const uint32_t way = estimate ^ zeros;
    return (way - (way >> shift)) ^ zeros;
  }
  uint16_t fast_ = 32768;
  uint16_t slow_ = 32768;
  uint16_t zero_ = 32768;
  uint16_t seen_ = 0;  // bits so far; a byte could alias what coders keep in registers
};

/// Copies of a coder, of which one goes on, let a compiler keep its state in registers.
class RangeEncoder {
 public:
  static constexpr bool kDecodes = false;
  /// Overwrites `out` from its beginning.
  explicit RangeEncoder(Growing<uint8_t>& out) : out_(&out) {}
  [[gnu::always_inline]] bool bit(AdaptiveBit& p, bool one) {
    code(one, p.zero());
    p.update(one);
    return one;
  }
  /// A bit of probability one half.
  [[gnu::always_inline]] bool even(bool one) {
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
    while (size_ > 0 && out_->data()[size_ - 1] == 0) --size_;
    return size_;
  }

 private:
  [[gnu::always_inline]] void code(bool one, uint32_t zero) {
    const auto part = static_cast<uint32_t>((uint64_t{range_} * zero) >> 16);
    const uint32_t ones = 0 - uint32_t{one};
    low_ += part & ones;
    range_ = part + ((range_ - 2 * part) & ones);
    if (range_ < 1U << 24) {  // once: no probability is below 2^-8
      shift();
      range_ <<= 8;
    }
  }
  [[gnu::always_inline]] void shift() {
    if (low_ >> 32 != 0) {
      size_t i = size_;
      while (++out_->data()[--i] == 0) {
      }
      low_ &= 0xffffffffU;
    }
    if (size_ == out_->capacity()) out_->reserve(2 * size_ + 256, size_);
    out_->data()[size_++] = static_cast<uint8_t>(low_ >> 24);
    low_ = (low_ & 0xffffffU) << 8;
  }

  Growing<uint8_t>* out_;
  size_t size_ = 0;
  uint64_t low_ = 0;
  uint32_t range_ = ~0U;
};

/// Any bytes give symbols. Arguments of bit() and even() that the encoder codes are ignored. sound() is
/// whether an encoder can have written the bytes.
class RangeDecoder {
 public:
  static constexpr bool kDecodes = true;
  explicit RangeDecoder(std::span<const uint8_t> bytes = {}) : bytes_(bytes) {
    for (int i = 0; i < 4; ++i) window_ = window_ << 8 | next();
    in_range_ = window_ < range_;
    window_ <<= kAhead;
    refill();
  }
  [[gnu::always_inline]] bool bit(AdaptiveBit& p, bool) {
    const bool one = choose(static_cast<uint32_t>((uint64_t{range_} * p.zero()) >> 16));
    p.update(one);
    return one;
  }
  [[gnu::always_inline]] bool even(bool) { return choose(range_ >> 1); }
  /// After the last symbol: whether the bytes begin with a number in range, all were read, and the last one
  /// is not 0.
  bool sound() const {
    return in_range_ && at_ - ahead_ / 8 >= bytes_.size() && (bytes_.empty() || bytes_.back() != 0);
  }

 private:
  // part: of the range, for a 0. Bits cannot be foretold, so no branch chooses. The window is far below 2^63,
  // so the highest bit of what is left is its sign.
  [[gnu::always_inline]] bool choose(uint32_t part) {
    const uint64_t zeros = uint64_t{part} << kAhead;
    const uint64_t rest = window_ - zeros;
    const auto zero = static_cast<uint64_t>(static_cast<int64_t>(rest) >> 63);  // all bits, or none
    window_ = rest + (zeros & zero);
    range_ = range_ - part + ((2 * part - range_) & static_cast<uint32_t>(zero));
    if (range_ < 1U << 24) {
      range_ <<= 8;
      window_ <<= 8;
      ahead_ -= 8;
      if (ahead_ == 0) refill();
    }
    return zero == 0;
  }
  void refill() {
    uint64_t bits = 0;
    for (; ahead_ < kAhead; ahead_ += 8) bits = bits << 8 | next();
    window_ |= bits;
  }
  uint32_t next() {
    const uint32_t byte = at_ < bytes_.size() ? bytes_[at_] : 0;
    ++at_;
    return byte;
  }

  static constexpr uint32_t kAhead = 24;
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;        // first byte behind the window
  uint64_t window_ = 0;  // the code, which is below the range, and kAhead bits that follow it
  uint32_t ahead_ = 0;   // how many of these are known
  uint32_t range_ = ~0U;
  bool in_range_ = false;
};

}  // namespace ctv
