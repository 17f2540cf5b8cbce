// SPDX-License-Identifier: BSD-3-Clause
// Runs of zeros and values in two arrays, each a Huffman block of its own (docs/bitstream.md, 6.4): the
// paper's symbols without LZ77, which finds nothing in levels, and without runs in the statistics of values.
#pragma once

#include <cstdint>
#include <span>

#include "codec/entropy/growing.hpp"
#include "codec/entropy/huffman_reader.hpp"
#include "codec/entropy/huffman_writer.hpp"
#include "codec/util/types.hpp"

namespace ctv {

class SplitRuns {
 public:
  /// The parts count as one sequence. Returns the bytes written to `out`; none if every level is 0.
  size_t encode(std::span<const std::span<const Level>> parts, Growing<uint8_t>& out);
  /// Writes every level. False if the bytes are not exactly the encoding of so many levels.
  bool decode(std::span<const uint8_t> bytes, std::span<const std::span<Level>> parts);

 private:
  Growing<uint8_t> runs_;
  Growing<uint8_t> values_;
  Growing<uint8_t> raw_;
  HuffmanReader huffman_;
};

}  // namespace ctv
