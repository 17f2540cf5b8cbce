// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/context_encoder.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "codec/entropy/lowpass_prediction.hpp"
#include "codec/entropy/model/quad_alphabet.hpp"
#include "codec/entropy/number_buckets.hpp"

namespace ctv {
namespace {

constexpr size_t kHeadSize = 4;
constexpr uint32_t kMostQuadsInARow = 32768;
constexpr uint64_t kMaxBitsPerQuad = 4 + 4 * 13;  // signs, extra bits of magnitudes

// Of the first n of four 16-bit numbers: the bits of those that are not their own symbols.
constexpr std::array<uint64_t, 5> kNotDirect = [] {
  std::array<uint64_t, 5> masks{};
  for (size_t n = 0; n < masks.size(); ++n) {
    std::array<uint16_t, 4> lanes{};
    std::fill_n(lanes.begin(), n, static_cast<uint16_t>(~(kDirectNumbers - 1)));
    masks[n] = std::bit_cast<uint64_t>(lanes);
  }
  return masks;
}();

// Rows lie apart, with room for all their quads, so that no machine sees the next one coming.
template <typename T>
void prefetch(const T* numbers, size_t count) {
  constexpr size_t kLine = 64 / sizeof(T);
  for (size_t i = 0; i < count; i += kLine) __builtin_prefetch(numbers + i);
}

}  // namespace

ContextEncoder::ContextEncoder(std::vector<ContextBand> bands)
    : bands_(std::move(bands)),
      contexts_(bands_),
      folded_(static_cast<size_t>(contexts_.most_cols()) + 2),
      context_(static_cast<size_t>(contexts_.longest_row() + QuadContexts::kPadding)),
      active_(static_cast<size_t>(contexts_.longest_row() + QuadContexts::kPadding)),
      coded_(static_cast<size_t>(contexts_.longest_row() + 1)),
      quads_(kQuadClasses, quad_table_price, true),
      magnitudes_(kMagnitudeClasses, magnitude_table_price, false),
      walk_bits_(walk_bytes_) {
  size_t lowpass = 0;
  for (const ContextBand& b : bands_) {
    quad_count_ += b.quads();
    if (b.lowpass) lowpass = std::max(lowpass, static_cast<size_t>(b.rows) * static_cast<size_t>(b.cols));
  }
  errors_.resize(lowpass);
}

bool ContextEncoder::prediction_pays(std::span<const Level* const> planes) const {
  uint64_t levels = 0;
  uint64_t errors = 0;
  for (const ContextBand& b : bands_) {
    if (!b.lowpass) continue;
    const Level* data = planes[static_cast<size_t>(b.plane)] + b.offset;
    for (int y = 0; y < b.rows; ++y) {
      for (int x = 0; x < b.cols; ++x) {
        levels += static_cast<uint64_t>(std::abs(int{data[static_cast<ptrdiff_t>(y) * b.cols + x]}));
        errors += static_cast<uint64_t>(std::abs(int{lowpass_error(data, b.cols, y, x)}));
      }
    }
  }
  return errors < levels;
}

void ContextEncoder::walk_band(size_t i, std::span<const Level* const> planes, bool predict) {
  const ContextBand& b = bands_[i];
  const Level* data = planes[static_cast<size_t>(b.plane)] + b.offset;
  if (b.lowpass && predict) {
    for (int y = 0; y < b.rows; ++y) {
      for (int x = 0; x < b.cols; ++x) {
        errors_[static_cast<size_t>(y) * static_cast<size_t>(b.cols) + static_cast<size_t>(x)] =
            lowpass_error(data, b.cols, y, x);
      }
    }
    data = errors_.data();
  }
  const int quads = b.quad_cols();
  uint16_t* const context = context_.data();
  uint8_t* const active = active_.data();
  for (int y = 0; y < b.quad_rows(); ++y) {
    const Level* above = data + static_cast<ptrdiff_t>(2 * y) * b.cols;
    const Level* below = 2 * y + 1 < b.rows ? above + b.cols : nullptr;
    uint8_t* const sums = contexts_.row(i, y);
    sum_quads(above, below, b.cols, folded_.data(), sums);
    contexts_.fill_row(i, y, planes, context);
    for (int x = 0; x < quads; ++x) {
      const auto t = static_cast<uint16_t>(context[x] + kSameWeight * sums[x - 1] + sums[x - 2]);
      context[x] = t;
      active[x] = static_cast<uint8_t>(std::min<uint16_t>(t, 255) | sums[x]);
    }
    std::memset(active + quads, 1,
                QuadContexts::kPadding);  // where the search for the next active quad ends
    walk_row(above, below, b.cols, sums);
  }
}

// Events first, without branches: each quad's event is written, and stays if the quad is active. So is its
// entry in the list of quads that are not 0, whose symbols are filled in afterwards.
void ContextEncoder::walk_row(const Level* above, const Level* below, int cols, const uint8_t* sums) {
  const int quads = (cols + 1) / 2;
  const uint16_t* const context = context_.data();
  const uint8_t* const active = active_.data();
  SymbolSorter::Event* const events = quads_.room(static_cast<size_t>(quads) + QuadContexts::kPadding + 1);
  SymbolSorter::Event* event = events;
  uint32_t zeros = zeros_;
  static_assert(2 * kMostQuadsInARow - 1 <= SymbolSorter::kMaxZeros);
  if (zeros > kMostQuadsInARow) {
    *event++ = SymbolSorter::event(0, 0, zeros - 1);
    zeros = 0;
  }
  size_t coded = 0;
  for (int begin = 0; begin < quads; begin += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, active + begin, sizeof eight);
    const int end = std::min(begin + 8, quads);
    if (eight == 0) {
      zeros += static_cast<uint32_t>(end - begin);
      continue;
    }
    for (int x = begin; x < end; ++x) {
      const uint32_t quad_class = kClasses.quad[context[x]];
      const uint32_t stays = active[x] != 0 ? 1 : 0;
      *event = SymbolSorter::event(quad_class, 0, zeros);
      coded_[coded] = {static_cast<uint32_t>(x), static_cast<uint32_t>(event - events)};
      const uint32_t codes = sums[x] != 0 ? 1 : 0;
      coded += codes;
      quads_.counts(quad_class).of[0] += stays - codes;
      event += stays;
      zeros = (zeros + 1) & (stays - 1U);
    }
  }
  zeros_ = zeros;
  quads_.end(event);
  code_quads(above, below, cols, events, coded);
}

