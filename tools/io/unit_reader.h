// SPDX-License-Identifier: BSD-3-Clause
// Divides a stream of bytes into units (header, packets, index), from a file or a pipe, intact or damaged.
// The largest allowed unit bounds the memory; a wrong size costs only the bytes that actually arrive.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <ctv/ctv.h>

#include "cli/exit.h"
#include "io/byte_source.h"

namespace ctv::tools {

/// The stream ends inside a unit; all units before are whole.
class CutUnit : public Failure {
 public:
  explicit CutUnit(const std::string& message) : Failure(Exit::kStream, message) {}
};

struct StreamUnit {
  ctv_unit_kind kind = CTV_UNIT_HEADER;
  uint64_t offset = 0;             // from the start of the stream
  std::span<const uint8_t> bytes;  // prefix included; valid until the reader's next call
};

class UnitReader {
 public:
  explicit UnitReader(std::unique_ptr<ByteSource> source, uint64_t max_unit_size = uint64_t{1} << 30);
  /// Returns the next unit; nothing at a clean end. Throws CutUnit, or Failure: kStream for bytes that are no
  /// unit (message with offset), kLimit for a unit that is too large. The position stays at the bad unit.
  std::optional<StreamUnit> next();
  /// For files: reads about the size of the next unit while a decoder works on the last one. Errors are
  /// reported by next().
  void read_ahead();
  /// After a failure: goes to the next possible unit, at least one byte further. False: there is none.
  bool resynchronise();
  /// Whether a unit or the end follows the last unit; distinguishes a damaged size from a correct one.
  bool plausible_successor();
  /// For files: continues at an offset. False for a pipe.
  bool seek(uint64_t offset);

  uint64_t offset() const { return base_ + begin_; }
  ByteSource& source() { return *source_; }

 private:
  /// Makes `bytes` bytes available from begin_; returns the number available.
  size_t fill(size_t bytes);
  /// Removes returned bytes when they are most of the buffer, so that each byte moves only a few times.
  void forget();
  std::span<const uint8_t> available() const { return std::span(buffer_).subspan(begin_); }

  std::unique_ptr<ByteSource> source_;
  uint64_t max_unit_size_;
  std::vector<uint8_t> buffer_;
  size_t begin_ = 0;       // index in buffer_ of the first byte not yet returned
  uint64_t base_ = 0;      // stream offset of buffer_[0]
  uint64_t returned_ = 0;  // bytes of all units since seek()
  bool ended_ = false;     // the source has no more bytes than the buffer
  size_t last_size_ = 0;   // of the last unit, still in the buffer at begin_ - last_size_
};

struct StreamIndex {
  uint64_t offset = 0;  // of the index unit
  std::vector<ctv_index_entry> entries;
};
/// Reads the index at a file's end; nothing if there is none or it is damaged. The source's position is then
/// undefined.
std::optional<StreamIndex> read_index(ByteSource& source);

}  // namespace ctv::tools
