// SPDX-License-Identifier: BSD-3-Clause
// Symbols of levels by the document (docs/bitstream.md, 6.1), one level at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/util/types.hpp"

namespace ctv::reference {

struct RunSymbols {
  std::vector<uint8_t> heads, tails;

  void add(size_t v) {
    std::vector<uint8_t>* to = &heads;
    for (; v >= 128; v /= 128, to = &tails) to->push_back(static_cast<uint8_t>(128 + v % 128));
    to->push_back(static_cast<uint8_t>(v));
  }
  void add_run(size_t zeros) {
    heads.push_back(0);
    for (size_t v = zeros - 1;; v /= 128) {
      tails.push_back(static_cast<uint8_t>((v >= 128 ? 128 : 0) + v % 128));
      if (v < 128) return;
    }
  }
};

/// Adds the symbols of a chunk, none if all its levels are 0.
inline void add_chunk(RunSymbols& symbols, std::span<const Level> levels, bool runs) {
  if (std::all_of(levels.begin(), levels.end(), [](Level v) { return v == 0; })) return;
  size_t zeros = 0;
  Level before = 0;
  for (const Level level : levels) {
    const int v = runs ? level : static_cast<Level>(level - before);
    before = level;
    if (runs && v == 0) {
      ++zeros;
      continue;
    }
    if (zeros > 0) symbols.add_run(zeros);
    zeros = 0;
    symbols.add(static_cast<size_t>(v > 0 ? 2 * v - 1 : -2 * v));
  }
  if (zeros > 0) symbols.add_run(zeros);
}

}  // namespace ctv::reference
