// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/run_encoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace ctv {
namespace {

// Four tables: bytes often repeat, and an increment would wait for the previous one at the same address.
void count_bytes(std::span<const uint8_t> bytes, std::array<uint64_t, 256>& counts) {
  std::array<std::array<uint32_t, 256>, 4> four{};
  size_t i = 0;
  if (bytes.size() >= 256) {
    for (; i + 4 <= bytes.size(); i += 4) {
      for (size_t k = 0; k < 4; ++k) ++four[k][bytes[i + k]];
    }
    for (size_t b = 0; b < 256; ++b) counts[b] += four[0][b] + four[1][b] + four[2][b] + four[3][b];
  }
  for (; i < bytes.size(); ++i) ++counts[bytes[i]];
}

uint32_t sum_lengths(std::span<const uint8_t> bytes, const uint8_t* lengths) {
  std::array<uint32_t, 4> sums{};
  size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4) {
    for (size_t k = 0; k < 4; ++k) sums[k] += lengths[bytes[i + k]];
  }
  for (; i < bytes.size(); ++i) sums[0] += lengths[bytes[i]];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

void store_bits(uint64_t bits, uint8_t* out) {
  for (size_t i = 0; i < 8; ++i) out[i] = static_cast<uint8_t>(bits >> (8 * i));
}

// Writes codes from bit `filled` < 8 of out[0] on; lower bits of out[0] become 0. Overruns by up to 8 bytes.
void put_codes(std::span<const uint8_t> bytes, const uint32_t* codes, uint32_t filled, uint8_t* out) {
  uint64_t bits = 0;
  const auto put = [&](uint8_t byte) {
    const uint32_t code = codes[byte];
    bits |= uint64_t{code & 0xffffU} << filled;
    filled += code >> 16;
  };
  const auto flush = [&] {
    store_bits(bits, out);
    out += filled >> 3;
    bits >>= filled & ~7U;
    filled &= 7U;
  };
  size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4) {
    for (size_t k = 0; k < 4; ++k) put(bytes[i + k]);
    flush();
  }
  for (; i < bytes.size(); ++i) put(bytes[i]);
  flush();
  store_bits(bits, out);
}

// Adds bits to a stream where they are still 0.
void add_bits(uint8_t* stream, uint64_t at, uint32_t value, uint32_t count) {
  uint64_t bits = uint64_t{value} << (at & 7U);
  for (uint32_t end = count + (at & 7U), i = 0; 8 * i < end; ++i, bits >>= 8) {
    stream[(at >> 3) + i] = static_cast<uint8_t>(stream[(at >> 3) + i] | bits);
  }
}

}  // namespace

RunEncoder::RunEncoder(std::vector<RunRange> ranges) : ranges_(std::move(ranges)) {
  for (const RunRange& r : ranges_) levels_ += r.count;
  chunks_.resize(run_chunks(levels_));
  bits_.resize(chunks_.size());
}

std::span<const uint8_t> RunEncoder::bytes_of(size_t chunk, size_t stream) const {
  const uint8_t* const slot = slots_.data() + chunk * kSlot;
  const RunBytes& bytes = chunks_[chunk].bytes;
  if (stream == 0) return {slot, bytes.heads};
  return {slot + kMostHeads, bytes.tails};
}

void RunEncoder::scan(std::span<const Level* const> planes, bool runs, size_t chunk, Counts& counts) {
  const size_t first = chunk * kRunChunk;
  const size_t last = std::min(first + kRunChunk, levels_);
  std::array<Level, kRunChunk> joined;  // levels of several ranges
  const Level* levels = nullptr;
  size_t at = 0;
  for_ranges(ranges_, first, last, [&](size_t plane, size_t offset, size_t count) {
    levels = planes[plane] + offset;
    if (count == last - first) return;
    std::copy_n(levels, count, joined.data() + at);
    at += count;
    levels = joined.data();
  });
  uint8_t* const slot = slots_.data() + chunk * kSlot;
  RunBytes& bytes = chunks_[chunk].bytes;
  bytes = {};
  if (std::all_of(levels, levels + (last - first), [](Level v) { return v == 0; })) return;
  bytes = find_run_bytes({levels, last - first}, runs, slot, slot + kMostHeads);
  for (size_t s = 0; s < 2; ++s) count_bytes(bytes_of(chunk, s), counts[s]);
}

