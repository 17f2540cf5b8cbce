// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/context_motion.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

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

// Calls code(i, class) for all numbers of `differences`, block by block, rows before columns. When it is
// called, those before i are known.
template <typename Code>
void ContextMotion::walk(std::span<const Level> differences, Code code) const {
  static_assert(kThresholds.size() + 1 == kClasses && kSymbolCount == kSymbols);
  const size_t n = grid_.size();
  const auto cols = static_cast<size_t>(grid_.cols);
  const auto size_of = [&](size_t i) { return std::abs(int{differences[i]}); };
  for (size_t i = 0; i < n; ++i) {
    const bool left = i % cols != 0;
    const bool above = i >= cols;
    const int y = (left ? size_of(i - 1) : 0) + (above ? size_of(i - cols) : 0);
    const int x = (left ? size_of(n + i - 1) : 0) + (above ? size_of(n + i - cols) : 0);
    code(i, class_of(2 * y + x));
    code(n + i, class_of(2 * x + y + 3 * size_of(i)));
  }
}

size_t ContextMotion::encode(std::span<const Level> differences, Growing<uint8_t>& out) {
  if (std::all_of(differences.begin(), differences.end(), [](Level d) { return d == 0; })) return 0;
  sorter_.start();
  BitWriter bits(walk_bytes_);
  bits.start(0);
  bits.reserve(differences.size() * 2 + 8);  // at most 15 bits each
  SymbolSorter::Event* event = sorter_.room(differences.size());
  walk(differences, [&](size_t i, size_t k) {
    const int d = differences[i];
    const BucketedNumber v = bucket_of(static_cast<uint32_t>(std::abs(d)));
    *event++ = SymbolSorter::event(static_cast<uint32_t>(k), v.symbol);
    ++sorter_.counts(k).of[v.symbol];
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

bool ContextMotion::decode(std::span<const uint8_t> bytes, std::span<Level> differences) {
  if (bytes.empty()) {
    std::fill(differences.begin(), differences.end(), Level{0});
    return true;
  }
  if (bytes.size() < kHeadSize || (bytes[0] & 1U) != 0 || !tables_.map({bytes[0] | 1U, bytes[1]}))
    return false;
  std::span<const uint8_t> raw;
  huffman_.start(bytes.subspan(kHeadSize));
  if (!tables_.read(huffman_, differences.size()) || !huffman_.finish(raw_, raw)) return false;
  BitReader extra(raw);
  const uint64_t extra_bytes = (tables_.open(extra) + 7) / 8;
  if (extra_bytes > raw.size()) return false;
  BitReader bits(raw.subspan(static_cast<size_t>(extra_bytes)));
  walk(differences, [&](size_t i, size_t k) {
    const unsigned symbol = tables_.of(k).take();
    if (symbol == 0) {
      differences[i] = 0;
      return;
    }
    const bool negative = bits.take(1) != 0;
    const Bucket b = kBuckets[symbol];
    const auto d = static_cast<int>(b.base + bits.take(b.extra_bits));
    differences[i] = static_cast<Level>(negative ? -d : d);
  });
  return tables_.used_up() && bits.only_padding_left();
}

}  // namespace ctv