void ContextEncoder::code_quads(const Level* above, const Level* below, int cols, SymbolSorter::Event* events,
                                size_t count) {
  const int whole = below != nullptr ? cols / 2 : 0;  // quads with four levels
  SymbolSorter::Event* magnitude = magnitudes_.room(4 * count);
  walk_bits_.reserve(count * kMaxBitsPerQuad / 8 + 8);
  BitWriter bits = walk_bits_;  // kept in registers
  for (size_t i = 0; i < count; ++i) {
    const auto x = static_cast<int>(coded_[i].x);
    std::array<int, 4> levels{};
    if (x < whole) {
      levels = {above[2 * x], above[2 * x + 1], below[2 * x], below[2 * x + 1]};
    } else {
      const bool right = 2 * x + 1 < cols;
      levels[0] = above[2 * x];
      if (right) levels[1] = above[2 * x + 1];
      if (below != nullptr) levels[2] = below[2 * x];
      if (below != nullptr && right) levels[3] = below[2 * x + 1];
    }
    size_t value = 0;
    unsigned negative = 0;
    for (size_t p = 0; p < 4; ++p) {
      value = value * 3 + static_cast<size_t>(std::min(std::abs(levels[p]), 2));
      negative |= (levels[p] < 0 ? 1U : 0U) << p;
    }
    const uint8_t symbol = kQuads.symbol_of_value[value];
    const QuadSymbol& q = kQuads.symbols[symbol];
    bits.put(kSigns.gathered[q.mask][negative], q.non_zero);
    SymbolSorter::Event& event = events[coded_[i].event];
    ++quads_.counts(event >> 8 & 0xffU).of[symbol];
    event |= symbol;
    if (q.twos == 0) continue;
    const int t = context_[static_cast<size_t>(x)] + kBigWeight * (q.bigs - 1);
    const uint8_t magnitude_class = kClasses.magnitude[static_cast<size_t>(t)];
    for (const int level : levels) {
      if (std::abs(level) < 2) continue;
      const BucketedNumber n = bucket_of(static_cast<uint32_t>(std::abs(level) - 2));
      *magnitude++ = SymbolSorter::event(magnitude_class, n.symbol);
      bits.put(n.extra, n.extra_bits);
    }
  }
  walk_bits_.resume(bits);
  magnitudes_.end(magnitude);
}

// The sorter's counts: those of events found by a backend besides those of the walk, and quads without an
// event.
void ContextEncoder::sum_counts() {
  uint64_t events = 0;
  for (size_t k = 0; k < kQuadClasses; ++k) {
    SymbolCounts& counts = quads_.counts(k);
    for (size_t s = 0; s < kQuadSymbols; ++s) counts.of[s] += found_[k << kLog2QuadSymbols | s];
    counts.sum_up();
    events += counts.total;
  }
  quads_.counts(0).of[0] += quad_count_ - events;
}

void ContextEncoder::start() {
  quads_.start();
  magnitudes_.start();
  zeros_ = 0;
  found_ = {};
  walk_bits_.start(0);
}

size_t ContextEncoder::encode(std::span<const Level* const> planes, Growing<uint8_t>& out) {
  start();
  const bool predict = prediction_pays(planes);
  for (size_t i = 0; i < bands_.size(); ++i) walk_band(i, planes, predict);
  return finish(predict, out);
}

