// SPDX-License-Identifier: BSD-3-Clause
// Asymmetric numeral systems, range variant (Duda 2013; Giesen 2014): 32-bit state, 16-bit words,
// probabilities in 4096ths, fixed tables of at most 16 symbols. The encoder starts at state 1, which costs no
// bits. The decoder must end at state 1, which detects damage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/util/host_device.hpp"

#if defined(__SSE2__) && !defined(__CUDACC__)
#include <emmintrin.h>
#define CTV_RANS_SSE2 1
#else
#define CTV_RANS_SSE2 0
#endif

namespace ctv {

inline constexpr uint32_t kProbabilityBits = 12;
inline constexpr uint32_t kWhole = 1U << kProbabilityBits;
inline constexpr uint32_t kLeastState = 1U << 16;
inline constexpr uint32_t kFirstState = 1;
inline constexpr int kTableSymbols = 16;

/// Start of each symbol's interval; the last interval ends at kWhole. An interval may be empty; none is all
/// of kWhole. An array of tables ends with one more table of zeros.
struct alignas(32) SymbolTable {
  uint16_t begin[kTableSymbols];
};

/// The last symbol whose interval starts at or before `slot`.
CTV_HOST_DEVICE uint32_t find_symbol(const SymbolTable& table, uint32_t slot) {
#if CTV_RANS_SSE2
  const __m128i slots = _mm_set1_epi16(static_cast<int16_t>(slot));
  const auto* const begin = reinterpret_cast<const __m128i*>(table.begin);
  const __m128i low = _mm_cmpgt_epi16(_mm_load_si128(begin), slots);
  const __m128i high = _mm_cmpgt_epi16(_mm_load_si128(begin + 1), slots);
  const auto beyond = static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
  return static_cast<uint32_t>(__builtin_ctz(beyond | 0x10000U)) - 1;
#else
  uint32_t s = 0;
  for (uint32_t step = 8; step != 0; step >>= 1) s += table.begin[s + step] <= slot ? step : 0;
  return s;
#endif
}

/// Decodes a piece. Any bytes give symbols; sound() tells whether they were valid. Reads at most four bytes
/// after the end, whose values do not matter.
class RansReader {
 public:
  static constexpr bool kDecodes = true;
  CTV_HOST_DEVICE RansReader(const SymbolTable* tables, const uint8_t* bytes, size_t size)
      : tables_(tables), next_(bytes), end_(bytes + size) {
    state_ = word();
    next_ += 2;
    if (size > 2) {
      state_ |= word() << 16;
      next_ += 2;
    }
  }
  CTV_HOST_DEVICE uint32_t symbol(uint32_t table, uint32_t) {
    const SymbolTable& t = tables_[table];
    const uint32_t slot = state_ & (kWhole - 1);
    const uint32_t s = find_symbol(t, slot);
    const uint16_t* const at = t.begin + s;
    const uint32_t begin = at[0];
    const uint32_t size = (at[1] - begin) & (kWhole - 1);  // the last interval ends at the next table's 0
    advance(size * (state_ >> kProbabilityBits) + slot - begin);
    return s;
  }
  /// offset: from the first set of tables to the set in use.
  CTV_HOST_DEVICE uint32_t chosen(uint32_t table, uint32_t offset, uint32_t s) {
    return symbol(table + offset, s);
  }
  /// 1 to 16 equiprobable bits.
  CTV_HOST_DEVICE uint32_t raw(uint32_t bits, uint32_t) {
    const uint32_t value = state_ & ((1U << bits) - 1);
    advance(state_ >> bits);
    return value;
  }
  /// Call after the last symbol: whether all bytes were read and the state is the first one.
  CTV_HOST_DEVICE bool sound() const { return next_ == end_ && state_ == kFirstState; }

 private:
  CTV_HOST_DEVICE uint32_t word() const { return next_[0] | uint32_t{next_[1]} << 8; }
  // Branch-free: whether a word is due is unpredictable.
  CTV_HOST_DEVICE void advance(uint32_t state) {
    const uint32_t due = (state < kLeastState ? 1U : 0U) & (next_ < end_ ? 1U : 0U);
    state_ = state << (16 * due) | (word() & (0U - due));
    next_ += 2 * due;
  }

