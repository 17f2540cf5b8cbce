// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/split_runs.hpp"

#include <algorithm>
#include <cstdlib>

#include "codec/entropy/bits.hpp"
#include "codec/entropy/number_buckets.hpp"
#include "codec/entropy/zero_scan.hpp"

namespace ctv {
namespace {

constexpr size_t kStretch = 4096;  // levels between looks at the room that is left

}  // namespace

size_t SplitRuns::encode(std::span<const std::span<const Level>> parts, Growing<uint8_t>& out) {
  BitWriter raw(raw_);
  raw.start(0);
  size_t count = 0;
  uint32_t run = 0;
  for (const std::span<const Level> part : parts) {
    for (size_t begin = 0; begin < part.size(); begin += kStretch) {
      const size_t end = std::min(begin + kStretch, part.size());
      uint8_t* const runs = runs_.reserve(count + kStretch, count);
      uint8_t* const values = values_.reserve(count + kStretch, count);
      raw.reserve(kStretch * 8);
      for (size_t i = begin;; ++i) {
        const size_t next = skip_zeros(part.data(), i, end);
        run += static_cast<uint32_t>(next - i);
        if (next == end) break;
        i = next;
        const int level = part[i];
        const BucketedNumber r = bucket_of(run);
        const BucketedNumber v = bucket_of(static_cast<uint32_t>(std::abs(level) - 1));
        runs[count] = r.symbol;
        values[count++] = v.symbol;
        raw.put(r.extra | uint64_t{level < 0} << r.extra_bits, r.extra_bits + 1);
        raw.put(v.extra, v.extra_bits);
        run = 0;
      }
    }
  }
  if (count == 0) return 0;
  raw.reserve(8);
  raw.align();
  HuffmanWriter writer(out);
  writer.start(0);
  writer.literals({runs_.data(), count});
  writer.literals({values_.data(), count});
  return writer.finish({raw_.data(), raw.size()});
}

bool SplitRuns::decode(std::span<const uint8_t> bytes, std::span<const std::span<Level>> parts) {
  size_t levels = 0;
  for (const std::span<Level> part : parts) {
    std::fill(part.begin(), part.end(), Level{0});
    levels += part.size();
  }
  if (bytes.empty()) return true;
  size_t count = 0;
  size_t values = 0;
  std::span<const uint8_t> raw;
  huffman_.start(bytes);
  if (!huffman_.literals(kRunSymbols, {runs_.reserve(levels), levels}, count) ||
      !huffman_.literals(kMagnitudeSymbols, {values_.reserve(count), count}, values) || values != count ||
      !huffman_.finish(raw_, raw)) {
    return false;
  }
  BitReader bits(raw);
  const std::span<Level>* part = parts.data();
  size_t at = 0;  // in the part
  size_t left = levels;
  for (size_t i = 0; i < count; ++i) {
    const Bucket r = kBuckets[runs_.data()[i]];
    const size_t run = r.base + size_t{bits.take(r.extra_bits)};
    if (run >= left) return false;
    left -= run + 1;
    at += run;
    while (at >= part->size()) at -= part++->size();
    const bool negative = bits.take(1) != 0;
    const Bucket v = kBuckets[values_.data()[i]];
    const int magnitude = static_cast<int>(v.base + bits.take(v.extra_bits)) + 1;
    (*part)[at++] = static_cast<Level>(negative ? -magnitude : magnitude);
  }
  return bits.only_padding_left();
}

}  // namespace ctv
