// SPDX-License-Identifier: BSD-3-Clause
// The way back from a piece's bytes (codec/entropy/model/rans.hpp), by a warp: what events say is looked up
// ahead, by all threads of a block, so that only the state goes from one event to the next.
#pragma once

#include "codec/entropy/model/rans.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

/// To be looked up; raw_event() is as it is.
__device__ __forceinline__ uint32_t symbol_event(uint32_t table, uint32_t s) {
  return table * kTableSymbols + s;
}

__device__ __forceinline__ ReadyEvent look_up(const SymbolTable* tables, uint32_t event) {
  if ((event & kRawEvent) == 0) {
    const uint16_t* const begin = tables[event / kTableSymbols].begin + event % kTableSymbols;
    event = ((uint32_t{begin[1]} - begin[0]) & (kWhole - 1)) << 16 | begin[0];
  }
  return ready_event(event);
}

/// All lanes know the place, one writes.
struct WordsOfWarp {
  uint8_t* at;
  uint32_t lane;
  __device__ __forceinline__ void push(uint32_t word, uint32_t due) {
    at -= 2 * due;
    if (lane == 0 && due != 0) *reinterpret_cast<uint16_t*>(at) = static_cast<uint16_t>(word);
  }
};

class PieceWriter {
 public:
  /// end: where the bytes end, a multiple of two. All lanes of the warp call all functions together.
  __device__ PieceWriter(uint8_t* end, uint32_t lane) : writer_({end, lane}) {}

  /// Codes events in their order, which is that from a piece's last to its first.
  __device__ void put(const ReadyEvent* events, uint32_t count) {
#pragma unroll 4
    for (uint32_t i = 0; i < count; ++i) writer_.put(events[i]);
  }
  /// Writes the state. Returns where the bytes begin.
  __device__ const uint8_t* finish() { return writer_.finish().at; }

 private:
  RansWriter<WordsOfWarp> writer_;
};

}  // namespace ctv::cuda
