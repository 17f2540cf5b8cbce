// SPDX-License-Identifier: BSD-3-Clause
// Reads what huffman_writer.hpp writes, and nothing else of RFC 1951: blocks of literals with codes of at
// most twelve bits, then stored blocks. The caller says how many symbols there can be; nothing is written
// beyond.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/entropy/bits.hpp"
#include "codec/entropy/growing.hpp"
#include "codec/entropy/huffman_writer.hpp"

namespace ctv {

class HuffmanReader {
 public:
  void start(std::span<const uint8_t> stream) { bits_ = BitReader(stream); }
  /// One block of literals below `alphabet` into `out`; `count` symbols. False if it is damaged, holds more
  /// than out.size() symbols or is the stream's last.
  bool literals(int alphabet, std::span<uint8_t> out, size_t& count);
  /// The stored blocks, to the end of the stream, which must be the end of the bytes. `raw` shows them in the
  /// stream itself, or in `joined` if there are several.
  bool finish(Growing<uint8_t>& joined, std::span<const uint8_t>& raw);

 private:
  bool read_dynamic_codes(int alphabet);
  bool make_table(std::span<const uint8_t> lengths, int bits);
  bool decode_symbols(std::span<uint8_t> out, size_t& count);

  BitReader bits_;
  int table_bits_ = 0;
  std::array<uint16_t, 1U << kMaxLiteralLength> table_;  // by the next bits: symbol << 6 | length; 0: no code
};

}  // namespace ctv
