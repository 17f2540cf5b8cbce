// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_levels.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ctv {

constinit const TileLookup::Tables TileLookup::kTablesOf = [] {
  Tables c;
  for (uint32_t t = 0; t < c.sum.size(); ++t) {
    c.sum[t] = static_cast<uint8_t>(ctv::sum_class(t));
    c.plane[t] = static_cast<uint8_t>(ctv::plane_class(t));
  }
  for (uint32_t n = 0; n < 17; ++n) {
    for (uint32_t there = 0; there < 2; ++there) {
      c.siblings[there][n] = static_cast<uint8_t>(ctv::sibling_sum_class(n, there));
    }
  }
  for (uint32_t t = 0; t < c.recent.size(); ++t) c.recent[t] = static_cast<uint8_t>(ctv::recent_class(t));
  for (uint32_t sum = 0; sum < kSumClasses; ++sum) {
    for (uint32_t own = 0; own < 9; ++own) {
      c.numbers[sum][own] = static_cast<uint8_t>(ctv::number_class(sum, own));
    }
  }
  for (uint32_t m = 0; m < 16; ++m) {
    for (uint32_t b = 0; b < 16; ++b) {
      c.gathered[m][b] = static_cast<uint8_t>(gather_bits(m, b));
      c.scattered[m][b] = static_cast<uint8_t>(scatter_bits(m, b));
      c.facts[m][b] = quad_facts(m, b);
      c.ternary[m | b << 4] = static_cast<uint8_t>(ctv::ternary(m, b));
      c.quaternary[m | b << 4] = static_cast<uint8_t>(ctv::quaternary(m, b, 0));
    }
  }
  return c;
}();

#if defined(__SSE2__)

namespace {

__m128i load(const Level* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

// Mask of the nonzero quads of two rows of sixteen levels: bit x.
uint32_t quads_of(const Level* upper, const Level* lower) {
  const __m128i zero = _mm_setzero_si128();
  const __m128i low = _mm_or_si128(load(upper), load(lower));
  const __m128i high = _mm_or_si128(load(upper + 8), load(lower + 8));
  const __m128i zeros = _mm_packs_epi32(_mm_cmpeq_epi32(low, zero), _mm_cmpeq_epi32(high, zero));
  return ~static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(zeros, zeros))) & 255U;
}

// Masks of eight quads, from bytes of all ones or 0 for sixteen levels per row.
void put_quads(__m128i above, __m128i below, uint8_t* to) {
  const __m128i ones = _mm_or_si128(_mm_and_si128(above, _mm_set1_epi16(0x0201)),
                                    _mm_and_si128(below, _mm_set1_epi16(0x0804)));
  const __m128i quads = _mm_and_si128(_mm_or_si128(ones, _mm_srli_epi16(ones, 8)), _mm_set1_epi16(255));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(quads, quads));
}

// Bytes with a larger magnitude. Saturated levels are allowed.
__m128i is_beyond(__m128i v, int8_t magnitude) {
  return _mm_or_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8(magnitude)),
                      _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<int8_t>(-magnitude)), v));
}

// Magnitudes from which a number has more raw bits, and how many more.
constexpr struct {
  int16_t from, bits;
} kRawSteps[] = {{10, 1}, {12, 1}, {16, 1}, {24, 1}, {40, 2}, {104, 2}, {360, 2}, {1384, 5}};

}  // namespace

LargeSums sum_large(const Level* levels, size_t stride) {
  const __m128i zero = _mm_setzero_si128();
  __m128i large = zero;
  __m128i raw_bits = zero;
  for (int y = 0; y < kTileSide; ++y, levels += stride) {
    const __m128i halves[2] = {load(levels), load(levels + 8)};
    const __m128i both = _mm_packs_epi16(halves[0], halves[1]);  // saturated
    large = _mm_sub_epi8(large, is_beyond(both, 1));
    if (_mm_movemask_epi8(is_beyond(both, 9)) == 0) continue;
    for (const __m128i v : halves) {
      const __m128i magnitude = _mm_max_epi16(v, _mm_subs_epi16(zero, v));
      for (const auto& step : kRawSteps) {
        const __m128i more = _mm_cmpgt_epi16(magnitude, _mm_set1_epi16(static_cast<int16_t>(step.from - 1)));
        raw_bits = _mm_add_epi16(raw_bits, _mm_and_si128(more, _mm_set1_epi16(step.bits)));
      }
    }
  }
  alignas(16) uint32_t sums[8];
  _mm_store_si128(reinterpret_cast<__m128i*>(sums), _mm_sad_epu8(large, zero));
  _mm_store_si128(reinterpret_cast<__m128i*>(sums + 4), _mm_madd_epi16(raw_bits, _mm_set1_epi16(1)));
  return {sums[0] + sums[2], sums[4] + sums[5] + sums[6] + sums[7]};
}

