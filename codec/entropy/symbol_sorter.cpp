// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/symbol_sorter.hpp"

#include "codec/entropy/number_buckets.hpp"

namespace ctv {

TableMap SymbolSorter::sort() {
  const auto classes = std::span(counts_).first(classes_);
  for (SymbolCounts& c : classes) c.sum_up();
  table_count_ = static_cast<size_t>(merge_classes(classes, price_, table_of_, merged_));
  for (size_t t = 0; t < table_count_; ++t) tables_[t].run_coded = price_(merged_[t], t == 0).run_coded;
  TableMap map{0, 0};
  for (size_t k = 0; k < classes_; ++k) {
    if (k > 0 && table_of_[k] == table_of_[k - 1]) continue;
    map.begins |= 1U << k;
    map.run_coded |= (tables_[table_of_[k]].run_coded ? 1U : 0U) << k;
  }
  sort_events();
  return map;
}

void SymbolSorter::count_events() {
  // Two histograms, so that equal neighbours need not wait for each other.
  constexpr size_t kKeys = kMaxClasses << 8;
  std::array<std::array<uint32_t, kKeys>, 2> found{};
  const Event* const events = events_.data();
  for (size_t i = 0; i < count_; ++i) ++found[i & 1U][events[i] & (kKeys - 1)];
  for (size_t k = 0; k < classes_; ++k) {
    SymbolCounts& counts = counts_[k];
    for (size_t s = 0; s < counts.of.size(); ++s)
      counts.of[s] += uint64_t{found[0][k << 8 | s]} + found[1][k << 8 | s];
  }
}

// No branches: an event's value and run are always stored, and stay only if they count.
void SymbolSorter::sort_events() {
  struct Destination {
    uint8_t* value;
    uint32_t* run;
    uint32_t zeros;  // since the last value; of the first table besides those between events
    uint32_t plain;
  };
  std::array<Destination, kMaxClasses> of_table;
  size_t room = 0;
  const auto size = [&](size_t t) {
    const uint64_t dropped = tables_[t].run_coded ? merged_[t].of[0] : 0;
    return static_cast<size_t>(merged_[t].total - dropped) + 1;  // one for what does not stay
  };
  for (size_t t = 0; t < table_count_; ++t) room += size(t);
  uint8_t* values = values_.reserve(room);
  uint32_t* runs = runs_.reserve(room);
  for (size_t t = 0; t < table_count_; ++t) {
    tables_[t].values = values;
    tables_[t].runs = runs;
    of_table[t] = {values, runs, 0, tables_[t].run_coded ? 0U : 1U};
    values += size(t);
    runs += size(t);
  }
  if (!zeros_) return sort_plain();
  std::array<uint8_t, 256> table_of{};  // of every class that an event could hold
  std::copy(table_of_.begin(), table_of_.end(), table_of.begin());
  const Event* const events = events_.data();
  uint32_t between = 0;  // zeros between events so far, modulo 2^32
  for (size_t i = 0; i < count_; ++i) {
    const Event e = events[i];
    const size_t table = table_of[e >> 8 & 0xffU];
    Destination& to = of_table[table];
    const uint32_t non_zero = (e & 0xffU) != 0 ? 1 : 0;
    const uint32_t stays = non_zero | to.plain;
    between += e >> 16;
    const uint32_t before = table == 0 ? between : 0;
    *to.value = static_cast<uint8_t>(e);
    *to.run = to.zeros + before;
    to.value += stays;
    to.run += stays;
    to.zeros = non_zero != 0 ? 0U - before : to.zeros + 1;
  }
  for (size_t t = 0; t < table_count_; ++t) {
    tables_[t].count = static_cast<size_t>(of_table[t].value - tables_[t].values);
  }
}

// From both ends, so that symbols of one table wait for half as many others.
void SymbolSorter::sort_plain() {
  std::array<uint8_t*, kMaxClasses> front;
  std::array<uint8_t*, kMaxClasses> back;
  for (size_t t = 0; t < table_count_; ++t) {
    tables_[t].count = static_cast<size_t>(merged_[t].total);
    front[t] = tables_[t].values;
    back[t] = front[t] + tables_[t].count;
  }
  const Event* first = events_.data();
  const Event* last = first + count_;
  while (first != last) {
    const Event e = *first++;
    *front[table_of_[e >> 8 & (kMaxClasses - 1)]]++ = static_cast<uint8_t>(e);
    if (first == last) break;
    const Event f = *--last;
    *--back[table_of_[f >> 8 & (kMaxClasses - 1)]] = static_cast<uint8_t>(f);
  }
}

void SymbolSorter::write(HuffmanWriter& writer, BitWriter& extra) {
  for (size_t t = 0; t < table_count_; ++t) {
    Table& table = tables_[t];
    if (table.run_coded) {
      uint8_t* const symbols = symbols_.reserve(table.count);
      extra.reserve(table.count * 4);
      for (size_t i = 0; i < table.count; ++i) {
        const BucketedNumber n = bucket_of(table.runs[i]);
        symbols[i] = n.symbol;
        extra.put(n.extra, n.extra_bits);
      }
      writer.literals({symbols, table.count});
    } else if (zeros_) {
      while (table.count > 0 && table.values[table.count - 1] == 0) --table.count;
    }
    writer.literals({table.values, table.count});
  }
}

}  // namespace ctv
