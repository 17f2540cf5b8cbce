// SPDX-License-Identifier: BSD-3-Clause
// Symbol tables as stored in data files: sizes of intervals in 4096ths, 12 bits each, in base64, most
// significant digit first, 32 digits per table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/model/rans.hpp"

namespace ctv {

/// Sizes of the symbols' intervals in 4096ths; 0 if a symbol cannot occur.
template <size_t kCount>
using IntervalSizes = std::array<std::array<uint16_t, kTableSymbols>, kCount>;

constexpr uint32_t value_of_digit(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<uint32_t>(c - 'a') + 26;
  if (c >= '0' && c <= '9') return static_cast<uint32_t>(c - '0') + 52;
  return c == '+' ? 62 : 63;
}

/// Makes the tables, followed by one table of zeros. On the stack lies one table's sizes, since threads may
/// have 128 KiB of it.
template <size_t kCount, size_t kLength>
std::array<SymbolTable, kCount + 1> tables_from_digits(const char (&digits)[kLength]) {
  static_assert(kLength == 2 * kTableSymbols * kCount + 1);
  std::array<SymbolTable, kCount + 1> tables{};
  const char* next = digits;
  for (size_t t = 0; t < kCount; ++t) {
    uint32_t begin = 0;
    for (uint16_t& start : tables[t].begin) {
      start = static_cast<uint16_t>(begin);
      begin += value_of_digit(next[0]) << 6 | value_of_digit(next[1]);
      next += 2;
    }
  }
  return tables;
}

}  // namespace ctv
