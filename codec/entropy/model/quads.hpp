// SPDX-License-Identifier: BSD-3-Clause
// Contexts of quads (docs/bitstream.md, 6.5) as arithmetic of one quad: what its neighbours say in one number
// T, T's classes, and a quad with its class as one word, for backends that find them all at once.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"

namespace ctv {

inline constexpr int kQuadClasses = 13;
inline constexpr int kMagnitudeClasses = 7;
inline constexpr int kMaxQuadSum = 31;
// Weights in T: of the quads to the left and above, of siblings, of the parent.
inline constexpr int kSameWeight = 3;
inline constexpr int kSiblingWeight = 2;
inline constexpr int kParentWeight = 3;
inline constexpr int kBigWeight = 8;  // of each further big level of a quad, for the magnitude class

CTV_HOST_DEVICE constexpr int quad_class(int t) {
  return (t >= 1) + (t >= 2) + (t >= 3) + (t >= 4) + (t >= 6) + (t >= 8) + (t >= 11) + (t >= 15) + (t >= 21) +
         (t >= 30) + (t >= 44) + (t >= 64);
}
/// t: T + kBigWeight * (levels of magnitude 2 and above in the quad - 1).
CTV_HOST_DEVICE constexpr int magnitude_class(int t) {
  return (t >= 8) + (t >= 20) + (t >= 40) + (t >= 80) + (t >= 140) + (t >= 220);
}

/// A quad that is not 0 or whose T is not: the number of quads since the last such one in its row (or since
/// the row's beginning), class, symbol, bits of signs as they are written, and the class of its magnitudes.
using QuadEvent = uint32_t;
inline constexpr int kMaxEventQuads = 1 << 14;  // quads of a row, so that `zeros` has 14 bits

struct QuadEventParts {
  uint32_t zeros, magnitude_class, signs, quad_class, symbol;
};
inline constexpr int kLog2QuadSymbols = 7;  // bits of the symbol, then of the class
inline constexpr int kLog2QuadClasses = 4;
CTV_HOST_DEVICE constexpr QuadEvent pack_event(const QuadEventParts& e) {
  return e.zeros << 18 | e.magnitude_class << 15 | e.signs << 11 | e.quad_class << 7 | e.symbol;
}
CTV_HOST_DEVICE constexpr QuadEventParts unpack_event(QuadEvent e) {
  return {e >> 18, e >> 15 & 7U, e >> 11 & 15U, e >> 7 & 15U, e & 127U};
}

}  // namespace ctv
