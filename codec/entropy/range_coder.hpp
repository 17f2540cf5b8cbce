// SPDX-License-Identifier: BSD-3-Clause
// Binary range coder with adaptive probabilities (Martin, Range encoding, 1979; carries propagate into bytes
// already written). Trailing zero bytes of a payload are dropped: the decoder reads zeros after its end.
#pragma once

#include <algorithm>
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
  /// zero: initial probability, which weighs as much as kPriorBits bits.
  constexpr explicit AdaptiveBit(uint16_t zero)
      : zero_(in_bounds(zero)), seen_(kPriorBits), fast_(zero), slow_(zero) {}
  uint32_t zero() const { return zero_; }
  // Stays in bounds: after a 1 the mean is far below the upper bound, after a 0 far above the lower one.
  [[gnu::always_inline]] void update(bool one) {
    const Rate rate = kRates[seen_];
    uint32_t fast = fast_;
    uint32_t slow = slow_;
    uint32_t zero = 0;
    if (one) {
      fast -= fast >> rate.fast;
      slow -= slow >> rate.slow;
      zero = std::max((fast + slow) >> 1, kLeast);
    } else {
      fast += (65535 - fast) >> rate.fast;
      slow += (65535 - slow) >> rate.slow;
      zero = std::min((fast + slow) >> 1, 65536 - kLeast);
    }
    zero_ = static_cast<uint16_t>(zero);
    seen_ = rate.next;
    fast_ = static_cast<uint16_t>(fast);
    slow_ = static_cast<uint16_t>(slow);
  }

 private:
  struct Rate {
    uint8_t fast, slow;
    uint8_t next;  // state after this bit
    uint8_t unused;
  };
  static constexpr uint32_t kMostSeen = (1U << (kSlow - 1)) - 1;
  static constexpr std::array<Rate, kMostSeen + 1> kRates = [] {
    std::array<Rate, kMostSeen + 1> rates{};
    for (uint32_t n = 0; n <= kMostSeen; ++n) {
      const auto length = static_cast<uint8_t>(std::bit_width(n + 1));
      rates[n] = {std::min(length, uint8_t{kFast}), length, static_cast<uint8_t>(std::min(n + 1, kMostSeen)),
                  0};
    }
    return rates;
  }();
  static constexpr uint16_t in_bounds(uint32_t p) {
    return static_cast<uint16_t>(std::clamp(p, kLeast, 65536 - kLeast));
  }
  // Alternating with seen_, since compilers would pack four 16-bit members into one word.
  uint16_t zero_ = 32768;
  uint8_t seen_ = 0;  // adaptation state, by bits seen
  uint16_t fast_ = 32768;
  uint16_t slow_ = 32768;
};

