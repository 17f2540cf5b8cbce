// SPDX-License-Identifier: BSD-3-Clause
// Canonical Huffman codes of limited length. The tree is built once with two queues (van Leeuwen 1976); a
// limit then only moves counts of lengths: codes too long are cut, and for each unit of Kraft's sum too much
// one code of the greatest length goes below a shorter one, which makes two of the next length (as in zlib).
// So every code is complete, which inflaters ask for.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ctv {

inline constexpr int kMaxHuffmanSymbols = 288;
inline constexpr int kMaxCodeLength = 15;

class HuffmanTree {
 public:
  /// At most kMaxHuffmanSymbols counts; symbols with count 0 get no code.
  explicit HuffmanTree(std::span<const uint32_t> counts);

  int used() const { return used_; }
  /// Of the longest code without a limit.
  int depth() const { return depth_; }
  /// Lengths of all symbols (0: no code) with none above `limit`, 2^limit >= used(). A single symbol has
  /// length 1.
  void lengths(int limit, std::span<uint8_t> lengths) const;

 private:
  static constexpr int kMaxDepth = 64;  // counts are 32 bits, so Fibonacci's numbers end far below
  std::array<uint16_t, kMaxHuffmanSymbols> symbols_;  // the used ones, rarest first; ties by number
  std::array<int, kMaxDepth> codes_of_length_{};
  int used_ = 0;
  int depth_ = 0;
};

/// Codes of the given lengths, bit-reversed as DEFLATE writes them, 0 where the length is 0.
void canonical_codes(std::span<const uint8_t> lengths, std::span<uint16_t> codes);

}  // namespace ctv
