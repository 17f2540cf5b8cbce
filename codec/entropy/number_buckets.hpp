// SPDX-License-Identifier: BSD-3-Clause
// Numbers of any size as a symbol and raw bits (docs/bitstream.md, 6.2): below 16 the number is the symbol;
// above, two symbols share each octave and the rest of the digits follow as they are.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ctv {

inline constexpr int kLog2DirectNumbers = 4;
inline constexpr uint32_t kDirectNumbers = 1U << kLog2DirectNumbers;

constexpr int number_symbols(int bits) {  // for numbers below 2^bits
  return static_cast<int>(kDirectNumbers) + 2 * (bits - kLog2DirectNumbers);
}
inline constexpr int kRunSymbols = number_symbols(32);
inline constexpr int kMagnitudeSymbols = number_symbols(15);  // of levels: |level| - 1 or less

struct BucketedNumber {
  uint8_t symbol;
  uint8_t extra_bits;
  uint32_t extra;
};

constexpr BucketedNumber bucket_of(uint32_t v) {
  if (v < kDirectNumbers) return {static_cast<uint8_t>(v), 0, 0};
  const int octave = static_cast<int>(std::bit_width(v)) - 1;
  const uint32_t half = v >> (octave - 1) & 1U;
  return {
      static_cast<uint8_t>(kDirectNumbers + 2U * static_cast<uint32_t>(octave - kLog2DirectNumbers) + half),
      static_cast<uint8_t>(octave - 1), v & ((1U << (octave - 1)) - 1)};
}

struct Bucket {
  uint32_t base;
  int extra_bits;
};

inline constexpr std::array<Bucket, kRunSymbols> kBuckets = [] {
  std::array<Bucket, kRunSymbols> buckets{};
  for (uint32_t s = 0; s < buckets.size(); ++s) {
    if (s < kDirectNumbers) {
      buckets[s] = {s, 0};
    } else {
      const uint32_t k = s - kDirectNumbers;
      const int octave = kLog2DirectNumbers + static_cast<int>(k / 2);
      buckets[s] = {(2U + (k & 1U)) << (octave - 1), octave - 1};
    }
  }
  return buckets;
}();

}  // namespace ctv