bool RunEncoder::make_codes(const Counts& counts) {
  std::array<uint64_t, 2> sums{};
  for (size_t s = 0; s < 2; ++s) {
    for (const uint64_t c : counts[s]) sums[s] += c;
  }
  if (sums[0] == 0) return false;
  blocks_used_ = sums[1] > 0 ? 2 : 1;
  for (size_t s = 0; s < blocks_used_; ++s) {
    const uint32_t shift = weight_shift(sums[s] + 1);
    std::array<uint32_t, kCodedSymbols> keys;
    std::array<uint32_t, kCodedSymbols> weights{};
    uint32_t symbols = 0;
    const auto add = [&](uint64_t count, uint32_t symbol) {
      if (count == 0) return;
      keys[symbols] = weight_key(count, shift, symbol);
      weights[symbol] = keys[symbols++] >> kSymbolBits;
    };
    for (uint32_t b = 0; b < 256; ++b) add(counts[s][b], b);
    add(1, kEndOfBlock);
    std::sort(keys.begin(), keys.begin() + symbols);
    std::fill_n(blocks_[s].lengths, kDeflateSymbols, uint8_t{0});
    huffman_lengths(keys.data(), symbols, kMostCodeBits, blocks_[s].lengths);
    make_block(weights.data(), s + 1 == blocks_used_, blocks_[s], scratch_);
    ctv::make_codes(blocks_[s].lengths, kDeflateSymbols, codes_[s].data());
  }
  return true;
}

void RunEncoder::measure(size_t chunk) {
  bits_[chunk] = {sum_lengths(bytes_of(chunk, 0), blocks_[0].lengths),
                  sum_lengths(bytes_of(chunk, 1), blocks_[1].lengths)};
}

size_t RunEncoder::plan(Growing<uint8_t>& out) {
  uint64_t at = 0;
  for (size_t s = 0; s < blocks_used_; ++s) {
    at += blocks_[s].header_bits;
    begin_[s] = at;
    for (size_t i = 0; i < chunks_.size(); ++i) {
      chunks_[i].begin[s] = at;
      at += bits_of(i, s);
    }
    end_[s] = at;
    at += blocks_[s].lengths[kEndOfBlock];
  }
  const auto stream = static_cast<size_t>((at + 7) / 8);
  out.reserve(RunIndexWriter::most_bytes(chunks_.size()) + stream);
  index_size_ = RunIndexWriter::write(bits_, out.data());
  return index_size_ + stream;
}

void RunEncoder::write(size_t chunk, Growing<uint8_t>& out) {
  std::array<uint8_t, kMostTailBits / 8 + 16> bytes;
  for (size_t s = 0; s < blocks_used_; ++s) {
    Chunk& c = chunks_[chunk];
    const uint32_t bits = bits_of(chunk, s);
    if (bits == 0) continue;
    put_codes(bytes_of(chunk, s), codes_[s].data(), c.begin[s] & 7U, bytes.data());
    const auto first = static_cast<size_t>(c.begin[s] >> 3);
    const auto last = static_cast<size_t>((c.begin[s] + bits) >> 3);
    c.edges[s] = {bytes[0], last > first ? bytes[last - first] : uint8_t{0}};
    if (last > first + 1) {
      std::memcpy(out.data() + index_size_ + first + 1, &bytes[1], last - first - 1);
    }
  }
}

void RunEncoder::finish(Growing<uint8_t>& out) {
  uint8_t* const stream = out.data() + index_size_;
  const auto for_edges = [&](auto work) {
    for (size_t i = 0; i < chunks_.size(); ++i) {
      const Chunk& c = chunks_[i];
      for (size_t s = 0; s < blocks_used_; ++s) {
        if (bits_of(i, s) == 0) continue;
        work(stream[c.begin[s] >> 3], c.edges[s][0]);
        work(stream[(c.begin[s] + bits_of(i, s)) >> 3], c.edges[s][1]);
      }
    }
  };
  uint64_t before = 0;
  for (size_t s = 0; s < blocks_used_; ++s) {
    std::fill(stream + (before >> 3), stream + (begin_[s] >> 3) + 1, uint8_t{0});
    before = end_[s];
  }
  const uint64_t end = before + blocks_[blocks_used_ - 1].lengths[kEndOfBlock];
  std::fill(stream + (before >> 3), stream + ((end + 7) >> 3), uint8_t{0});
  for_edges([](uint8_t& byte, uint8_t) { byte = 0; });
  for_edges([](uint8_t& byte, uint8_t edge) { byte = static_cast<uint8_t>(byte | edge); });
  for (size_t s = 0; s < blocks_used_; ++s) {
    const uint64_t at = begin_[s] - blocks_[s].header_bits;
    for (uint32_t i = 0; i < blocks_[s].header_bits; i += 32) {
      add_bits(stream, at + i, blocks_[s].header[i / 32], std::min(32U, blocks_[s].header_bits - i));
    }
    add_bits(stream, end_[s], codes_[s][kEndOfBlock] & 0xffffU, codes_[s][kEndOfBlock] >> 16);
  }
}

size_t RunEncoder::encode(std::span<const Level* const> planes, bool runs, Growing<uint8_t>& out) {
  slots_.reserve(chunks_.size() * kSlot);
  Counts counts{};
  for (size_t i = 0; i < chunks_.size(); ++i) scan(planes, runs, i, counts);
  if (!make_codes(counts)) return 0;
  for (size_t i = 0; i < chunks_.size(); ++i) measure(i);
  const size_t size = plan(out);
  for (size_t i = 0; i < chunks_.size(); ++i) write(i, out);
  finish(out);
  return size;
}

}  // namespace ctv