/// A local copy of a coder lets the compiler keep its state in registers.
class RangeEncoder {
 public:
  static constexpr bool kDecodes = false;
  /// Overwrites `out` from the start.
  explicit RangeEncoder(Growing<uint8_t>& out) : out_(&out) {}
  // Each branch does all work of a bit, so that the compiler merges it with the walk's own branch on the bit.
  [[gnu::always_inline]] bool bit(AdaptiveBit& p, bool one) {
    const auto part = static_cast<uint32_t>((uint64_t{range_} * p.zero()) >> 16);
    if (one) {
      low_ += part;
      range_ -= part;
      p.update(true);
      normalize();
      return true;
    }
    range_ = part;
    p.update(false);
    normalize();
    return false;
  }
  /// Codes a bit with probability one half.
  [[gnu::always_inline]] bool even(bool one) {
    const uint32_t part = range_ >> 1;
    const uint32_t ones = 0 - uint32_t{one};
    low_ += part & ones;
    range_ = part + (range_ & ones & 1);
    normalize();
    return one;
  }
  /// Writes the value in the final range with most trailing zeros. Returns the number of bytes.
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
    flush();
    while (size_ > 0 && out_->data()[size_ - 1] == 0) --size_;
    return size_;
  }

 private:
  [[gnu::always_inline]] void normalize() {
    if (range_ < 1U << 24) {  // once suffices: no probability is below 2^-8
      range_ <<= 8;
      shift();
    }
  }
  [[gnu::always_inline]] void shift() {
    low_ <<= 8;
    ahead_ += 8;
    if (ahead_ == kAhead) flush();
  }
  [[gnu::always_inline]] void flush() {
    const uint64_t bytes = low_ >> 32;
    if (size_ + kAhead / 8 > out_->capacity()) out_->reserve(2 * size_ + 256, size_);
    uint8_t* const to = out_->data() + size_;
    if (bytes >> ahead_ != 0) {
      uint8_t* carried = to;
      while (++*--carried == 0) {
      }
    }
    size_ += ahead_ / 8;
    for (size_t i = 0; ahead_ > 0; ++i) {
      ahead_ -= 8;
      to[i] = static_cast<uint8_t>(bytes >> ahead_);
    }
    low_ &= 0xffffffffU;
  }

  static constexpr uint32_t kAhead = 24;
  Growing<uint8_t>* out_;
  size_t size_ = 0;
  uint64_t low_ = 0;  // above bit 32: pending bits and a carry
  uint32_t ahead_ = 0;
  uint32_t range_ = ~0U;
};

/// Any bytes give symbols. The bit arguments of bit() and even() are ignored. sound() tells whether an
/// encoder can have written the bytes.
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
    const auto part = static_cast<uint32_t>((uint64_t{range_} * p.zero()) >> 16);
    const uint64_t zeros = uint64_t{part} << kAhead;
    if (window_ >= zeros) {
      window_ -= zeros;
      range_ -= part;
      p.update(true);
      normalize();
      return true;
    }
    range_ = part;
    p.update(false);
    normalize();
    return false;
  }
  [[gnu::always_inline]] bool even(bool) {
    const uint32_t part = range_ >> 1;
    const uint64_t zeros = uint64_t{part} << kAhead;
    const uint64_t rest = window_ - zeros;
    const auto zero = static_cast<uint64_t>(static_cast<int64_t>(rest) >> 63);  // all bits set, or none
    window_ = rest + (zeros & zero);
    range_ = part + (range_ & 1 & ~static_cast<uint32_t>(zero));
    normalize();
    return zero == 0;
  }
  /// Call after the last symbol: whether the bytes begin with a value in range, were all read, and do not end
  /// with 0.
  bool sound() const {
    return in_range_ && at_ - ahead_ / 8 >= bytes_.size() && (bytes_.empty() || bytes_.back() != 0);
  }

 private:
  [[gnu::always_inline]] void normalize() {
    if (range_ < 1U << 24) {
      range_ <<= 8;
      window_ <<= 8;
      ahead_ -= 8;
      if (ahead_ == 0) refill();
    }
  }
  [[gnu::always_inline]] void refill() {
    uint64_t bits = 0;
    if (at_ + kAhead / 8 <= bytes_.size()) {
      for (uint32_t i = 0; i < kAhead / 8; ++i) bits = bits << 8 | bytes_[at_ + i];
      at_ += kAhead / 8;
    } else {
      for (uint32_t i = 0; i < kAhead; i += 8) bits = bits << 8 | next();
    }
    ahead_ = kAhead;
    window_ |= bits;
  }
  uint32_t next() {
    const uint32_t byte = at_ < bytes_.size() ? bytes_[at_] : 0;
    ++at_;
    return byte;
  }

  static constexpr uint32_t kAhead = 24;
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;        // first byte after the window
  uint64_t window_ = 0;  // the code, which is below the range, then the kAhead next bits
  uint32_t ahead_ = 0;   // number of these that are loaded
  uint32_t range_ = ~0U;
  bool in_range_ = false;
};

}  // namespace ctv
