// SPDX-License-Identifier: BSD-3-Clause
// Numbers that look random and are the same on every machine.
#pragma once

#include <cstdint>

namespace ctv::lab {

/// The 64-bit linear congruential generator of Knuth's MMIX; its high bits are used.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) { next(); }

  /// Uniform in [0, n); n up to 2^31.
  int below(int n) { return static_cast<int>(next() * static_cast<uint64_t>(n) >> 32); }
  bool chance(double share) { return static_cast<double>(next()) < share * 4294967296.0; }

 private:
  uint64_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 32;
  }
  uint64_t state_;
};

}  // namespace ctv::lab
