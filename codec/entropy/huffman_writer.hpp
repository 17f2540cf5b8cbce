// SPDX-License-Identifier: BSD-3-Clause
// DEFLATE (RFC 1951) as a container of Huffman codes: each array of symbols below 256 becomes one block of
// literals, so that block boundaries carry the lengths of arrays; bits that no code can shorten follow in
// stored blocks, the last of which ends the stream. No matching: on levels it gains nothing and disturbs the
// statistics. Any inflater reads it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/entropy/bits.hpp"
#include "codec/entropy/growing.hpp"

namespace ctv {

inline constexpr int kLiteralCodes = 257;     // 256 literals and the end of the block
inline constexpr int kMaxLiteralLength = 12;  // of a code; readers rely on it
inline constexpr int kCodeLengthCodes = 19;   // RFC 1951, 3.2.7
inline constexpr int kMaxCodeLengthLength = 7;
inline constexpr size_t kMaxStored = 65535;  // bytes in a stored block
inline constexpr std::array<uint8_t, kCodeLengthCodes> kCodeLengthOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                                           11, 4,  12, 3, 13, 2, 14, 1, 15};

class HuffmanWriter {
 public:
  explicit HuffmanWriter(Growing<uint8_t>& out) : bits_(out), out_(out) {}

  /// Starts a stream at byte `at` of the output.
  void start(size_t at) { bits_.start(at); }
  /// One block; an empty one for an empty array.
  void literals(std::span<const uint8_t> symbols);
  /// The stored blocks; returns the end of the stream in the output.
  size_t finish(std::span<const uint8_t> raw);

 private:
  struct Plan;
  static void plan(std::span<const uint32_t, kLiteralCodes> counts, Plan& best);
  void write_head(const Plan& plan);
  void write_symbols(std::span<const uint8_t> symbols, std::span<const uint8_t> lengths);

  BitWriter bits_;
  Growing<uint8_t>& out_;
};

}  // namespace ctv
