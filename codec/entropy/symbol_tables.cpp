// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/symbol_tables.hpp"

#include <algorithm>

#include "codec/entropy/number_buckets.hpp"

namespace ctv {
namespace {

constexpr uint32_t kForEver = UINT32_MAX;  // more zeros than a component has symbols

}  // namespace

bool SymbolTables::map(const TableMap& map) {
  if ((map.begins & 1U) == 0 || (map.run_coded & ~map.begins) != 0 || map.begins >> classes_ != 0)
    return false;
  table_count_ = 0;
  for (size_t k = 0; k < classes_; ++k) {
    if ((map.begins >> k & 1U) != 0) run_coded_[table_count_++] = (map.run_coded >> k & 1U) != 0;
    table_of_[k] = static_cast<uint8_t>(table_count_ - 1);
  }
  return true;
}

bool SymbolTables::read(HuffmanReader& huffman, size_t most) {
  // A run comes with a value, so there is no more to hold than two symbols for each that is allowed.
  const auto run_coded = std::span(run_coded_).first(table_count_);
  const bool runs_too = std::any_of(run_coded.begin(), run_coded.end(), [](bool coded) { return coded; });
  uint8_t* const symbols = symbols_.reserve(runs_too ? 2 * most : most);
  size_t at = 0;
  size_t left = most;
  for (size_t t = 0; t < table_count_; ++t) {
    Array& a = arrays_[t];
    a = {at, at, 0};
    size_t runs = 0;
    if (run_coded_[t]) {
      if (!huffman.literals(kRunSymbols, {symbols + at, left}, runs)) return false;
      a.values = at += runs;
    }
    if (!huffman.literals(alphabet_, {symbols + at, left}, a.count)) return false;
    if (run_coded_[t] && runs != a.count) return false;
    at += a.count;
    left -= a.count;
  }
  return true;
}

uint64_t SymbolTables::open(BitReader& extra) {
  size_t room = table_count_;
  for (size_t t = 0; t < table_count_; ++t) room += arrays_[t].count;
  uint32_t* to = runs_.reserve(room);
  uint64_t extra_bits = 0;
  open_plain();
  for (size_t t = 0; t < table_count_; ++t) {
    const Array& a = arrays_[t];
    tables_[t].run = to;
    if (run_coded_[t]) {
      const uint8_t* const runs = symbols_.data() + a.runs;
      for (size_t i = 0; i < a.count; ++i) {
        const Bucket b = kBuckets[runs[i]];
        *to++ = b.base + extra.take(b.extra_bits);
        extra_bits += static_cast<uint64_t>(b.extra_bits);
      }
    } else {
      to = std::fill_n(to, a.count, 0U);
    }
    *to++ = kForEver;
    tables_[t].zeros = *tables_[t].run++;
  }
  return extra_bits;
}

void SymbolTables::open_plain() {
  for (size_t t = 0; t < table_count_; ++t) {
    const uint8_t* const values = symbols_.data() + arrays_[t].values;
    tables_[t] = {values, nullptr, 0, values + arrays_[t].count};
  }
}

bool SymbolTables::used_up() const {
  return std::all_of(tables_.begin(), tables_.begin() + static_cast<std::ptrdiff_t>(table_count_),
                     [](const Table& t) { return t.value == t.end; });
}

}  // namespace ctv
