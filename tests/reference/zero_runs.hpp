// SPDX-License-Identifier: BSD-3-Clause
// Runs of zeros by the document (docs/bitstream.md, 6.1), one level at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/util/types.hpp"

namespace ctv::reference {

inline void append_varint(std::vector<uint8_t>& bytes, size_t v) {
  for (; v >= 128; v /= 128) bytes.push_back(static_cast<uint8_t>(128 + v % 128));
  bytes.push_back(static_cast<uint8_t>(v));
}

inline void append_zero_runs(std::vector<uint8_t>& bytes, std::span<const Level> levels, bool runs) {
  size_t zeros = 0;
  const auto end_run = [&] {
    if (zeros == 0) return;
    bytes.push_back(0);
    append_varint(bytes, zeros - 1);
    zeros = 0;
  };
  for (const int v : levels) {
    if (runs && v == 0) {
      ++zeros;
      continue;
    }
    end_run();
    append_varint(bytes, static_cast<size_t>(v > 0 ? 2 * v - 1 : -2 * v));
  }
  end_run();
}

}  // namespace ctv::reference
