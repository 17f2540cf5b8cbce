// SPDX-License-Identifier: BSD-3-Clause
// DEFLATE (RFC 1951) by libdeflate if available, else zlib. All buffers have fixed sizes, so a stream cannot
// expand beyond what its header allows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace ctv {

/// A compressor and a decompressor for one thread, reused without allocations.
class Deflater {
 public:
  Deflater();
  ~Deflater();
  Deflater(Deflater&&) noexcept;
  Deflater& operator=(Deflater&&) noexcept;

  /// Bytes that suffice for the output of `size` input bytes.
  static size_t bound(size_t size);
  /// Compresses into `out` (at least bound() bytes). Returns the bytes written.
  size_t deflate(std::span<const uint8_t> in, std::span<uint8_t> out);
  /// Decompresses. Returns false if `in` is damaged, does not fit in `out`, or is followed by other bytes.
  bool inflate(std::span<const uint8_t> in, std::span<uint8_t> out, size_t& written);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ctv
