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

constexpr size_t kHeadSize = 4;
constexpr uint64_t kMaxBitsPerQuad = 4 + 4 * 13;  // signs, extra bits of magnitudes

}  // namespace

ContextEncoder::ContextEncoder(std::vector<ContextBand> bands)
    : bands_(std::move(bands)),
      contexts_(bands_),
      folded_(static_cast<size_t>(contexts_.most_cols()) + 2),
      context_(static_cast<size_t>(contexts_.longest_row() + QuadContexts::kPadding)),
      active_(static_cast<size_t>(contexts_.longest_row() + QuadContexts::kPadding)),
      quads_(kQuadClasses, quad_table_price, true),
      magnitudes_(kMagnitudeClasses, magnitude_table_price, false),
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
      walk_bits_.reserve(static_cast<size_t>(quads) * kMaxBitsPerQuad / 8 + 8);
      walk_row(above, below, b.cols, sums);
    }
  }
}

void ContextEncoder::walk_row(const Level* above, const Level* below, int cols, const uint8_t* sums) {
  const int quads = (cols + 1) / 2;
  const int whole = below != nullptr ? cols / 2 : 0;  // quads with four levels
  const uint16_t* const context = context_.data();
  const uint8_t* const active = active_.data();
  const auto room = static_cast<size_t>(quads);
  SymbolSorter::Event* event = quads_.room(2 * room + zeros_ / SymbolSorter::kMaxZeros + 2);
  SymbolSorter::Event* magnitude = magnitudes_.room(4 * room);
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
    SymbolCounts& counts = quads_.counts(quad_class);
    if (sums[x] == 0) {
      *event++ = SymbolSorter::event(quad_class, 0, 1);
      ++counts.of[0];
      continue;
    }
    if (zeros != 0) {
      quads_.counts(0).of[0] += zeros;
      for (; zeros > SymbolSorter::kMaxZeros; zeros -= SymbolSorter::kMaxZeros) {
        *event++ = SymbolSorter::event(0, 0, SymbolSorter::kMaxZeros);
      }
      *event++ = SymbolSorter::event(0, 0, zeros);
      zeros = 0;
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
    *event++ = SymbolSorter::event(quad_class, symbol);
    ++counts.of[symbol];
    if (q.big == 0) continue;
    const uint8_t magnitude_class = kClasses.magnitude[static_cast<size_t>(t + kBigWeight * (q.big - 1))];
    SymbolCounts& magnitudes = magnitudes_.counts(magnitude_class);
    for (const int level : levels) {
      if (std::abs(level) < 2) continue;
      const BucketedNumber n = bucket_of(static_cast<uint32_t>(std::abs(level) - 2));
      *magnitude++ = SymbolSorter::event(magnitude_class, n.symbol);
      ++magnitudes.of[n.symbol];
      bits.put(n.extra, n.extra_bits);
    }
  }
  zeros_ = zeros;
  walk_bits_.resume(bits);
  quads_.end(event);
  magnitudes_.end(magnitude);
}

size_t ContextEncoder::encode(std::span<Level* const> planes, Growing<uint8_t>& out) {
  quads_.start();
  magnitudes_.start();
  zeros_ = 0;
  walk_bits_.start(0);
  const bool predict = prediction_pays(planes);
  walk(planes, predict);
  if (walk_bits_.empty_since(0)) return 0;  // no sign, so no level but 0

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
