// SPDX-License-Identifier: BSD-3-Clause
// The way back from run_encoder.hpp. Any bytes end in levels or in false, in time bounded by the component's
// levels.
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
  /// Writes every level of the component, whatever was there. False if the bytes are not exactly its
  /// encoding; the levels are then undefined.
  bool decode(std::span<const uint8_t> bytes, bool runs, std::span<Level* const> planes);

  // The steps of decode(). Several threads may decode different chunks after read().
  size_t chunks() const { return run_chunks(levels_); }
  /// Makes all levels 0 and reads the index and the codes. `bytes`, which are not empty, stay as they are
  /// until the last chunk is decoded.
  bool read(std::span<const uint8_t> bytes, bool runs, std::span<Level* const> planes);
  bool decode_chunk(size_t chunk, std::span<Level* const> planes) const;

 private:
  void make_tables();
  RunTables tables() const;

  Held held_{sizeof(RunDecoder)};
  std::vector<RunRange> ranges_;
  size_t levels_ = 0;
  std::span<const uint8_t> bytes_;  // of the DEFLATE stream
  bool runs_ = true;
  RunStream stream_;
  std::array<DeflateTable<kMostCodeBits>, 2> tables_;  // of heads and of tails
};

}  // namespace ctv
