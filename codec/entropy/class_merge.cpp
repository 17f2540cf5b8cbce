// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/class_merge.hpp"

#include <algorithm>
#include <bit>

namespace ctv {
namespace {

constexpr int kLogFraction = 16;
constexpr uint64_t kLogEntries = 1024;
constexpr int kLogWidth = 10;  // bits of numbers that are looked up

// 2^16 log2(i), digit by digit: squaring doubles a logarithm.
constexpr std::array<uint32_t, kLogEntries + 1> kLogs = [] {
  std::array<uint32_t, kLogEntries + 1> logs{};
  for (uint32_t i = 1; i <= kLogEntries; ++i) {
    const int whole = static_cast<int>(std::bit_width(i)) - 1;
    uint64_t mantissa = uint64_t{i} << (31 - whole);
    uint32_t log = static_cast<uint32_t>(whole) << kLogFraction;
    for (int bit = kLogFraction - 1; bit >= 0; --bit) {
      mantissa = mantissa * mantissa >> 31;
      if (mantissa >> 32 != 0) {
        mantissa >>= 1;
        log |= 1U << bit;
      }
    }
    logs[i] = log;
  }
  return logs;
}();

uint64_t log2_of(uint64_t v) {
  if (v <= kLogEntries) return kLogs[v];
  const int shift = static_cast<int>(std::bit_width(v)) - kLogWidth;
  return kLogs[v >> shift] + (static_cast<uint64_t>(shift) << kLogFraction);
}

uint64_t entropy_bits(std::span<const uint64_t> counts, uint64_t total) {
  uint64_t sum = 0;
  const uint64_t all = log2_of(total);
  for (const uint64_t n : counts) {
    if (n != 0) sum += n * (all - std::min(all, log2_of(n)));
  }
  return sum >> kLogFraction;
}

// What a block's head costs, about: 4 bits for a length, 1 for an absent one.
uint64_t head_bits(std::span<const uint64_t> counts) {
  uint64_t bits = 75;
  for (const uint64_t n : counts) bits += n != 0 ? 4 : 1;
  return bits;
}

}  // namespace

TablePrice quad_table_price(const SymbolCounts& counts, bool must_run) {
  if (counts.total == 0) return {must_run ? 20U : 10U, must_run};
  const std::array<uint64_t, 2> zero_or_not = {counts.of[0], counts.total - counts.of[0]};
  const auto values = std::span(counts.of).subspan(1, kQuadSymbols - 1);
  const uint64_t value_bits = entropy_bits(values, zero_or_not[1]) + head_bits(values);
  const uint64_t zero_bits = entropy_bits(zero_or_not, counts.total);
  // Runs reach the entropy of zero or not, but for two per cent and the head of a block; a code of its own
  // for zero cannot be shorter than one bit.
  const uint64_t run_coded = value_bits + zero_bits + zero_bits / 50 + 150;
  const uint64_t plain = value_bits + 2 + (2 * counts.of[0] > counts.total ? counts.total : zero_bits);
  if (must_run || run_coded < plain) return {run_coded, true};
  return {plain, false};
}

TablePrice magnitude_table_price(const SymbolCounts& counts, bool /*unused*/) {
  if (counts.total == 0) return {10, false};
  std::array<uint64_t, kQuadSymbols + 1> others = counts.of;
  uint64_t bits = head_bits(std::span(others).first(kMagnitudeSymbols));
  const auto most = std::max_element(others.begin(), others.end());
  if (2 * *most > counts.total) {  // its code has one bit, whatever its entropy
    const uint64_t rest = counts.total - *most;
    *most = 0;
    return {bits + counts.total + entropy_bits(others, rest), false};
  }
  bits += entropy_bits(others, counts.total);
  return {bits, false};
}

int merge_classes(std::span<const SymbolCounts> classes, TablePrice (*price)(const SymbolCounts&, bool),
                  std::span<uint8_t> table_of, std::span<SymbolCounts> tables) {
  struct Joined {  // a table and the one behind it, as one
    uint64_t bits = 0;
    int64_t saving = -1;
  };
  std::array<uint64_t, kMaxClasses> bits{};
  std::array<Joined, kMaxClasses> joined{};
  std::array<size_t, kMaxClasses + 1> first{};
  size_t count = classes.size();
  const auto join = [&](size_t t) {
    if (t + 1 >= count) return;
    SymbolCounts both = tables[t];
    both.add(tables[t + 1]);
    joined[t].bits = price(both, t == 0).bits;
    joined[t].saving = static_cast<int64_t>(bits[t] + bits[t + 1]) - static_cast<int64_t>(joined[t].bits);
  };
  for (size_t k = 0; k < count; ++k) {
    tables[k] = classes[k];
    first[k] = k;
    bits[k] = price(classes[k], k == 0).bits;
  }
  for (size_t t = 0; t + 1 < count; ++t) join(t);
  while (count > 1) {
    size_t best = 0;
    for (size_t t = 1; t + 1 < count; ++t) {
      if (joined[t].saving > joined[best].saving) best = t;
    }
    if (joined[best].saving < 0) break;
    tables[best].add(tables[best + 1]);
    bits[best] = joined[best].bits;
    --count;
    for (size_t t = best + 1; t < count; ++t) {
      tables[t] = tables[t + 1];
      bits[t] = bits[t + 1];
      joined[t] = joined[t + 1];
      first[t] = first[t + 1];
    }
    join(best);
    if (best > 0) join(best - 1);
  }
  first[count] = classes.size();
  for (size_t t = 0; t < count; ++t) {
    for (size_t k = first[t]; k < first[t + 1]; ++k) table_of[k] = static_cast<uint8_t>(t);
  }
  return static_cast<int>(count);
}

}  // namespace ctv