size_t ContextEncoder::encode(std::span<const Level* const> planes, const QuadEvents& found,
                              Growing<uint8_t>& out) {
  start();
  const bool predict = prediction_pays(planes);
  const QuadRow* row = found.rows;
  size_t first = 0;  // quad of the row
  for (size_t i = 0; i < bands_.size(); ++i) {
    const ContextBand& b = bands_[i];
    if (b.lowpass) {
      walk_band(i, planes, predict);
      continue;
    }
    for (int y = 0; y < b.quad_rows(); ++y, ++row) {
      const size_t next = first + static_cast<size_t>(b.quad_cols());
      if (y + 1 < b.quad_rows()) {
        prefetch(found.events + next, row[1].events);
        prefetch(found.magnitudes + 4 * next, row[1].magnitudes);
      }
      take_row(*row, found.events + first, found.magnitudes + 4 * first, b.quad_cols());
      first = next;
    }
  }
  return finish(predict, out);
}

// Whether a quad is 0 and how many large levels it has is what no branch can foretell: events of 0 put no
// bits, and of magnitudes four are always written, of which those that there are stay.
void ContextEncoder::take_row(const QuadRow& row, const QuadEvent* events, const uint16_t* magnitudes,
                              int quads) {
  constexpr uint32_t kAtOnce = 8;  // events whose signs, at most 4 bits each, are put together
  SymbolSorter::Event* event = quads_.room(row.events + 1);
  SymbolSorter::Event* magnitude = magnitudes_.room(row.magnitudes + 4);
  walk_bits_.reserve(row.events * kMaxBitsPerQuad / 8 + 8);
  BitWriter bits = walk_bits_;  // kept in registers
  uint32_t zeros = zeros_;
  if (zeros > kMostQuadsInARow) {
    *event++ = SymbolSorter::event(0, 0, zeros - 1);
    zeros = 0;
  }
  auto left = static_cast<uint32_t>(quads);
  for (uint32_t i = 0; i < row.events;) {
    uint64_t signs = 0;
    int sign_bits = 0;
    for (const uint32_t end = std::min(i + kAtOnce, row.events); i < end; ++i) {
      const QuadEventParts e = unpack_event(events[i]);
      left -= e.zeros + 1;
      *event++ = SymbolSorter::event(e.quad_class, e.symbol, zeros + e.zeros);
      zeros = 0;
      ++found_[events[i] & (found_.size() - 1)];
      const QuadSymbol& q = kQuads.symbols[e.symbol];
      signs |= uint64_t{e.signs} << sign_bits;
      sign_bits += q.non_zero;
      for (size_t k = 0; k < 4; ++k) magnitude[k] = SymbolSorter::event(e.magnitude_class, magnitudes[k]);
      uint64_t four = 0;
      std::memcpy(&four, magnitudes, sizeof four);
      if ((four & kNotDirect[q.bigs]) != 0) {
        bits.put(signs, sign_bits);
        signs = 0;
        sign_bits = 0;
        for (size_t k = 0; k < q.bigs; ++k) {
          const BucketedNumber n = bucket_of(magnitudes[k]);
          magnitude[k] = SymbolSorter::event(e.magnitude_class, n.symbol);
          bits.put(n.extra, n.extra_bits);
        }
      }
      magnitude += q.bigs;
      magnitudes += q.bigs;
    }
    bits.put(signs, sign_bits);
  }
  zeros_ = zeros + left;
  quads_.end(event);
  magnitudes_.end(magnitude);
  walk_bits_.resume(bits);
}

size_t ContextEncoder::finish(bool predict, Growing<uint8_t>& out) {
  if (walk_bits_.empty_since(0)) return 0;  // no sign, so no level but 0

  sum_counts();
  magnitudes_.count_events();
  const TableMap quads = quads_.sort();
  const TableMap magnitudes = magnitudes_.sort();
  const uint32_t head = (predict ? 1U : 0U) | (quads.begins & ~1U) | (quads.run_coded & ~1U) << 12 |
                        (magnitudes.begins & ~1U) << 24;
  out.reserve(kHeadSize);
  for (size_t i = 0; i < kHeadSize; ++i) out.data()[i] = static_cast<uint8_t>(head >> (8 * i));
  HuffmanWriter writer(out);
  writer.start(kHeadSize);
  BitWriter raw(raw_);
  raw.start(0);
  quads_.write(writer, raw);
  magnitudes_.write(writer, raw);  // has no runs
  raw.reserve(8);
  raw.align();
  walk_bits_.reserve(8);
  walk_bits_.align();
  raw.append({walk_bytes_.data(), walk_bits_.size()});
  return writer.finish({raw_.data(), raw.size()});
}

}  // namespace ctv
