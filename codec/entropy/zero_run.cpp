// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/zero_run.hpp"

#include <algorithm>

#include "codec/entropy/zero_scan.hpp"

namespace ctv {
namespace {

uint8_t* put_varint(uint8_t* out, uint32_t v) {
  for (; v >= 128; v >>= 7) *out++ = static_cast<uint8_t>(v | 128U);
  *out++ = static_cast<uint8_t>(v);
  return out;
}

// At most five bytes; null at the end of the data or for a longer number.
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

}  // namespace

size_t encode_zero_runs(std::span<const Level> levels, bool runs, uint8_t* out) {
  uint8_t* const start = out;
  for (size_t i = 0; i < levels.size();) {
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
