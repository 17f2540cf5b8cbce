// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/context_encoder.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "codec/entropy/lowpass_prediction.hpp"
#include "codec/entropy/number_buckets.hpp"
#include "codec/entropy/quad_alphabet.hpp"

namespace ctv {
namespace {

constexpr int kClassShift = 8;
constexpr int kZerosShift = 16;
constexpr uint32_t kMaxZeros = 0xffff;
constexpr size_t kHeadSize = 4;
constexpr uint64_t kMaxBitsPerQuad = 4 + 4 * 13;  // signs, extra bits of magnitudes

}  // namespace

ContextEncoder::ContextEncoder(std::vector<ContextBand> bands)
    : bands_(std::move(bands)),
      contexts_(bands_),
      folded_(static_cast<size_t>(contexts_.most_cols()) + 2),
      context_(static_cast<size_t>(contexts_.longest_row() + QuadContexts::kPadding)),
      active_(static_cast<size_t>(contexts_.longest_row() + QuadContexts::kPadding)),
      walk_bits_(walk_bytes_) {
  size_t lowpass = 0;
  for (const ContextBand& b : bands_) {
    if (b.lowpass) lowpass = std::max(lowpass, static_cast<size_t>(b.rows) * static_cast<size_t>(b.cols));
  }
  errors_.resize(lowpass);
}

bool ContextEncoder::prediction_pays(std::span<Level* const> planes) const {
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

void ContextEncoder::walk(std::span<Level* const> planes, bool predict) {
  for (size_t i = 0; i < bands_.size(); ++i) {
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
      const auto room = static_cast<size_t>(quads);
      events_.reserve(event_count_ + 2 * room + zeros_ / kMaxZeros + 2, event_count_);
      magnitudes_.reserve(magnitude_count_ + 4 * room, magnitude_count_);
      walk_bits_.reserve(room * kMaxBitsPerQuad / 8 + 8);
      walk_row(above, below, b.cols, sums);
    }
  }
}

void ContextEncoder::walk_row(const Level* above, const Level* below, int cols, const uint8_t* sums) {
  const int quads = (cols + 1) / 2;
  const int whole = below != nullptr ? cols / 2 : 0;  // quads with four levels
  const uint16_t* const context = context_.data();
  const uint8_t* const active = active_.data();
  uint32_t* event = events_.data() + event_count_;
  uint16_t* magnitude = magnitudes_.data() + magnitude_count_;
  BitWriter bits = walk_bits_;  // kept in registers
  uint32_t zeros = zeros_;
  for (int x = 0; x < quads; ++x) {
    if (active[x] == 0) {
      const int begin = x;
      uint64_t eight = 0;
      for (;; x += 8) {
        std::memcpy(&eight, active + x, sizeof eight);
        if (eight != 0) break;
      }
      x = std::min(quads, x + std::countr_zero(little_endian(eight)) / 8);
      zeros += static_cast<uint32_t>(x - begin);
      if (x == quads) break;
    }
    const int t = context[x];
    const uint32_t quad_class = kClasses.quad[static_cast<size_t>(t)];
    SymbolCounts& counts = quad_counts_[quad_class];
    if (sums[x] == 0) {
      *event++ = 1U << kZerosShift | quad_class << kClassShift;
      ++counts.of[0];
      continue;
    }
    zeros_before_ += zeros;
    while (zeros != 0) {
      const uint32_t some = std::min(zeros, kMaxZeros);
      *event++ = some << kZerosShift;
      zeros -= some;
    }
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
    for (size_t i = 0; i < 4; ++i) {
      value = value * 3 + static_cast<size_t>(std::min(std::abs(levels[i]), 2));
      negative |= (levels[i] < 0 ? 1U : 0U) << i;
    }
    const uint8_t symbol = kQuads.symbol_of_value[value];
    const QuadSymbol& q = kQuads.symbols[symbol];
    bits.put(kSigns.gathered[q.mask][negative], q.non_zero);
    *event++ = quad_class << kClassShift | symbol;
    ++counts.of[symbol];
    if (q.big == 0) continue;
    const uint8_t magnitude_class = kClasses.magnitude[static_cast<size_t>(t + kBigWeight * (q.big - 1))];
    SymbolCounts& magnitudes = magnitude_counts_[magnitude_class];
    for (const int level : levels) {
      if (std::abs(level) < 2) continue;
      const BucketedNumber n = bucket_of(static_cast<uint32_t>(std::abs(level) - 2));
      *magnitude++ = static_cast<uint16_t>(magnitude_class << kClassShift | n.symbol);
      ++magnitudes.of[n.symbol];
      bits.put(n.extra, n.extra_bits);
    }
  }
  zeros_ = zeros;
  walk_bits_.resume(bits);
  event_count_ = static_cast<size_t>(event - events_.data());
  magnitude_count_ = static_cast<size_t>(magnitude - magnitudes_.data());
}

// An event without branches: its value is always stored and stays only if it counts.
void ContextEncoder::sort_events(int tables, std::span<const uint8_t> table_of) {
  struct Destination {
    uint8_t* value;
    uint32_t* run;
    uint32_t zeros;
    uint32_t run_coded;
  };
  std::array<Destination, kQuadClasses> to;
  std::array<size_t, kQuadClasses> sizes;
  size_t values = 0;
  for (size_t t = 0; t < static_cast<size_t>(tables); ++t) {
    const SymbolCounts& counts = merged_[t];
    tables_[t].run_coded = quad_table_price(counts, t == 0).run_coded;
    sizes[t] = static_cast<size_t>(tables_[t].run_coded ? counts.total - counts.of[0] : counts.total) + 1;
    values += sizes[t];
  }
  values_.reserve(values);
  runs_.reserve(values);
  size_t at = 0;
  for (size_t t = 0; t < static_cast<size_t>(tables); ++t) {
    tables_[t].values = values_.data() + at;
    tables_[t].runs = runs_.data() + at;
    to[t] = {tables_[t].values, tables_[t].runs, 0, tables_[t].run_coded ? 1U : 0U};
    at += sizes[t];
  }
  for (size_t i = 0; i < event_count_; ++i) {
    const uint32_t event = events_.data()[i];
    Destination& d = to[table_of[event >> kClassShift & 0xffU]];
    const uint32_t non_zero = (event & 0xffU) != 0 ? 1 : 0;
    d.zeros += event >> kZerosShift;
    *d.value = static_cast<uint8_t>(event);
    *d.run = d.zeros;
    const uint32_t stays = non_zero | (d.run_coded ^ 1U);
    d.value += stays;
    d.run += stays;
    d.zeros &= non_zero - 1U;
  }
  for (size_t t = 0; t < static_cast<size_t>(tables); ++t) {
    tables_[t].count = static_cast<size_t>(to[t].value - tables_[t].values);
  }
}

void ContextEncoder::write_tables(HuffmanWriter& writer, int tables) {
  BitWriter extra(raw_);
  extra.start(0);
  for (size_t t = 0; t < static_cast<size_t>(tables); ++t) {
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
    } else {
      while (table.count > 0 && table.values[table.count - 1] == 0) --table.count;
    }
    writer.literals({table.values, table.count});
  }
  extra.reserve(8);
  extra.align();
  walk_bits_.reserve(8);
  walk_bits_.align();
  raw_.reserve(extra.size() + walk_bits_.size(), extra.size());
  std::copy_n(walk_bytes_.data(), walk_bits_.size(), raw_.data() + extra.size());
  raw_size_ = extra.size() + walk_bits_.size();
}