void bits_of_levels(const Level* levels, size_t stride, TileBits& bits) {
  const __m128i zero = _mm_setzero_si128();
  const __m128i ones = _mm_set1_epi8(-1);
  for (int y = 0; y < kTileQuads; ++y, levels += 2 * stride) {
    // Saturation keeps signs and the values -1, 0 and 1.
    const __m128i above = _mm_packs_epi16(load(levels), load(levels + 8));
    const __m128i below = _mm_packs_epi16(load(levels + stride), load(levels + stride + 8));
    put_quads(_mm_xor_si128(_mm_cmpeq_epi8(above, zero), ones),
              _mm_xor_si128(_mm_cmpeq_epi8(below, zero), ones), bits.nonzero + 8 * y);
    put_quads(is_beyond(above, 1), is_beyond(below, 1), bits.large + 8 * y);
    put_quads(_mm_cmpgt_epi8(zero, above), _mm_cmpgt_epi8(zero, below), bits.negative + 8 * y);
  }
}

void levels_of_bits(const TileBits& bits, Level* levels, size_t stride) {
  const auto doubled = [](const uint8_t* quads) {
    const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(quads));
    return _mm_unpacklo_epi8(eight, eight);
  };
  for (int y = 0; y < kTileQuads; ++y) {
    const __m128i nonzero = doubled(bits.nonzero + 8 * y);
    const __m128i large = doubled(bits.large + 8 * y);
    const __m128i negative = doubled(bits.negative + 8 * y);
    for (const int places_of_row : {0x0201, 0x0804}) {
      const __m128i places = _mm_set1_epi16(static_cast<int16_t>(places_of_row));
      const auto at = [places](__m128i quads) {
        return _mm_cmpeq_epi8(_mm_and_si128(quads, places), places);
      };
      const __m128i minus_magnitude = _mm_add_epi8(at(nonzero), at(large));
      const __m128i plus = _mm_xor_si128(at(negative), _mm_set1_epi8(-1));
      const __m128i level = _mm_sub_epi8(_mm_xor_si128(minus_magnitude, plus), plus);
      const __m128i sign = _mm_cmpgt_epi8(_mm_setzero_si128(), level);
      auto* const to = reinterpret_cast<__m128i*>(levels);
      _mm_storeu_si128(to, _mm_unpacklo_epi8(level, sign));
      _mm_storeu_si128(to + 1, _mm_unpackhi_epi8(level, sign));
      levels += stride;
    }
  }
}

#else

namespace {

uint32_t quads_of(const Level* upper, const Level* lower) {
  uint32_t quads = 0;
  for (uint32_t i = 0; i < 16; ++i) quads |= (upper[i] != 0 || lower[i] != 0 ? 1U : 0U) << (i / 2);
  return quads;
}

}  // namespace

LargeSums sum_large(const Level* levels, size_t stride) {
  LargeSums sums{};
  for (uint32_t i = 0; i < 256; ++i) {
    const int level = levels[level_at(i, stride)];
    const auto magnitude = static_cast<uint32_t>(level < 0 ? -level : level);
    if (magnitude < 2) continue;
    ++sums.levels;
    sums.raw_bits += number_bits(number_symbol(magnitude - 2));
  }
  return sums;
}

void bits_of_levels(const Level* levels, size_t stride, TileBits& bits) {
  bits = {};
  for (uint32_t i = 0; i < 256; ++i) {
    const int level = levels[level_at(i, stride)];
    const auto set = [i](uint8_t* quads, bool bit) {
      quads[i >> 2] = static_cast<uint8_t>(quads[i >> 2] | (bit ? 1U : 0U) << (i & 3U));
    };
    set(bits.nonzero, level != 0);
    set(bits.large, level > 1 || level < -1);
    set(bits.negative, level < 0);
  }
}

void levels_of_bits(const TileBits& bits, Level* levels, size_t stride) {
  for (uint32_t i = 0; i < 256; ++i) {
    const auto bit = [i](const uint8_t* quads) { return quads[i >> 2] >> (i & 3U) & 1; };
    const int magnitude = bit(bits.nonzero) + bit(bits.large);
    levels[level_at(i, stride)] = static_cast<Level>(bit(bits.negative) != 0 ? -magnitude : magnitude);
  }
}

#endif

void find_quads(const Level* upper, const Level* lower, size_t tiles, size_t b, int shift, TileQuads* to,
                size_t step) {
  const ptrdiff_t ahead = 2 * (lower - upper);
  for (size_t i = 0; i < tiles; ++i) {
    const size_t x = i * kTileSide;
    __builtin_prefetch(upper + x + ahead);  // the hardware prefetcher stops at page borders
    __builtin_prefetch(lower + x + ahead);
    to[i * step][b] |= uint64_t{quads_of(upper + x, lower + x)} << shift;
  }
}

}  // namespace ctv
