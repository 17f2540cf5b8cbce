// SPDX-License-Identifier: BSD-3-Clause
// DEFLATE (RFC 1951) by a library: libdeflate where it is there, else zlib. Buffers of known size only, so
// that a stream can never expand beyond what its header allows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace ctv {

/// One per thread of work; reused, so nothing is allocated per call.
class Deflater {
 public:
  Deflater();
  ~Deflater();
  Deflater(Deflater&&) noexcept;
  Deflater& operator=(Deflater&&) noexcept;

  /// Enough room for the output of any `size` input bytes.
  static size_t bound(size_t size);
  /// Compresses into `out` (at least bound() bytes); returns the bytes written.
  size_t deflate(std::span<const uint8_t> in, std::span<uint8_t> out);
  /// Decompresses; returns false if `in` is damaged, does not fit `out` or is followed by other bytes.
  bool inflate(std::span<const uint8_t> in, std::span<uint8_t> out, size_t& written);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ctv
