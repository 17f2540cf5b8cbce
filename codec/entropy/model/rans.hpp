// SPDX-License-Identifier: BSD-3-Clause
// Asymmetric numeral systems, range variant (Duda 2013; Giesen 2014), decoding: a state of 32 bits, words of
// 16 bits, probabilities in 4096ths, fixed tables of at most 16 symbols. The encoder's state begins as 1, so
// that nothing is spent on it, and must end as 1 in the decoder, which finds damage.
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

/// Where the interval of each symbol begins; the last ends at kWhole. An interval may be empty, none is the
/// whole. One more table of zeros follows the last one in an array.
struct alignas(32) SymbolTable {
  uint16_t begin[kTableSymbols];
};

/// The last symbol that begins at or before `slot`.
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

/// Reads a piece. Any bytes give symbols; sound() tells afterwards. It may read four bytes beyond the end,
/// which mean nothing, and never goes further.
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
    const uint32_t size = (at[1] - begin) & (kWhole - 1);  // the last ends at the next table's 0
    advance(size * (state_ >> kProbabilityBits) + slot - begin);
    return s;
  }
  /// offset: from the table of the first set to that of the set in use.
  CTV_HOST_DEVICE uint32_t chosen(uint32_t table, uint32_t offset, uint32_t s) {
    return symbol(table + offset, s);
  }
  /// 1 to 16 bits of equal probabilities.
  CTV_HOST_DEVICE uint32_t raw(uint32_t bits, uint32_t) {
    const uint32_t value = state_ & ((1U << bits) - 1);
    advance(state_ >> bits);
    return value;
  }
  /// After the last symbol: whether all bytes were read and gave the first state.
  CTV_HOST_DEVICE bool sound() const { return next_ == end_ && state_ == kFirstState; }

 private:
  CTV_HOST_DEVICE uint32_t word() const { return next_[0] | uint32_t{next_[1]} << 8; }
  // Whether a word is due cannot be foretold, so there is no branch.
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

}  // namespace ctv
