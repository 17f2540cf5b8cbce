// SPDX-License-Identifier: BSD-3-Clause
// Inverse of run_encoder.hpp. Any bytes give levels or false, in time bounded by the number of levels.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/model/deflate_tables.hpp"
#include "codec/model/run_chunk.hpp"
#include "codec/model/run_ranges.hpp"
#include "codec/model/run_stream.hpp"
#include "codec/util/memory_budget.hpp"

namespace ctv {

class RunDecoder {
 public:
  explicit RunDecoder(std::vector<RunRange> ranges);
  /// Overwrites every level of the component. Returns false if the bytes are not exactly its encoding; levels
  /// are then undefined.
  bool decode(std::span<const uint8_t> bytes, bool runs, std::span<Level* const> planes);

  // The steps of decode(). After read(), several threads may decode different chunks.
  size_t chunks() const { return run_chunks(levels_); }
  /// Clears all levels and reads the index and the codes. `bytes` must not be empty, and remain valid until
  /// the last chunk is decoded.
  bool read(std::span<const uint8_t> bytes, bool runs, std::span<Level* const> planes);
  bool decode_chunk(size_t chunk, std::span<Level* const> planes) const;

 private:
  void make_tables();
  RunTables tables() const;

  Held held_{sizeof(RunDecoder)};
  std::vector<RunRange> ranges_;
  size_t levels_ = 0;
  std::span<const uint8_t> bytes_;  // the DEFLATE stream
  bool runs_ = true;
  RunStream stream_;
  std::array<DeflateTable<kMostCodeBits>, 2> tables_;  // of heads, of tails
};

}  // namespace ctv
