// SPDX-License-Identifier: BSD-3-Clause
// Runs of zeros between values (Katsigiannis et al., section II), as bytes that DEFLATE compresses:
//   value  v != 0: zigzag(v) = 2|v| - (v > 0), as LEB128 (first byte never 0)
//   run of n zeros: a byte 0, then n - 1 as LEB128
// Without runs (lowpass of key frames), every level is its zigzag number as LEB128.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/util/types.hpp"

namespace ctv {

/// The most bytes that `count` levels need.
constexpr size_t zero_run_bound(size_t count) { return 3 * count + 8; }

/// Writes symbols to `out` (zero_run_bound() bytes). Returns the bytes written.
size_t encode_zero_runs(std::span<const Level> levels, bool runs, uint8_t* out);
/// Reads levels.size() levels from bytes[used..] and advances `used`. Returns false if the bytes end early, a
/// run is too long, or a number is out of range.
bool decode_zero_runs(std::span<const uint8_t> bytes, size_t& used, bool runs, std::span<Level> levels);

// Signs are unpredictable, so neither function branches.
constexpr uint32_t zigzag(int v) {
  const int u = v - 1;
  return ((static_cast<uint32_t>(u) << 1) ^ static_cast<uint32_t>(u >> 31)) ^ 1U;
}
constexpr int unzigzag(uint32_t z) { return static_cast<int>((z >> 1) ^ ((z & 1U) - 1)) + 1; }

}  // namespace ctv
