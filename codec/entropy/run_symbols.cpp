// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/run_symbols.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace ctv {
namespace {

constexpr uint64_t little_endian(uint64_t v) {
  if constexpr (std::endian::native == std::endian::little) {
    return v;
  } else {
    uint64_t swapped = 0;
    for (int i = 0; i < 8; ++i) swapped |= (v >> (8 * i) & 255U) << (56 - 8 * i);
    return swapped;
  }
}

// Index of the first level in [at, end) that is not 0, or end.
size_t skip_zeros(const Level* levels, size_t at, size_t end) {
  for (; at + 4 <= end; at += 4) {
    uint64_t four = 0;
    std::memcpy(&four, levels + at, sizeof four);
    four = little_endian(four);
    if (four != 0) return at + static_cast<size_t>(std::countr_zero(four) / 16);
  }
  while (at < end && levels[at] == 0) ++at;
  return at;
}

uint8_t* put_varint(uint8_t* out, uint32_t v) {
  for (; v >= 128; v >>= 7) *out++ = static_cast<uint8_t>(v | 128U);
  *out++ = static_cast<uint8_t>(v);
  return out;
}

// Most symbols are levels of one byte. So the leading ones of the next eight bytes are taken at once, then
// one symbol of any kind. The kind is unpredictable, so there is no branch on it.
constexpr size_t kBatch = 8;
constexpr size_t kBatches = 256;

// Zigzag numbers of the levels, those above 255 as 255. The compiler vectorises it.
void to_bytes(std::span<const Level> levels, uint8_t* bytes) {
  for (size_t i = 0; i < levels.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(std::min(zigzag(levels[i]), 255U));
  }
}

// How many of eight bytes precede the first that is not a level of one byte: the continuation bit is set, or
// the byte is the 0 of a run.
size_t count_short_levels(const uint8_t* bytes, bool runs) {
  constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7fU;
  uint64_t eight = 0;
  std::memcpy(&eight, bytes, sizeof eight);
  eight = little_endian(eight);
  const uint64_t zeros = runs ? ~((eight & kLow) + kLow) : 0;
  return static_cast<size_t>(std::countr_zero((eight | zeros) & ~kLow)) / 8;
}

}  // namespace

RunBytes find_run_bytes(std::span<const Level> levels, bool with_runs, uint8_t* values, uint8_t* runs) {
  uint8_t* value = values;
  uint8_t* run = runs;
  std::array<uint8_t, kBatches> bytes;  // of levels first..last - 1
  size_t first = 0;
  size_t last = 0;
  for (size_t i = 0; i < levels.size();) {
    if (levels.size() - i >= kBatch) {
      if (i + kBatch > last) {
        first = i;
        last = std::min(i + kBatches, levels.size());
        to_bytes(levels.subspan(first, last - first), bytes.data());
      }
      std::memcpy(value, &bytes[i - first], kBatch);
      const size_t count = count_short_levels(&bytes[i - first], with_runs);
      value += count;
      i += count;
      if (count == kBatch) continue;
    }
    if (with_runs && levels[i] == 0) {
      const size_t end = skip_zeros(levels.data(), i, levels.size());
      *value++ = 0;
      run = put_varint(run, static_cast<uint32_t>(end - i - 1));
      i = end;
    } else {
      value = put_varint(value, zigzag(levels[i++]));
    }
  }
  return {static_cast<uint32_t>(value - values), static_cast<uint32_t>(run - runs)};
}

}  // namespace ctv
