// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/context_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "codec/bitstream/bytes.hpp"
#include "codec/entropy/lowpass_prediction.hpp"
#include "codec/entropy/number_buckets.hpp"
#include "codec/entropy/quad_alphabet.hpp"
#include "codec/entropy/zero_scan.hpp"

namespace ctv {
namespace {

constexpr size_t kHeadSize = 4;
constexpr uint32_t kForEver = UINT32_MAX;  // more zeros than there can be quads

}  // namespace

ContextDecoder::ContextDecoder(std::vector<ContextBand> bands)
    : bands_(std::move(bands)),
      contexts_(bands_),
      context_(static_cast<size_t>(contexts_.longest_row() + QuadContexts::kPadding)) {
  for (const ContextBand& b : bands_) quads_ += b.quads();
}

bool ContextDecoder::read_head(uint32_t head) {
  if (head >> 31 != 0) return false;
  predicted_ = (head & 1U) != 0;
  quad_tables_ = magnitude_tables_ = 1;
  quad_table_of_[0] = magnitude_table_of_[0] = 0;
  run_coded_[0] = true;
  for (size_t k = 1; k < kQuadClasses; ++k) {
    const bool opens = (head >> k & 1U) != 0;
    const bool run_coded = (head >> (12 + k) & 1U) != 0;
    if (run_coded && !opens) return false;
    if (opens) run_coded_[static_cast<size_t>(quad_tables_++)] = run_coded;
    quad_table_of_[k] = static_cast<uint8_t>(quad_tables_ - 1);
  }
  for (size_t k = 1; k < kMagnitudeClasses; ++k) {
    if ((head >> (24 + k) & 1U) != 0) ++magnitude_tables_;
    magnitude_table_of_[k] = static_cast<uint8_t>(magnitude_tables_ - 1);
  }
  return true;
}

bool ContextDecoder::read_tables(std::span<const uint8_t> stream) {
  // A quad has one value, a coded one a run and up to four magnitudes.
  uint8_t* const all = symbols_.reserve(6 * quads_);
  huffman_.start(stream);
  size_t at = 0;
  size_t values_left = quads_;
  for (size_t t = 0; t < static_cast<size_t>(quad_tables_); ++t) {
    Array& a = arrays_[t];
    a = {at, at, 0};
    size_t runs = 0;
    if (run_coded_[t]) {
      if (!huffman_.literals(kRunSymbols, {all + at, values_left}, runs)) return false;
      a.values = at += runs;
    }
    if (!huffman_.literals(kQuadSymbols, {all + at, values_left}, a.count)) return false;
    if (run_coded_[t] && runs != a.count) return false;
    at += a.count;
    values_left -= a.count;
  }
  size_t magnitudes_left = 4 * quads_;
  for (size_t t = 0; t < static_cast<size_t>(magnitude_tables_); ++t) {
    size_t count = 0;
    if (!huffman_.literals(kMagnitudeSymbols, {all + at, magnitudes_left}, count)) return false;
    magnitudes_[t] = {all + at, all + at + count};
    at += count;
    magnitudes_left -= count;
  }
  return huffman_.finish(joined_, raw_);
}

// Runs as numbers, closed by zeros for ever; plain tables have no zeros between their values.
bool ContextDecoder::expand_runs() {
  size_t total = 0;
  for (size_t t = 0; t < static_cast<size_t>(quad_tables_); ++t) total += arrays_[t].count + 1;
  uint32_t* to = runs_.reserve(total);
  BitReader extra(raw_);
  uint64_t extra_bits = 0;
  for (size_t t = 0; t < static_cast<size_t>(quad_tables_); ++t) {
    const Array& a = arrays_[t];
    Table& table = tables_[t];
    table.value = symbols_.data() + a.values;
    table.values_end = table.value + a.count;
    table.run = to;
    if (run_coded_[t]) {
      const uint8_t* const runs = symbols_.data() + a.runs;
      for (size_t i = 0; i < a.count; ++i) {
        const Bucket b = kBuckets[runs[i]];
        *to++ = b.base + (b.extra_bits != 0 ? extra.take(b.extra_bits) : 0U);
        extra_bits += static_cast<uint64_t>(b.extra_bits);
      }
    } else {
      to = std::fill_n(to, a.count, 0U);
    }
    *to++ = kForEver;
    table.zeros = *table.run++;
  }
  const uint64_t extra_bytes = (extra_bits + 7) / 8;
  if (extra_bytes > raw_.size()) return false;
  bits_ = BitReader(raw_.subspan(static_cast<size_t>(extra_bytes)));
  return true;
}

bool ContextDecoder::walk_row(Level* above, Level* below, int cols, uint8_t* sums) {
  const int quads = (cols + 1) / 2;
  const int whole = below != nullptr ? cols / 2 : 0;  // quads with four levels
  const uint16_t* const context = context_.data();
  Table& first = tables_[0];
  BitReader bits = bits_;  // kept in registers
  int w = 0;               // sums to the left
  int ww = 0;
  for (int x = 0; x < quads;) {
    const int t = context[x] + kSameWeight * w + ww;
    if (t == 0 && first.zeros != 0) {
      const int begin = x;
      const auto left = static_cast<uint32_t>(quads - x);
      x = static_cast<int>(
          skip_zeros(context, static_cast<size_t>(x), static_cast<size_t>(x) + std::min(first.zeros, left)));
      first.zeros -= static_cast<uint32_t>(x - begin);
      w = ww = 0;
      continue;
    }
    Table& table = tables_[quad_table_of_[kClasses.quad[static_cast<size_t>(t)]]];
    ww = w;
    if (table.zeros != 0) {
      --table.zeros;
      w = 0;
      ++x;
      continue;
    }
    const QuadSymbol& q = kQuads.symbols[*table.value++];
    table.zeros = *table.run++;
    std::array<int, 4> levels = {q.digits[0], q.digits[1], q.digits[2], q.digits[3]};
    int sum = q.sum;
    const unsigned negative = kSigns.spread[q.mask][bits.take(q.non_zero)];
    if (q.big != 0) {
      Magnitudes& m = magnitudes_
          [magnitude_table_of_[kClasses.magnitude[static_cast<size_t>(t + kBigWeight * (q.big - 1))]]];
      for (int& level : levels) {
        if (level != 2) continue;
        if (m.next == m.end) return false;
        const Bucket b = kBuckets[*m.next++];
        const int more = static_cast<int>(b.base + bits.take(b.extra_bits));
        level += more;
        sum += more;
      }
    }
    for (size_t i = 0; i < 4; ++i) {
      const int minus = -static_cast<int>(negative >> i & 1U);
      levels[i] = (levels[i] ^ minus) - minus;
    }
    above[2 * x] = static_cast<Level>(levels[0]);
    if (x < whole) {
      above[2 * x + 1] = static_cast<Level>(levels[1]);
      below[2 * x] = static_cast<Level>(levels[2]);
      below[2 * x + 1] = static_cast<Level>(levels[3]);
    } else {
      const bool right = 2 * x + 1 < cols;
      if (right) above[2 * x + 1] = static_cast<Level>(levels[1]);
      if (below != nullptr) below[2 * x] = static_cast<Level>(levels[2]);
      if (below != nullptr && right) below[2 * x + 1] = static_cast<Level>(levels[3]);
    }
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
    if (!walk_row(above, below, b.cols, sums)) return false;
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

// Bits left over are less than a byte, and 0.
bool ContextDecoder::everything_was_used() const {
  for (size_t t = 0; t < static_cast<size_t>(quad_tables_); ++t) {
    if (tables_[t].value != tables_[t].values_end) return false;
  }
  for (size_t t = 0; t < static_cast<size_t>(magnitude_tables_); ++t) {
    if (magnitudes_[t].next != magnitudes_[t].end) return false;
  }
  BitReader bits = bits_;
  return bits.rest().empty() && bits.take(bits.bits() & 7) == 0;
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
  if (bytes.size() < kHeadSize || !read_head(load_u32(bytes.data())) ||
      !read_tables(bytes.subspan(kHeadSize)) || !expand_runs()) {
    return false;
  }
  for (size_t i = 0; i < bands_.size(); ++i) {
    if (!walk_band(i, planes)) return false;
  }
  return everything_was_used();
}

}  // namespace ctv
