// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/symbol_tables.hpp"

#include <algorithm>
#include <cstring>

#include "codec/entropy/number_buckets.hpp"

namespace ctv {
namespace {

constexpr uint32_t kNever = UINT32_MAX;

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
  uint8_t* const symbols = symbols_.reserve((runs_too ? 2 * most : most) + kMaxClasses);
  most_ = most;
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
    symbols[at++] = 0;
    left -= a.count;
  }
  return true;
}

bool SymbolTables::open(std::span<const uint8_t>& raw) {
  open_plain();
  size_t values = 0;
  for (size_t t = 0; t < table_count_; ++t) values += run_coded_[t] ? arrays_[t].count + 1 : 0;
  uint32_t* places = places_.reserve(values);
  uint8_t* to = spread_.reserve(most_ + kMaxClasses);
  BitReader extra(raw);
  uint64_t extra_bits = 0;
  size_t left = most_;
  for (size_t t = 0; t < table_count_; ++t) {
    if (!run_coded_[t]) continue;
    const size_t count = arrays_[t].count;
    const uint8_t* const runs = symbols_.data() + arrays_[t].runs;
    const uint8_t* const symbols = symbols_.data() + arrays_[t].values;
    size_t size = 0;
    for (size_t i = 0; i < count; ++i) {
      const Bucket b = kBuckets[runs[i]];
      size += b.base + size_t{extra.take(b.extra_bits)};
      extra_bits += static_cast<uint64_t>(b.extra_bits);
      places[i] = static_cast<uint32_t>(size++);
      if (size > left) return false;
    }
    std::memset(to, 0, size + 1);
    for (size_t i = 0; i < count; ++i) to[places[i]] = symbols[i];
    places[count] = kNever;
    places += count + 1;
    tables_[t] = {to, to + size};
    to += size + 1;
    left -= size;
  }
  const uint64_t extra_bytes = (extra_bits + 7) / 8;
  if (extra_bytes > raw.size()) return false;
  raw = raw.subspan(static_cast<size_t>(extra_bytes));
  return true;
}

void SymbolTables::open_plain() {
  for (size_t t = 0; t < table_count_; ++t) {
    const uint8_t* const symbols = symbols_.data() + arrays_[t].values;
    tables_[t] = {symbols, symbols + arrays_[t].count};
  }
}

bool SymbolTables::used_up() const {
  return std::all_of(tables_.begin(), tables_.begin() + static_cast<std::ptrdiff_t>(table_count_),
                     [](const Table& t) { return t.next == t.end; });
}

}  // namespace ctv
