// SPDX-License-Identifier: BSD-3-Clause
// The way back from a piece's bytes (codec/entropy/model/rans.hpp), by a warp: each lane looks an event up
// and prepares its division, then all lanes pass the state through 32 events.
#pragma once

#include "codec/entropy/model/rans.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

/// Looked up by the writer; raw_event() is as it is.
__device__ __forceinline__ uint32_t symbol_event(uint32_t table, uint32_t s) {
  return table * kTableSymbols + s;
}

/// All lanes know the place, one writes.
struct WordsOfWarp {
  uint8_t* at;
  uint32_t lane;
  __device__ __forceinline__ void push(uint32_t word, bool due) {
    if (!due) return;
    at -= 2;
    if (lane == 0) *reinterpret_cast<uint16_t*>(at) = static_cast<uint16_t>(word);
  }
};

class PieceWriter {
 public:
  /// end: where the bytes end, a multiple of two. All lanes of the warp call all functions together.
  __device__ PieceWriter(const SymbolTable* tables, uint8_t* end, uint32_t lane)
      : tables_(tables), writer_({end, lane}), lane_(lane) {}

  /// Codes events from the last to the first.
  __device__ void put(const uint32_t* events, uint32_t count) {
    for (; count != 0; count -= min_of<uint32_t>(count, kWarp)) {
      const uint32_t round = min_of<uint32_t>(count, kWarp);
      // Of a symbol: its interval as size << 16 | begin, and a reciprocal of its size.
      uint32_t event = lane_ < round ? events[count - 1 - lane_] : kRawEvent;
      uint32_t reciprocal = 0;
      if ((event & kRawEvent) == 0) {
        const uint16_t* const begin = tables_[event / kTableSymbols].begin + event % kTableSymbols;
        const uint32_t size = (uint32_t{begin[1]} - begin[0]) & (kWhole - 1);
        event = size << 16 | begin[0];
        reciprocal = size == 0 ? 0 : rans_reciprocal(size);
      }
      for (uint32_t i = 0; i < round; ++i) {
        const uint32_t next = __shfl_sync(kAllLanes, event, static_cast<int>(i));
        const uint32_t by = __shfl_sync(kAllLanes, reciprocal, static_cast<int>(i));
        if ((next & kRawEvent) != 0) {
          writer_.put_raw(next);
        } else {
          writer_.put(next, by);
        }
      }
    }
  }
  /// Writes the state. Returns where the bytes begin.
  __device__ const uint8_t* finish() { return writer_.finish().at; }

 private:
  const SymbolTable* tables_;
  RansWriter<WordsOfWarp> writer_;
  uint32_t lane_;
};

}  // namespace ctv::cuda
