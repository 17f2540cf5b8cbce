// SPDX-License-Identifier: BSD-3-Clause
#include "io/md5.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ctv::tools {
namespace {

// floor(2^32 * abs(sin(i + 1)))
constexpr uint32_t kSines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr int kTurns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

}  // namespace

void Md5::block(const uint8_t* bytes) {
  uint32_t word[16];
  for (size_t i = 0; i < 16; ++i)
    word[i] = static_cast<uint32_t>(bytes[4 * i]) | static_cast<uint32_t>(bytes[4 * i + 1]) << 8 |
              static_cast<uint32_t>(bytes[4 * i + 2]) << 16 | static_cast<uint32_t>(bytes[4 * i + 3]) << 24;
  auto [a, b, c, d] = state_;
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t f = 0, k = 0;
    switch (i / 16) {
      case 0:
        f = (b & c) | (~b & d), k = i;
        break;
      case 1:
        f = (d & b) | (~d & c), k = (5 * i + 1) % 16;
        break;
      case 2:
        f = b ^ c ^ d, k = (3 * i + 5) % 16;
        break;
      default:
        f = c ^ (b | ~d), k = 7 * i % 16;
        break;
    }
    const uint32_t sum = a + f + kSines[i] + word[k];
    a = d, d = c, c = b;
    b += std::rotl(sum, kTurns[i / 16][i % 4]);
  }
  state_ = {state_[0] + a, state_[1] + b, state_[2] + c, state_[3] + d};
}

void Md5::add(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const size_t used = size_ % 64;
    const size_t n = std::min(bytes.size(), 64 - used);
    if (n == 64) {
      block(bytes.data());
    } else {
      std::memcpy(pending_.data() + used, bytes.data(), n);
      if (used + n == 64) block(pending_.data());
    }
    size_ += n;
    bytes = bytes.subspan(n);
  }
}

std::string Md5::finish() {
  const uint64_t bits = size_ * 8;
  const uint8_t one = 0x80, zero = 0;
  add({&one, 1});
  while (size_ % 64 != 56) add({&zero, 1});
  uint8_t length[8];
  for (int i = 0; i < 8; ++i) length[i] = static_cast<uint8_t>(bits >> (8 * i));
  add(length);
  std::string hex;
  for (const uint32_t word : state_) {
    for (int i = 0; i < 8; ++i) {
      const uint32_t byte = word >> (8 * (i / 2)) & 255;
      hex.push_back("0123456789abcdef"[i % 2 == 0 ? byte >> 4 : byte & 15]);
    }
  }
  return hex;
}

}  // namespace ctv::tools
