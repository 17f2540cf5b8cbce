// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/context_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "codec/entropy/lowpass_prediction.hpp"
#include "codec/entropy/model/quad_alphabet.hpp"
#include "codec/entropy/number_buckets.hpp"
#include "codec/entropy/zero_scan.hpp"
#include "codec/format/bytes.hpp"

namespace ctv {
namespace {

constexpr size_t kHeadSize = 4;
constexpr uint32_t kNotDirect = 0xf0f0f0f0;  // of four symbols of numbers: some number is not its symbol

// Of a quad's symbol, what matters before its levels are made: symbol << 16 | digits that are 2 << 8 | their
// sum.
constexpr std::array<uint32_t, kQuadSymbols> kAhead = [] {
  std::array<uint32_t, kQuadSymbols> ahead{};
  for (uint32_t s = 0; s < ahead.size(); ++s) {
    ahead[s] = s << 16 | uint32_t{kQuads.symbols[s].bigs} << 8 | kQuads.symbols[s].sum;
  }
  return ahead;
}();

}  // namespace

ContextDecoder::ContextDecoder(std::vector<ContextBand> bands)
    : bands_(std::move(bands)),
      contexts_(bands_),
      context_(static_cast<size_t>(contexts_.longest_row() + QuadContexts::kPadding)),
      coded_(static_cast<size_t>(contexts_.longest_row() + 1)) {
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
  if (!quads_.open(raw)) return false;
  magnitudes_.open_plain();
  for (size_t t = 0; t < kContextValues; ++t) {
    table_of_context_[t] = quads_.index_of(kClasses.quad[t]);
    magnitude_table_of_context_[t] = magnitudes_.index_of(kClasses.magnitude[t]);
  }
  for (size_t k = 0; k < kQuadClasses; ++k) ahead_[quads_.index_of(k)] = kAhead[*quads_.of(k).next];
  first_symbol_ = quads_.tables()[0].next;
  next_value_ = quads_.places();
  bits_ = BitReader(raw);
  return true;
}

// From x on, where T is 0: the first quad whose own part of T is not, or which is not 0 itself; or `quads`.
int ContextDecoder::skip(int x, int quads) {
  const uint16_t* const context = context_.data();
  SymbolTables::Table& first = quads_.tables()[0];
  const auto at = static_cast<uint32_t>(first.next - first_symbol_);
  next_value_ += *next_value_ < at ? 1 : 0;  // mostly enough
  while (*next_value_ < at) ++next_value_;
  const int end = x + static_cast<int>(std::min(*next_value_ - at, static_cast<uint32_t>(quads - x)));
  const int next =
      static_cast<int>(skip_zeros_padded(context, static_cast<size_t>(x), static_cast<size_t>(end)));
  first.next += std::min<std::ptrdiff_t>(next - x, first.end - first.next);
  ahead_[0] = kAhead[*first.next];
  return next;
}

// Each quad's sum is a part of the next one's context, so the way from one sum to the next is what takes
// time: from T to a table, to what its next symbol means, which has been looked up before. Levels wait until
// the row, or what is known of it, is made by put_quads().
template <typename Put>
bool ContextDecoder::walk_row(int quads, uint8_t* sums, Put put) {
  const uint16_t* const context = context_.data();
  SymbolTables::Table* const tables = quads_.tables();
  Coded* coded = coded_.data();
  Coded* done = coded;
  int w = 0;  // sums to the left
  int ww = 0;
  for (int x = 0; x < quads; ++x) {
    int t = context[x] + ww + kSameWeight * w;
    uint64_t four = 0;  // from here on; a single zero is decoded faster than stepped over
    std::memcpy(&four, context + x, sizeof four);
    if ((four | static_cast<uint64_t>(t)) == 0) {
      x = skip(x, quads);
      if (x == quads) break;
      t = context[x];
    }
    const size_t index = table_of_context_[static_cast<size_t>(t)];
    const uint32_t quad = ahead_[index];
    (void)tables[index].take();
    ahead_[index] = kAhead[*tables[index].next];
    *coded = {0, static_cast<uint16_t>(x), static_cast<uint8_t>(quad >> 16)};
    ww = w;
    w = static_cast<int>(quad & 255U);
    if (const uint32_t bigs = quad >> 8 & 255U; bigs != 0) {
      const size_t magnitude_context = static_cast<size_t>(t) + kBigWeight * (bigs - 1);
      SymbolTables::Table& m = magnitudes_.tables()[magnitude_table_of_context_[magnitude_context]];
      if (m.end - m.next < static_cast<std::ptrdiff_t>(bigs)) return false;
      const uint32_t magnitudes = load_u32(m.next) & UINT32_MAX >> (32 - 8 * bigs);
      coded->magnitudes = magnitudes;
      m.next += bigs;
      if ((magnitudes & kNotDirect) == 0) {
        w = std::min(w + static_cast<int>(magnitudes * 0x01010101U >> 24), kMaxQuadSum);
      } else {
        w = std::min(put_quads(done, coded + 1, put), kMaxQuadSum);
        done = coded + 1;
      }
    }
    coded += quad >> 16 != 0 ? 1 : 0;
    sums[x] = static_cast<uint8_t>(w);
  }
  put_quads(done, coded, put);
  return !bits_.overrun();
}

// Returns the sum of the last quad's magnitudes.
template <typename Put>
int ContextDecoder::put_quads(const Coded* begin, const Coded* end, Put& put) {
  BitReader bits = bits_;  // kept in registers
  int sum = 0;
  for (const Coded* c = begin; c != end; ++c) {
    const QuadSymbol& q = kQuads.symbols[c->symbol];
    QuadLanes levels = q.digits;
    bits.refill();
    const QuadLanes negative = kSigns.negative[q.mask][bits.window() & 15U];
    bits.drop(q.non_zero);
    if ((c->magnitudes & kNotDirect) == 0) {
      levels += lanes_of_bytes(c->magnitudes, q.twos);
    } else {
      sum = q.sum;
      uint32_t magnitudes = c->magnitudes;
      for (unsigned twos = q.twos; twos != 0; twos &= twos - 1, magnitudes >>= 8) {
        const Bucket b = kBuckets[magnitudes & 255U];
        const uint32_t more = b.base + bits.take(b.extra_bits);  // less than 2^15
        levels += QuadLanes{more} << 16 * std::countr_zero(twos);
        sum += static_cast<int>(more);
      }
    }
    put(c->x, negate(levels, negative));
  }
  bits_ = bits;
  return sum;
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
