// SPDX-License-Identifier: BSD-3-Clause
// MD5 (RFC 1321), to identify pictures as dav1d, ffmpeg and conformance suites do. Not for security.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ctv::tools {

class Md5 {
 public:
  void add(std::span<const uint8_t> bytes);
  /// Returns the digest as 32 hexadecimal digits; the object must not be used afterwards.
  std::string finish();

 private:
  void block(const uint8_t* bytes);
  std::array<uint32_t, 4> state_{0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
  std::array<uint8_t, 64> pending_{};
  uint64_t size_ = 0;  // bytes added
};

}  // namespace ctv::tools