  const SymbolTable* tables_;
  const uint8_t* next_;
  const uint8_t* end_;
  uint32_t state_;
};

/// An encoder's event: a symbol's interval as size << 16 | begin, or raw bits.
inline constexpr uint32_t kRawEvent = 1U << 31;
CTV_HOST_DEVICE constexpr uint32_t raw_event(uint32_t bits, uint32_t value) {
  return kRawEvent | bits << 16 | value;
}
/// A precomputed event, which minimises the work of a serial writer. State x becomes x + begin + factor * (x
/// / size); raw bits have size 1.
struct alignas(16) ReadyEvent {
  uint32_t least;       // states from here on write a word first
  uint32_t reciprocal;  // x / size = (x * reciprocal + added) >> (32 + shift)
  uint64_t added;       // reciprocal or 0
  uint32_t begin, factor;
  uint32_t shift, word_shift;  // word_shift = shift + 16, for a state that writes a word
};
CTV_HOST_DEVICE ReadyEvent ready_event(uint32_t event) {
  const uint32_t low = event & 0xffffU;
  if ((event & kRawEvent) != 0) {
    const uint32_t bits = event >> 16 & 31U;
    return {1U << (32 - bits), UINT32_MAX, UINT32_MAX, low, (1U << bits) - 1, 0, 16};
  }
  const uint32_t size = event >> 16;
  if (size == 0) return {};
#if defined(__CUDA_ARCH__)
  const auto shift = 31U - static_cast<uint32_t>(__clz(static_cast<int>(size)));
#else
  const auto shift = 31U - static_cast<uint32_t>(__builtin_clz(size));
#endif
  const uint32_t least = size << (32 - kProbabilityBits);
  const uint32_t factor = kWhole - size;
  if (size == 1U << shift) return {least, UINT32_MAX, UINT32_MAX, low, factor, shift, shift + 16};
  // 2^(32 + shift) / size, rounded so that the quotient is exact for all states (Robison 2005).
  const uint32_t quotient = UINT32_MAX / size;
  const uint32_t more = (0U - quotient * size) << shift;
  const uint32_t rest = more % size;
  const uint32_t down = (quotient << shift) + more / size;
  if (size - rest <= 1U << shift) return {least, down + 1, 0, low, factor, shift, shift + 16};
  return {least, down, down, low, factor, shift, shift + 16};
}

/// For RansWriter::put() of a symbol with an interval of `size`, 1 to kWhole - 1: the reciprocal, rounded up.
/// The state is below size * 2^20, so its product with the rounding error is below 2^44 and the quotient is
/// exact. Products fit in 64 bits.
inline constexpr int kReciprocalBits = 44;
constexpr uint64_t rans_reciprocal_64(uint32_t size) {
  return ((uint64_t{1} << kReciprocalBits) + size - 1) / size;
}

/// Inverse of RansReader: takes a piece's events from last to first. Words: push(uint32_t word, uint32_t due)
/// prepends the low 16 bits of `word` if due is 1.
template <typename Words>
class RansWriter {
 public:
  CTV_HOST_DEVICE explicit RansWriter(Words words) : words_(words) {}
  CTV_HOST_DEVICE void put_raw(uint32_t event) {
    const uint32_t bits = event >> 16 & 31U;
    flush(state_ >> (32 - bits) != 0 ? 1 : 0);
    state_ = state_ << bits | (event & 0xffffU);
  }
  /// Codes an event of either kind. The quotient does not wait for the comparison: dropping the state's lower
  /// 16 bits shifts the quotient by 16.
  CTV_HOST_DEVICE void put(const ReadyEvent& event) {
    const bool due = state_ >= event.least;
    const auto product = static_cast<uint32_t>((uint64_t{state_} * event.reciprocal + event.added) >> 32);
    const uint32_t quotient = product >> (due ? event.word_shift : event.shift);
    const uint32_t rest = due ? state_ >> 16 : state_;
    words_.push(state_, due ? 1 : 0);
    state_ = rest + event.begin + quotient * event.factor;
  }
  /// Codes a symbol with rans_reciprocal_64(), where 64-bit products are cheap: the quotient needs no
  /// correction.
  void put(uint32_t event, uint64_t reciprocal) {
    const uint32_t size = event >> 16;
    // Compilers would turn a comparison into a branch, which is unpredictable.
    const uint64_t rest = (uint64_t{size} << (32 - kProbabilityBits)) - 1 - state_;
    flush(static_cast<uint32_t>(rest >> 63));
    const auto quotient = static_cast<uint32_t>(state_ * reciprocal >> kReciprocalBits);
    state_ += (event & 0xffffU) + quotient * (kWhole - size);
  }
  /// Writes the state.
  CTV_HOST_DEVICE const Words& finish() {
    words_.push(state_ >> 16, state_ >= kLeastState ? 1 : 0);  // due for any state after the first word
    words_.push(state_, 1);
    return words_;
  }
  CTV_HOST_DEVICE Words& words() { return words_; }

 private:
  CTV_HOST_DEVICE void flush(uint32_t due) {  // 0 or 1
    words_.push(state_, due);
    state_ ^= (state_ ^ state_ >> 16) & (0U - due);  // faster than a shift by a variable
  }

  Words words_;
  uint32_t state_ = kFirstState;
};

}  // namespace ctv
