// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/context_motion.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "codec/entropy/motion_symbols.hpp"
#include "codec/entropy/number_buckets.hpp"

namespace ctv {
namespace {

constexpr size_t kHeadSize = 2;
constexpr std::array kThresholds = {2, 4, 8, 16, 28, 48, 96};
constexpr int kSymbolCount = number_symbols(16);

size_t class_of(int context) {
  size_t k = 0;
  for (const int threshold : kThresholds) k += context >= threshold ? 1 : 0;
  return k;
}

}  // namespace

TablePrice ContextMotion::price(const SymbolCounts& counts, bool /*first*/) {
  return quad_table_price(counts, false);
}

// Block by block: split(block, class) says whether it is split, then code(i, class) is called for all numbers
// of `differences` that are coded, rows before columns. When it is called, those before i are known.
template <typename Split, typename Code>
void ContextMotion::walk(std::span<const Level> differences, Split split, Code code) const {
  static_assert(kThresholds.size() + 1 == kClasses && kSymbolCount == kSymbols);
  const size_t n = grid_.size();
  const auto cols = static_cast<size_t>(grid_.cols);
  const auto size_of = [&](size_t i) { return std::abs(int{differences[i]}); };
  const auto around = [&](size_t i, size_t coordinate) {
    return (i % cols != 0 ? size_of(coordinate + i - 1) : 0) +
           (i >= cols ? size_of(coordinate + i - cols) : 0);
  };
  for_each_block(grid_, [&](size_t block, size_t first) {
    const bool several = grid_.split != 0 && split(block, class_of(2 * around(first, 0) + around(first, n)));
    for (int part = 0; part < (several ? 4 : 1); ++part) {
      const size_t i = vector_of_block(grid_, first, part);
      const int y = around(i, 0);
      const int x = around(i, n);
      code(i, class_of(2 * y + x));
      code(n + i, class_of(2 * x + y + 3 * size_of(i)));
    }
  });
}

size_t ContextMotion::encode(std::span<const uint8_t> splits, std::span<const Level> differences,
                             Growing<uint8_t>& out) {
  const auto zero = [](auto v) { return v == 0; };
  if (std::all_of(splits.begin(), splits.end(), zero) &&
      std::all_of(differences.begin(), differences.end(), zero)) {
    return 0;
  }
  sorter_.start();
  BitWriter bits(walk_bytes_);
  bits.start(0);
  bits.reserve(differences.size() * 2 + 8);  // at most 15 bits each
  SymbolSorter::Event* event = sorter_.room(splits.size() + differences.size());
  const auto note = [&](size_t k, uint32_t symbol) {
    *event++ = SymbolSorter::event(static_cast<uint32_t>(k), symbol);
    ++sorter_.counts(k).of[symbol];
  };
  walk(
      differences,
      [&](size_t block, size_t k) {
        if (splits[block] != 0) note(k, kSymbols);
        return splits[block] != 0;
      },
      [&](size_t i, size_t k) {
        const int d = differences[i];
        const BucketedNumber v = bucket_of(static_cast<uint32_t>(std::abs(d)));
        note(k, v.symbol);
        if (d != 0) bits.put((d < 0 ? 1U : 0U) | v.extra << 1, v.extra_bits + 1);
      });
  sorter_.end(event);
  bits.align();

  const TableMap map = sorter_.sort();
  out.reserve(kHeadSize);
  out.data()[0] = static_cast<uint8_t>(map.begins & ~1U);
  out.data()[1] = static_cast<uint8_t>(map.run_coded);
  HuffmanWriter writer(out);
  writer.start(kHeadSize);
  BitWriter raw(raw_);
  raw.start(0);
  sorter_.write(writer, raw);
  raw.reserve(8);
  raw.align();
  raw.append({walk_bytes_.data(), bits.size()});
  return writer.finish({raw_.data(), raw.size()});
}

bool ContextMotion::decode(std::span<const uint8_t> bytes, std::span<uint8_t> splits,
                           std::span<Level> differences) {
  std::fill(splits.begin(), splits.end(), uint8_t{0});
  if (bytes.empty()) {
    std::fill(differences.begin(), differences.end(), Level{0});
    return true;
  }
  if (bytes.size() < kHeadSize || (bytes[0] & 1U) != 0 || !tables_.map({bytes[0] | 1U, bytes[1]}))
    return false;
  std::span<const uint8_t> raw;
  huffman_.start(bytes.subspan(kHeadSize));
  if (!tables_.read(huffman_, splits.size() + differences.size()) || !huffman_.finish(raw_, raw))
    return false;
  BitReader extra(raw);
  const uint64_t extra_bytes = (tables_.open(extra) + 7) / 8;
  if (extra_bytes > raw.size()) return false;
  BitReader bits(raw.subspan(static_cast<size_t>(extra_bytes)));
  constexpr unsigned kNone = ~0U;
  unsigned first = kNone;  // the symbol that said that a block is not split
  bool sound = true;
  const auto n = grid_.size();
  size_t block = 0;
  walk(
      differences,
      [&](size_t b, size_t k) {
        block = b;
        first = tables_.of(k).take();
        splits[b] = first == kSymbols ? 1 : 0;
        if (splits[b] != 0) first = kNone;
        return splits[b] != 0;
      },
      [&](size_t i, size_t k) {
        const unsigned symbol = first != kNone ? first : tables_.of(k).take();
        first = kNone;
        Level value = 0;
        if (symbol == kSymbols) {
          sound = false;
        } else if (symbol != 0) {
          const bool negative = bits.take(1) != 0;
          const Bucket b = kBuckets[symbol];
          const auto d = static_cast<int>(b.base + bits.take(b.extra_bits));
          value = static_cast<Level>(negative ? -d : d);
        }
        differences[i] = value;
        if (grid_.split != 0 && splits[block] == 0) {
          const size_t base = i < n ? 0 : n;
          for (int part = 1; part < 4; ++part)
            differences[base + vector_of_block(grid_, i - base, part)] = value;
        }
      });
  return sound && tables_.used_up() && bits.only_padding_left();
}

}  // namespace ctv
