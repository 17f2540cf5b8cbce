// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/context_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "codec/bitstream/bytes.hpp"
#include "codec/entropy/lowpass_prediction.hpp"
#include "codec/entropy/number_buckets.hpp"
#include "codec/entropy/zero_scan.hpp"
#include "codec/math/quad_alphabet.hpp"

namespace ctv {
namespace {

constexpr size_t kHeadSize = 4;

}  // namespace

ContextDecoder::ContextDecoder(std::vector<ContextBand> bands)
    : bands_(std::move(bands)),
      contexts_(bands_),
      context_(static_cast<size_t>(contexts_.longest_row() + QuadContexts::kPadding)) {
  for (const ContextBand& b : bands_) quad_count_ += b.quads();
}

bool ContextDecoder::read(std::span<const uint8_t> bytes) {
  if (bytes.size() < kHeadSize) return false;
  const uint32_t head = load_u32(bytes.data());
  constexpr uint32_t kQuadBits = (1U << kQuadClasses) - 2;
  constexpr uint32_t kMagnitudeBits = (1U << kMagnitudeClasses) - 2;
  predicted_ = (head & 1U) != 0;
  if (head >> 31 != 0 || !quads_.map({1U | (head & kQuadBits), 1U | (head >> 12 & kQuadBits)}) ||
      !magnitudes_.map({1U | (head >> 24 & kMagnitudeBits), 0})) {
    return false;
  }
  std::span<const uint8_t> raw;
  huffman_.start(bytes.subspan(kHeadSize));
  // A quad has one symbol, and perhaps a run before it.
  if (!quads_.read(huffman_, quad_count_) || !magnitudes_.read(huffman_, 4 * quad_count_) ||
      !huffman_.finish(joined_, raw)) {
    return false;
  }
  BitReader extra(raw);
  const uint64_t extra_bytes = (quads_.open(extra) + 7) / 8;
  magnitudes_.open_plain();
  for (size_t t = 0; t < kContextValues; ++t) table_of_context_[t] = quads_.index_of(kClasses.quad[t]);
  if (extra_bytes > raw.size()) return false;
  bits_ = BitReader(raw.subspan(static_cast<size_t>(extra_bytes)));
  return true;
}

template <typename Put>
bool ContextDecoder::walk_row(int quads, uint8_t* sums, Put put) {
  const uint16_t* const context = context_.data();
  SymbolTables::Table* const tables = quads_.tables();
  SymbolTables::Table& first = tables[0];
  BitReader bits = bits_;  // kept in registers
  int w = 0;               // sums to the left
  int ww = 0;
  for (int x = 0; x < quads;) {
    const int t = context[x] + kSameWeight * w + ww;
    if (t == 0 && first.zeros != 0) {
      const int begin = x;
      const auto left = static_cast<uint32_t>(quads - x);
      const auto end = static_cast<size_t>(x) + std::min(first.zeros, left);
      x = static_cast<int>(skip_zeros(context, static_cast<size_t>(x), end));
      first.zeros -= static_cast<uint32_t>(x - begin);
      w = ww = 0;
      continue;
    }
    SymbolTables::Table& table = tables[table_of_context_[static_cast<size_t>(t)]];
    ww = w;
    if (table.zeros != 0) {
      --table.zeros;
      w = 0;
      ++x;
      continue;
    }
    const QuadSymbol& q = kQuads.symbols[*table.value++];
    table.zeros = *table.run++;
    QuadLanes levels = q.digits;
    int sum = q.sum;
    const QuadLanes negative = kSigns.negative[q.mask][bits.take(q.non_zero)];
    if (q.twos != 0) {
      const auto magnitude_context = static_cast<size_t>(t + kBigWeight * (std::popcount(q.twos) - 1));
      SymbolTables::Table& m = magnitudes_.of(kClasses.magnitude[magnitude_context]);
      for (unsigned twos = q.twos; twos != 0; twos &= twos - 1) {
        if (m.value == m.end) return false;
        const Bucket b = kBuckets[*m.value++];
        const uint32_t more = b.base + bits.take(b.extra_bits);  // less than 2^15
        levels += QuadLanes{more} << 16 * std::countr_zero(twos);
        sum += static_cast<int>(more);
      }
    }
    levels = negate(levels, negative);
    put(x, levels);
    w = std::min(sum, kMaxQuadSum);
    sums[x++] = static_cast<uint8_t>(w);
  }
  bits_ = bits;
  return !bits.overrun();
}

bool ContextDecoder::walk_band(size_t i, std::span<Level* const> planes) {
  const ContextBand& b = bands_[i];
  Level* const data = planes[static_cast<size_t>(b.plane)] + b.offset;
  const auto cols = static_cast<size_t>(b.cols);
  for (int y = 0; y < b.quad_rows(); ++y) {
    Level* const above = data + static_cast<size_t>(2 * y) * cols;
    Level* const below = 2 * y + 1 < b.rows ? above + cols : nullptr;
    std::fill_n(above, below != nullptr ? 2 * cols : cols, Level{0});
    uint8_t* const sums = contexts_.row(i, y);
    std::memset(sums, 0, static_cast<size_t>(b.quad_cols()));
    contexts_.fill_row(i, y, planes, context_.data());
    const int whole = below != nullptr ? b.cols / 2 : 0;  // quads with four levels
    const auto put = [=](int x, QuadLanes lanes) {
      const auto level = [lanes](int k) { return static_cast<Level>(lanes >> 16 * k & 0xffffU); };
      above[2 * x] = level(0);
      if (x < whole) {
        above[2 * x + 1] = level(1);
        below[2 * x] = level(2);
        below[2 * x + 1] = level(3);
      } else {
        const bool right = 2 * x + 1 < b.cols;
        if (right) above[2 * x + 1] = level(1);
        if (below != nullptr) below[2 * x] = level(2);
        if (below != nullptr && right) below[2 * x + 1] = level(3);
      }
    };
    if (!walk_row(b.quad_cols(), sums, put)) return false;
  }
  if (b.lowpass && predicted_) {
    for (int y = 0; y < b.rows; ++y) {
      Level* const row = data + static_cast<size_t>(y) * cols;
      for (int x = 0; x < b.cols; ++x)
        row[x] = static_cast<Level>(row[x] + predict_lowpass(data, b.cols, y, x));
    }
  }
  return true;
}

void ContextDecoder::clear(std::span<Level* const> planes) const {
  for (const ContextBand& b : bands_) {
    std::fill_n(planes[static_cast<size_t>(b.plane)] + b.offset,
                static_cast<size_t>(b.rows) * static_cast<size_t>(b.cols), Level{0});
  }
}

bool ContextDecoder::decode(std::span<const uint8_t> bytes, std::span<Level* const> planes) {
  if (bytes.empty()) {
    clear(planes);
    return true;
  }
  if (!read(bytes)) return false;
  for (size_t i = 0; i < bands_.size(); ++i) {
    if (!walk_band(i, planes)) return false;
  }
  return used_up();
}

bool ContextDecoder::decode(std::span<const uint8_t> bytes, QuadList& list) {
  list.count = 0;
  if (bytes.empty()) return true;
  if (!read(bytes)) return false;
  QuadEntry* entry = list.entries;
  uint32_t first = 0;  // quad of the row
  for (size_t i = 0; i < bands_.size(); ++i) {
    const int quads = bands_[i].quad_cols();
    for (int y = 0; y < bands_[i].quad_rows(); ++y, first += static_cast<uint32_t>(quads)) {
      uint8_t* const sums = contexts_.row(i, y);
      std::memset(sums, 0, static_cast<size_t>(quads));
      contexts_.fill_row(i, y, {}, context_.data());
      const auto put = [&entry, first](int x, QuadLanes lanes) {
        const auto level = [lanes](int k) { return static_cast<Level>(lanes >> 16 * k & 0xffffU); };
        *entry++ = {first + static_cast<uint32_t>(x), {level(0), level(1), level(2), level(3)}};
      };
      if (!walk_row(quads, sums, put)) return false;
    }
  }
  list.count = static_cast<size_t>(entry - list.entries);
  return used_up();
}

bool ContextDecoder::used_up() {
  return quads_.used_up() && magnitudes_.used_up() && bits_.only_padding_left();
}

}  // namespace ctv
