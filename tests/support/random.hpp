// SPDX-License-Identifier: BSD-3-Clause
// Pseudo-random numbers that are equal on every machine.
#pragma once

#include <cstdint>

namespace ctv::test {

/// SplitMix64 (Steele, Lea and Flood 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// Uniform in [lo, hi].
  int between(int lo, int hi) {
    const auto span = static_cast<uint64_t>(static_cast<int64_t>(hi) - lo + 1);
    return static_cast<int>(lo + static_cast<int64_t>(next() % span));
  }
  uint8_t byte() { return static_cast<uint8_t>(next() >> 56); }

 private:
  uint64_t state_;
};

}  // namespace ctv::test