void ContextEncoder::write_magnitudes(HuffmanWriter& writer, int tables, std::span<const uint8_t> table_of) {
  uint8_t* const symbols = symbols_.reserve(magnitude_count_ + kMagnitudeClasses);
  std::array<uint8_t*, kMagnitudeClasses + 1> to{};
  to[0] = symbols;
  for (size_t t = 0; t < static_cast<size_t>(tables); ++t) to[t + 1] = to[t] + merged_[t].total;
  const auto begin = to;
  for (size_t i = 0; i < magnitude_count_; ++i) {
    const unsigned m = magnitudes_.data()[i];
    *to[table_of[m >> kClassShift]]++ = static_cast<uint8_t>(m);
  }
  for (size_t t = 0; t < static_cast<size_t>(tables); ++t) writer.literals({begin[t], to[t]});
}

size_t ContextEncoder::encode(std::span<Level* const> planes, Growing<uint8_t>& out) {
  quad_counts_ = {};
  magnitude_counts_ = {};
  event_count_ = magnitude_count_ = 0;
  zeros_ = 0;
  zeros_before_ = 0;
  walk_bits_.start(0);
  const bool predict = prediction_pays(planes);
  walk(planes, predict);
  if (walk_bits_.empty_since(0)) return 0;  // no sign, so no level but 0

  quad_counts_[0].of[0] += zeros_before_;
  for (SymbolCounts& c : quad_counts_) c.sum_up();
  for (SymbolCounts& c : magnitude_counts_) c.sum_up();
  std::array<uint8_t, kMaxClasses> table_of{};
  uint32_t head = predict ? 1 : 0;
  HuffmanWriter writer(out);
  writer.start(kHeadSize);
  const int quad_tables = merge_classes(quad_counts_, quad_table_price, table_of, merged_);
  sort_events(quad_tables, table_of);
  for (size_t k = 1; k < kQuadClasses; ++k) {
    if (table_of[k] == table_of[k - 1]) continue;
    head |= 1U << k | (tables_[table_of[k]].run_coded ? 1U : 0U) << (12 + k);
  }
  out.reserve(kHeadSize);
  write_tables(writer, quad_tables);
  const int magnitude_tables = merge_classes(magnitude_counts_, magnitude_table_price, table_of, merged_);
  for (size_t k = 1; k < kMagnitudeClasses; ++k)
    head |= (table_of[k] != table_of[k - 1] ? 1U : 0U) << (24 + k);
  write_magnitudes(writer, magnitude_tables, table_of);
  const size_t size = writer.finish({raw_.data(), raw_size_});
  for (size_t i = 0; i < kHeadSize; ++i) out.data()[i] = static_cast<uint8_t>(head >> (8 * i));
  return size;
}

}  // namespace ctv
