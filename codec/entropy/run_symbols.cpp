// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/run_symbols.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "codec/util/little_endian.hpp"

namespace ctv {
namespace {

// Index of the first nonzero level in [at, end), or end.
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

// Most symbols are one-byte levels. So each step takes the leading one-byte levels of the next eight bytes,
// then one symbol of any kind. Branch-free, since the kind is unpredictable.
constexpr size_t kBatch = 8;
constexpr size_t kBatches = 256;

// Zigzag values of the levels, saturated to 255. The compiler vectorises the loop.
void to_bytes(std::span<const Level> levels, uint8_t* bytes) {
  for (size_t i = 0; i < levels.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(std::min(zigzag(levels[i]), 255U));
  }
}

// Number of bytes, of eight, before the first that is not a one-byte level: it has the continuation bit, or
// is the 0 of a run.
size_t count_short_levels(const uint8_t* bytes) {
  constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7fU;
  uint64_t eight = 0;
  std::memcpy(&eight, bytes, sizeof eight);
  eight = little_endian(eight);
  const uint64_t zeros = ~((eight & kLow) + kLow);
  return static_cast<size_t>(std::countr_zero((eight | zeros) & ~kLow)) / 8;
}

// Returns the level's head. Advances `tail` by the other bytes, which are rarely more than one.
uint8_t put_value(int level, uint8_t*& tail) {
  const uint32_t z = zigzag(level);
  const uint32_t more = z >> 7;
  *tail = static_cast<uint8_t>(more);
  tail += more > 0 ? 1 : 0;
  if (more >= 128) tail = put_varint(tail - 1, more);
  return static_cast<uint8_t>(z | (more > 0 ? 128U : 0));
}

}  // namespace

RunBytes find_run_bytes(std::span<const Level> levels, bool runs, uint8_t* heads, uint8_t* tails) {
  uint8_t* tail = tails;
  if (!runs) {
    Level before = 0;
    for (size_t i = 0; i < levels.size(); before = levels[i++]) {
      heads[i] = put_value(run_difference(levels[i], before), tail);
    }
    return {static_cast<uint32_t>(levels.size()), static_cast<uint32_t>(tail - tails)};
  }
  uint8_t* head = heads;
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
      std::memcpy(head, &bytes[i - first], kBatch);
      const size_t count = count_short_levels(&bytes[i - first]);
      head += count;
      i += count;
      if (count == kBatch) continue;
    }
    if (levels[i] == 0) {
      const size_t end = skip_zeros(levels.data(), i, levels.size());
      *head++ = 0;
      tail = put_varint(tail, static_cast<uint32_t>(end - i - 1));
      i = end;
    } else {
      *head++ = put_value(levels[i++], tail);
    }
  }
  return {static_cast<uint32_t>(head - heads), static_cast<uint32_t>(tail - tails)};
}

}  // namespace ctv
