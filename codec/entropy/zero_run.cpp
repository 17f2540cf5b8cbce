// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/zero_run.hpp"

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

// Reads at most five bytes. Null at the end of the data or for a longer number.
const uint8_t* get_varint(const uint8_t* in, const uint8_t* end, uint32_t& v) {
  uint64_t sum = 0;
  for (int shift = 0; shift < 35 && in != end; shift += 7) {
    const uint8_t byte = *in++;
    sum |= static_cast<uint64_t>(byte & 127U) << shift;
    if (byte < 128) {
      if (sum > UINT32_MAX) return nullptr;
      v = static_cast<uint32_t>(sum);
      return in;
    }
  }
  return nullptr;
}

// Most symbols are levels of one byte. So both directions take the leading ones of the next eight bytes at
// once, then one symbol of any kind. The kind is unpredictable, so there is no branch on it.
constexpr size_t kBatch = 8;
constexpr size_t kChunk = 256;

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

size_t encode_zero_runs(std::span<const Level> levels, bool runs, uint8_t* out) {
  uint8_t* const start = out;
  std::array<uint8_t, kChunk> bytes;  // of levels first..last - 1
  size_t first = 0;
  size_t last = 0;
  for (size_t i = 0; i < levels.size();) {
    if (levels.size() - i >= kBatch) {
      if (i + kBatch > last) {
        first = i;
        last = std::min(i + kChunk, levels.size());
        to_bytes(levels.subspan(first, last - first), bytes.data());
      }
      std::memcpy(out, &bytes[i - first], kBatch);
      const size_t count = count_short_levels(&bytes[i - first], runs);
      out += count;
      i += count;
      if (count == kBatch) continue;
    }
    if (runs && levels[i] == 0) {
      const size_t end = skip_zeros(levels.data(), i, levels.size());
      *out++ = 0;
      out = put_varint(out, static_cast<uint32_t>(end - i - 1));
      i = end;
    } else {
      out = put_varint(out, zigzag(levels[i++]));
    }
  }
  return static_cast<size_t>(out - start);
}

bool decode_zero_runs(std::span<const uint8_t> bytes, size_t& used, bool runs, std::span<Level> levels) {
  const uint8_t* in = bytes.data() + used;
  const uint8_t* const end = bytes.data() + bytes.size();
  size_t i = 0;
  while (i < levels.size()) {
    if (levels.size() - i >= kBatch && static_cast<size_t>(end - in) >= kBatch) {
      for (size_t k = 0; k < kBatch; ++k) levels[i + k] = static_cast<Level>(unzigzag(in[k]));
      const size_t count = count_short_levels(in, runs);  // following symbols overwrite the rest
      in += count;
      i += count;
      if (count == kBatch) continue;
    }
    uint32_t v = 0;
    if (in == end) return false;
    if (runs && *in == 0) {
      in = get_varint(in + 1, end, v);
      if (in == nullptr || v >= levels.size() - i) return false;
      std::fill_n(levels.begin() + static_cast<std::ptrdiff_t>(i), size_t{v} + 1, Level{0});
      i += size_t{v} + 1;
    } else {
      in = get_varint(in, end, v);
      if (in == nullptr || v > 65535) return false;
      levels[i++] = static_cast<Level>(unzigzag(v));
    }
  }
  used = static_cast<size_t>(in - bytes.data());
  return true;
}

}  // namespace ctv
