// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_tables.hpp"

namespace ctv {
namespace {

// Sizes of 12 bits in base64, most significant digit first, 32 digits a table.
constexpr char kDigits[] =
#include "data/tile_tables.inc"
    ;

uint32_t digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<uint32_t>(c - 'a') + 26;
  if (c >= '0' && c <= '9') return static_cast<uint32_t>(c - '0') + 52;
  return c == '+' ? 62 : 63;
}

TableSizes trained_sizes() {
  static_assert(sizeof kDigits == 2 * kTableSymbols * kTables + 1);
  TableSizes sizes{};
  const char* next = kDigits;
  for (auto& table : sizes) {
    for (uint16_t& size : table) {
      size = static_cast<uint16_t>(digit_of(next[0]) << 6 | digit_of(next[1]));
      next += 2;
    }
  }
  return sizes;
}

}  // namespace

TileTables::TileTables(const TableSizes& sizes) {
  for (size_t t = 0; t < sizes.size(); ++t) {
    uint32_t begin = 0;
    for (size_t s = 0; s < kTableSymbols; ++s) {
      symbols[t].begin[s] = static_cast<uint16_t>(begin);
      begin += sizes[t][s];
    }
  }
}

const TileTables& tile_tables() {
  static const TileTables tables(trained_sizes());
  return tables;
}

}  // namespace ctv
