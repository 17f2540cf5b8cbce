// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/run_decoder.hpp"

#include <algorithm>
#include <utility>

namespace ctv {
namespace {

struct StreamBits {
  const uint8_t* bytes;
  size_t size;
  uint64_t load(uint64_t at) const { return DeflateBits::load_bits(bytes, size, at); }
};

struct ChunkLevels {
  Level* levels;
  void put(uint32_t i, Level level) const { levels[i] = level; }
};

}  // namespace

RunDecoder::RunDecoder(std::vector<RunRange> ranges) : ranges_(std::move(ranges)) {
  for (const RunRange& r : ranges_) levels_ += r.count;
  stream_.reserve(chunks());
}

bool RunDecoder::read(std::span<const uint8_t> bytes, bool runs, std::span<Level* const> planes) {
  for (const RunRange& r : ranges_) std::fill_n(planes[r.plane] + r.offset, r.count, Level{0});
  if (bytes.empty()) return true;
  if (!stream_.read(bytes, chunks())) return false;
  bytes_ = bytes.subspan(stream_.begin);
  runs_ = runs;
  make_tables();
  return true;
}

void RunDecoder::make_tables() {
  const auto& [heads, tails] = stream_.codes;
  tables_[0].make(heads.lengths.data(), kDeflateSymbols, heads.counts, heads.bits,
                  [this](uint32_t e) { return head_entry(e, runs_); });
  if (tails.bits > 0) {
    tables_[1].make(tails.lengths.data(), kDeflateSymbols, tails.counts, tails.bits, tail_entry);
  } else {
    tables_[1].entries[0] = kNoTailEntry;
    tables_[1].bits = 0;
  }
}

RunTables RunDecoder::tables() const {
  const auto mask = [this](size_t of) { return (1U << tables_[of].bits) - 1; };
  return {tables_[0].entries.data(), tables_[1].entries.data(), mask(0), mask(1)};
}

bool RunDecoder::decode_chunk(size_t chunk, std::span<Level* const> planes) const {
  const RunChunkPlace& place = stream_.places[chunk];
  if (place.heads == place.heads_end) return true;  // all levels are 0
  const StreamBits bits{bytes_.data(), bytes_.size()};
  const size_t first = chunk * kRunChunk;
  const size_t last = std::min(first + kRunChunk, levels_);
  const auto count = static_cast<uint32_t>(last - first);
  Level* levels = nullptr;
  size_t parts = 0;
  for_ranges(ranges_, first, last, [&](size_t plane, size_t offset, size_t) {
    levels = planes[plane] + offset;
    ++parts;
  });
  const auto decode = [&](Level* to) {
    return runs_ ? decode_run_chunk<true>(bits, tables(), place, ChunkLevels{to}, count)
                 : decode_run_chunk<false>(bits, tables(), place, ChunkLevels{to}, count);
  };
  if (parts == 1) return decode(levels);
  std::array<Level, kRunChunk> joined{};
  if (!decode(joined.data())) return false;
  const Level* from = joined.data();
  for_ranges(ranges_, first, last, [&](size_t plane, size_t offset, size_t part) {
    std::copy_n(from, part, planes[plane] + offset);
    from += part;
  });
  return true;
}

bool RunDecoder::decode(std::span<const uint8_t> bytes, bool runs, std::span<Level* const> planes) {
  if (!read(bytes, runs, planes)) return false;
  if (bytes.empty()) return true;
  for (size_t i = 0; i < chunks(); ++i) {
    if (!decode_chunk(i, planes)) return false;
  }
  return true;
}

}  // namespace ctv
