// SPDX-License-Identifier: BSD-3-Clause
// Sources of bytes: a file, a pipe, or memory (tests, fuzzing). Readers of formats use this interface only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ctv::tools {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads up to into.size() bytes; 0 only at the end. Throws Failure(kFile) on a system error.
  virtual size_t read(std::span<uint8_t> into) = 0;
  /// Skips up to `bytes` bytes; fewer only at the end.
  virtual uint64_t skip(uint64_t bytes);
  /// Total bytes; nothing for a pipe.
  virtual std::optional<uint64_t> size() const = 0;
  /// Moves to an offset from the start; false for a pipe.
  virtual bool seek(uint64_t offset) = 0;
  /// Name for messages: a path, or "standard input".
  virtual const std::string& name() const = 0;
};

/// Reads until `into` is full or the source ends; returns the bytes read.
size_t read_fully(ByteSource& source, std::span<uint8_t> into);

/// Resizes `into` to `bytes` bytes and fills it, growing as bytes arrive, so that a wrong size in a header
/// costs no memory. Returns the bytes read, which are then the size of `into`.
template <typename Bytes>
size_t read_growing(ByteSource& source, Bytes& into, size_t bytes) {
  constexpr size_t kPiece = size_t{16} << 20;
  size_t done = 0;
  while (done < bytes) {
    const size_t piece = std::min(bytes - done, std::max(kPiece, into.size() - std::min(into.size(), done)));
    if (into.size() < done + piece) into.resize(done + piece);
    const size_t n = read_fully(source, std::span(into).subspan(done, piece));
    done += n;
    if (n < piece) break;
  }
  into.resize(done);
  return done;
}

/// path: "-" for standard input.
std::unique_ptr<ByteSource> open_source(const std::string& path);

class MemorySource : public ByteSource {
 public:
  /// seekable false: behaves like a pipe.
  explicit MemorySource(std::span<const uint8_t> bytes, bool seekable = true)
      : bytes_(bytes), seekable_(seekable) {}
  size_t read(std::span<uint8_t> into) override;
  std::optional<uint64_t> size() const override;
  bool seek(uint64_t offset) override;
  const std::string& name() const override { return name_; }

 private:
  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
  bool seekable_;
  std::string name_ = "memory";
};

}  // namespace ctv::tools
