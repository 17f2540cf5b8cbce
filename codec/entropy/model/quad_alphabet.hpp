// SPDX-License-Identifier: BSD-3-Clause
// The quad alphabet (docs/bitstream.md, 6.5): 2x2 levels as four digits min(|level|, 2), numbered so that
// likely quads get neighbouring numbers, which makes the head of a DEFLATE block short. All tables are made
// by the compiler.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ctv {

inline constexpr int kQuadSymbols = 81;

/// Four 16-bit numbers in one: position i at bit 16 i.
using QuadLanes = uint64_t;

struct QuadSymbol {
  QuadLanes digits;
  uint8_t sum;       // of the digits
  uint8_t non_zero;  // digits above 0
  uint8_t mask;      // bit i: digit i is not 0
  uint8_t twos;      // bit i: digit i is 2
  uint8_t bigs;      // digits that are 2
};

struct QuadAlphabet {
  std::array<QuadSymbol, kQuadSymbols> symbols{};
  std::array<uint8_t, kQuadSymbols> symbol_of_value{};  // value = 27 d0 + 9 d1 + 3 d2 + d3

  constexpr QuadAlphabet() {
    std::array<int, kQuadSymbols> order{};
    for (int v = 0; v < kQuadSymbols; ++v) order[static_cast<size_t>(v)] = v;
    std::sort(order.begin(), order.end(), [](int a, int b) {
      return digit_sum(a) != digit_sum(b) ? digit_sum(a) < digit_sum(b) : a < b;
    });
    for (size_t s = 0; s < kQuadSymbols; ++s) {
      const int v = order[s];
      symbol_of_value[static_cast<size_t>(v)] = static_cast<uint8_t>(s);
      QuadSymbol& q = symbols[s];
      const std::array<int, 4> digits = {v / 27, v / 9 % 3, v / 3 % 3, v % 3};
      for (size_t i = 0; i < 4; ++i) {
        q.digits |= static_cast<QuadLanes>(digits[i]) << 16 * i;
        q.sum = static_cast<uint8_t>(q.sum + digits[i]);
        q.non_zero = static_cast<uint8_t>(q.non_zero + (digits[i] > 0));
        q.mask = static_cast<uint8_t>(q.mask | (digits[i] > 0) << i);
        q.twos = static_cast<uint8_t>(q.twos | (digits[i] > 1) << i);
        q.bigs = static_cast<uint8_t>(q.bigs + (digits[i] > 1));
      }
    }
  }
  static constexpr int digit_sum(int v) { return v / 27 + v / 9 % 3 + v / 3 % 3 + v % 3; }
};
inline constexpr QuadAlphabet kQuads;

/// Signs are written for non-zero levels only, close together.
struct SignBits {
  std::array<std::array<uint8_t, 16>, 16> gathered{};    // [mask][bits by position]: bits close together
  std::array<std::array<QuadLanes, 16>, 16> negative{};  // [mask][bits close together]: lanes of ones

  constexpr SignBits() {
    for (unsigned mask = 0; mask < 16; ++mask) {
      for (unsigned bits = 0; bits < 16; ++bits) {
        unsigned n = 0;
        for (unsigned i = 0; i < 4; ++i) {
          if ((mask >> i & 1U) == 0) continue;
          gathered[mask][bits] = static_cast<uint8_t>(gathered[mask][bits] | (bits >> i & 1U) << n);
          if ((bits >> n & 1U) != 0) negative[mask][bits] |= QuadLanes{0xffff} << 16 * i;
          ++n;
        }
      }
    }
  }
};
inline constexpr SignBits kSigns;

/// Bytes close together into the lanes of a mask, by four shifts: from the k-th byte's place to its lane.
struct LaneShifts {
  std::array<std::array<uint8_t, 4>, 16> of_mask{};

  constexpr LaneShifts() {
    for (unsigned mask = 0; mask < 16; ++mask) {
      size_t k = 0;
      for (unsigned i = 0; i < 4; ++i) {
        if ((mask >> i & 1U) != 0) of_mask[mask][k++] = static_cast<uint8_t>(16 * i);
      }
    }
  }
};
inline constexpr LaneShifts kLaneShifts;

/// bytes: as many as the mask has bits, zeros above.
constexpr QuadLanes lanes_of_bytes(uint32_t bytes, unsigned mask) {
  const auto& shifts = kLaneShifts.of_mask[mask];
  return QuadLanes{bytes & 255U} << shifts[0] | QuadLanes{bytes >> 8 & 255U} << shifts[1] |
         QuadLanes{bytes >> 16 & 255U} << shifts[2] | QuadLanes{bytes >> 24} << shifts[3];
}

/// Negates the lanes that are ones in `negative`; none of them is 0, so that no lane carries into the next.
constexpr QuadLanes negate(QuadLanes lanes, QuadLanes negative) {
  return (lanes ^ negative) + (negative & 0x0001000100010001U);
}

}  // namespace ctv
