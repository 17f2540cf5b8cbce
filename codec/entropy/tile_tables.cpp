// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_tables.hpp"

#include <bit>

namespace ctv {
namespace {

// Sizes of 12 bits in base64, most significant digit first, 32 digits a table.
constexpr char kDigits[] =
#include "codec/entropy/tile_tables.inc"
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

// 256 log2(4096 / size), by squaring.
uint16_t cost_of(uint32_t size) {
  if (size == 0) return 0;  // never coded
  const int whole = std::bit_width(size) - 1;
  uint32_t cost = static_cast<uint32_t>(static_cast<int>(kProbabilityBits) - whole) << 8;
  uint64_t x = uint64_t{size} << (31 - whole);
  for (uint32_t bit = 128; bit != 0; bit >>= 1) {
    x = x * x >> 31;
    if (x >> 32 != 0) {
      x >>= 1;
      cost -= bit;
    }
  }
  return static_cast<uint16_t>(cost);
}

}  // namespace

TileTables::TileTables(const TableSizes& sizes) {
  for (uint32_t size = 0; size < kWhole; ++size) cost[size] = cost_of(size);
  for (size_t t = 0; t < sizes.size(); ++t) {
    uint32_t begin = 0;
    for (size_t s = 0; s < kTableSymbols; ++s) {
      symbols[t].begin[s] = static_cast<uint16_t>(begin);
      begin += sizes[t][s];
    }
  }
  for (uint32_t t = 0; t < kTablesOfModel; ++t) {
    for (uint32_t s = 0; s < kTableSymbols; ++s) {
      for (uint32_t m = 0; m < kModels; ++m) {
        model_costs[t][s] |= uint64_t{cost[sizes[kLargeTables + m * kTablesOfModel + t][s]]} << (16 * m);
      }
    }
  }
}

const TileTables& tile_tables() {
  static const TileTables tables(trained_sizes());
  return tables;
}

}  // namespace ctv
