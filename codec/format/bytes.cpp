// SPDX-License-Identifier: BSD-3-Clause
// Checksums. A polynomial's remainder is unchanged if 128 bits are multiplied by x^n modulo the generator and
// added to the bits n positions later. So carry-less multiplications reduce long data, four blocks at a time
// (Gopal et al., Fast CRC computation for generic polynomials using PCLMULQDQ, Intel 2009), and zlib computes
// the rest.
#include "codec/format/bytes.hpp"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ctv {
namespace {

uint32_t crc32_by_zlib(uint32_t before, std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(crc32_z(before, bytes.data(), bytes.size()));
}

#if defined(__x86_64__)

constexpr size_t kLane = 16;
constexpr size_t kLanes = 4;

[[gnu::target("pclmul,sse2")]] inline __m128i load(std::span<const uint8_t> bytes, size_t lane) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + lane * kLane));
}
[[gnu::target("pclmul,sse2")]] inline __m128i fold(__m128i lane, __m128i by, __m128i later) {
  const __m128i low = _mm_clmulepi64_si128(lane, by, 0x00);
  const __m128i high = _mm_clmulepi64_si128(lane, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), later);
}

// bytes: at least four lanes.
[[gnu::target("pclmul,sse2")]] uint32_t crc32_by_folds(uint32_t before, std::span<const uint8_t> bytes) {
  // x^(n + 32) and x^(n - 32) modulo the generator, bit-reversed, for n = 512 and n = 128.
  const __m128i by_four = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
  const __m128i by_one = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  __m128i lanes[kLanes];
  for (size_t i = 0; i < kLanes; ++i) lanes[i] = load(bytes, i);
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(~before)));
  for (bytes = bytes.subspan(kLanes * kLane); bytes.size() >= kLanes * kLane;
       bytes = bytes.subspan(kLanes * kLane)) {
    for (size_t i = 0; i < kLanes; ++i) lanes[i] = fold(lanes[i], by_four, load(bytes, i));
  }
  for (size_t i = 1; i < kLanes; ++i) lanes[0] = fold(lanes[0], by_one, lanes[i]);
  uint8_t rest[kLane];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rest), lanes[0]);
  const uint32_t folded = crc32_by_zlib(~uint32_t{0}, rest);  // the folded bytes include the checksum before
  return bytes.empty() ? folded : crc32_by_zlib(folded, bytes);
}

#endif

}  // namespace

uint32_t crc32_of(std::span<const uint8_t> bytes, uint32_t before) {
  if (bytes.empty()) return before;  // data() may be null, which zlib takes as a reset
#if defined(__x86_64__)
  static const bool folds = __builtin_cpu_supports("pclmul") != 0;
  if (folds && bytes.size() >= kLanes * kLane) return crc32_by_folds(before, bytes);
#endif
  return crc32_by_zlib(before, bytes);
}

uint32_t crc32_before(uint32_t checksum, size_t following) {
  if (following == 0) return checksum;
  return static_cast<uint32_t>(crc32_combine(checksum, 0, static_cast<z_off_t>(following)));
}

}  // namespace ctv
