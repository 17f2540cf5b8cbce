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

// Of contexts up to the last threshold.
constexpr auto kClassOf = [] {
  std::array<uint8_t, kThresholds.back() + 1> classes{};
  for (int context = 0; context <= kThresholds.back(); ++context) {
    for (const int threshold : kThresholds) {
      if (context >= threshold) ++classes[static_cast<size_t>(context)];
    }
  }
  return classes;
}();

size_t class_of(size_t context) { return kClassOf[std::min(context, kClassOf.size() - 1)]; }

}  // namespace

TablePrice ContextMotion::price(const SymbolCounts& counts, bool /*first*/) {
  return quad_table_price(counts, false);
}

// Block by block: split(block, class) says whether it is split, then code(i, class) is called for all numbers
// of differences that are coded, rows before columns; it returns the number's magnitude.
template <typename Split, typename Code>
void ContextMotion::walk(Split split, Code code) {
  static_assert(kThresholds.size() + 1 == kClasses && kSymbolCount == kSymbols);
  const size_t n = grid_.size();
  const auto stride = static_cast<std::ptrdiff_t>(grid_.cols) + 1;
  const auto y_around = [stride](const Size* s) { return size_t{s[-1].y} + s[-stride].y; };
  const auto x_around = [stride](const Size* s) { return size_t{s[-1].x} + s[-stride].x; };
  const int side = 1 << grid_.split;
  size_t block = 0;
  for (int r = 0; r < grid_.rows; r += side) {
    Size* corner = &sizes_[static_cast<size_t>((r + 1) * stride + 1)];
    size_t first = static_cast<size_t>(r) * static_cast<size_t>(grid_.cols);
    for (int c = 0; c < grid_.cols; c += side, corner += side, first += static_cast<size_t>(side), ++block) {
      const bool several =
          grid_.split != 0 && split(block, class_of(2 * y_around(corner) + x_around(corner)));
      for (int part = 0; part < (several ? 4 : 1); ++part) {
        const size_t i = vector_of_block(grid_, first, part);
        Size* const size = corner + (part & 1) + (part >> 1) * stride;
        const size_t y = y_around(size);
        const size_t x = x_around(size);
        size->y = code(i, class_of(2 * y + x));
        size->x = code(n + i, class_of(2 * x + y + 3 * size_t{size->y}));
      }
      if (grid_.split != 0 && !several) corner[1] = corner[stride] = corner[stride + 1] = *corner;
    }
  }
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
      [&](size_t block, size_t k) {
        if (splits[block] != 0) note(k, kSymbols);
        return splits[block] != 0;
      },
      [&](size_t i, size_t k) {
        const int d = differences[i];
        const auto size = static_cast<uint16_t>(std::abs(d));
        const BucketedNumber v = bucket_of(size);
        note(k, v.symbol);
        bits.put((d < 0 ? 1U : 0U) | v.extra << 1, v.extra_bits + (d != 0 ? 1 : 0));
        return size;
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
  if (!tables_.open(raw)) return false;
  BitReader bits(raw);
  constexpr unsigned kNone = ~0U;
  unsigned first = kNone;  // the symbol that said that a block is not split
  bool sound = true;
  const auto cols = static_cast<size_t>(grid_.cols);
  size_t block = 0;
  walk(
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
        sound &= symbol != kSymbols;
        bits.refill();
        const uint32_t coded = symbol != 0 ? 1 : 0;
        const uint32_t negative = static_cast<uint32_t>(bits.window()) & coded;
        bits.drop(static_cast<int>(coded));
        uint32_t value = symbol;
        uint32_t size = symbol;
        if (symbol >= kDirectNumbers) {
          const Bucket b = kBuckets[symbol];
          value = b.base + bits.take(b.extra_bits);
          size = std::min(value, (1U << 16) - value);  // of the difference, which keeps 16 bits
        }
        const auto difference = static_cast<Level>((value ^ (0U - negative)) + negative);
        differences[i] = difference;
        if (grid_.split != 0 && splits[block] == 0)
          differences[i + 1] = differences[i + cols] = differences[i + cols + 1] = difference;
        return static_cast<uint16_t>(size);
      });
  return sound && tables_.used_up() && bits.only_padding_left();
}

}  // namespace ctv
