// SPDX-License-Identifier: BSD-3-Clause
// The index of a component of runs (docs/bitstream.md, 6.1): where each chunk's heads and tails begin in its
// DEFLATE stream.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/util/types.hpp"

namespace ctv {

/// Levels per chunk. Runs end with the chunk.
inline constexpr uint32_t kRunChunk = 2048;
constexpr size_t run_chunks(size_t levels) { return (levels + kRunChunk - 1) / kRunChunk; }

/// Bits of a chunk's heads and tails. A chunk without heads has only zeros, and no tails.
struct RunChunkBits {
  uint32_t heads = 0, tails = 0;
};
inline constexpr uint32_t kMostHeadBits = kRunChunk * 12;
inline constexpr uint32_t kMostTailBits = 2 * kMostHeadBits;

/// Writes numbers of the index: with m = number + 2^k of b bits, b - 1 - k zeros, a one, the low b - 1 bits
/// of m.
class RunIndexWriter {
 public:
  /// Writes the index of `chunks` to `out`, which has room for most_bytes(). Returns its size.
  static size_t write(std::span<const RunChunkBits> chunks, uint8_t* out) {
    RunIndexWriter w(out);
    const uint32_t of_heads = best(
        chunks, [](const RunChunkBits& c) { return c.heads; }, false);
    const uint32_t of_tails = best(
        chunks, [](const RunChunkBits& c) { return c.tails; }, true);
    w.put(of_heads | of_tails << 4, 8);
    for (const RunChunkBits& c : chunks) {
      w.number(c.heads, of_heads);
      if (c.heads > 0) w.number(c.tails, of_tails);
    }
    if (w.filled_ > 0) w.put(0, 8 - w.filled_);
    return w.size_;
  }
  static constexpr size_t most_bytes(size_t chunks) { return 2 + 9 * chunks; }

 private:
  explicit RunIndexWriter(uint8_t* out) : out_(out) {}
  void put(uint32_t value, uint32_t count) {
    bits_ |= uint64_t{value} << filled_;
    for (filled_ += count; filled_ >= 8; filled_ -= 8, bits_ >>= 8)
      out_[size_++] = static_cast<uint8_t>(bits_);
  }
  void number(uint32_t number, uint32_t k) {
    const uint32_t m = number + (1U << k);
    const auto b = static_cast<uint32_t>(std::bit_width(m));
    put(0, b - 1 - k);
    put(1, 1);
    put(m - (1U << (b - 1)), b - 1);
  }
  /// The smallest k with the fewest bits.
  template <typename Number>
  static uint32_t best(std::span<const RunChunkBits> chunks, Number number, bool tails) {
    std::array<uint64_t, 16> bits{};
    for (const RunChunkBits& c : chunks) {
      if (tails && c.heads == 0) continue;
      for (uint32_t k = 0; k < 16; ++k) {
        bits[k] += 2 * static_cast<uint32_t>(std::bit_width(number(c) + (1U << k))) - 1 - k;
      }
    }
    uint32_t least = 0;
    for (uint32_t k = 1; k < 16; ++k) {
      if (bits[k] < bits[least]) least = k;
    }
    return least;
  }

  uint8_t* out_;
  size_t size_ = 0;
  uint64_t bits_ = 0;
  uint32_t filled_ = 0;
};

/// Reads the index of chunks.size() chunks. Returns its size in bytes, or 0 if it is damaged. Numbers are
/// limited to kMostHeadBits and kMostTailBits.
inline size_t read_run_index(std::span<const uint8_t> bytes, std::span<RunChunkBits> chunks) {
  if (bytes.empty()) return 0;
  uint64_t bits = 0;
  uint32_t filled = 0;
  size_t at = 1;
  bool sound = true;
  const auto number = [&](uint32_t k, uint32_t most) -> uint32_t {
    for (; filled <= 56 && at < bytes.size(); filled += 8) bits |= uint64_t{bytes[at++]} << filled;
    const auto zeros = static_cast<uint32_t>(std::countr_zero(bits));  // 64 at the end
    const uint32_t low = zeros + k;
    if (low > 17 || zeros + 1 + low > filled) {
      sound = false;
      return 0;
    }
    const uint64_t m = (uint64_t{1} << low) | (bits >> (zeros + 1) & ((uint64_t{1} << low) - 1));
    bits = bits >> (zeros + 1) >> low;
    filled -= zeros + 1 + low;
    const uint64_t value = m - (uint64_t{1} << k);
    sound = sound && value <= most;
    return static_cast<uint32_t>(value);
  };
  const uint32_t of_heads = bytes[0] & 15U;
  const uint32_t of_tails = bytes[0] >> 4;
  for (RunChunkBits& c : chunks) {
    c.heads = number(of_heads, kMostHeadBits);
    c.tails = c.heads > 0 ? number(of_tails, kMostTailBits) : 0;
    if (!sound) return 0;
  }
  // Returns whole bytes that were read ahead.
  at -= filled / 8;
  if ((filled & 7U) != 0 && (bits & ((1U << (filled & 7U)) - 1)) != 0) return 0;
  return at;
}

}  // namespace ctv
