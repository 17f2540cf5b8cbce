// SPDX-License-Identifier: BSD-3-Clause
// RansWriter (codec/model/rans.hpp) for a warp. All threads of a block look up events ahead, so that only the
// state is serial.
#pragma once

#include "codec/model/rans.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

/// An event to be looked up; raw_event() needs none.
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

/// Words in shared memory, from last to first, stored by one lane. A word that is not due is overwritten by
/// the next.
struct SharedWords {
  uint16_t* words;
  uint32_t at;
  bool writes;
  __device__ __forceinline__ void push(uint32_t word, uint32_t due) {
    if (writes) words[at - 1] = static_cast<uint16_t>(word);
    at -= due;
  }
};

template <uint32_t kMostEvents>
class PieceWriter {
 public:
  /// Words of the last events, in shared memory.
  static constexpr uint32_t kMostWords = kMostEvents + 1;  // and one that is not due
  using Buffer = uint16_t[kMostWords];

  /// end: end of the bytes, a multiple of two. All lanes of the warp must call all functions together.
  __device__ PieceWriter(Buffer& buffer, uint8_t* end, uint32_t lane)
      : writer_({buffer, kMostWords, lane == 0}), bytes_(end), lane_(lane) {}

  /// Events after the last of an array that are read early; their values do not matter.
  static constexpr uint32_t kReadBeyond = 2;
  /// Codes events in order, from a piece's last to its first. count: at most kMostEvents.
  __device__ void put(const ReadyEvent* events, uint32_t count) {
    ReadyEvent event = events[0];
    ReadyEvent next = events[1];
#pragma unroll 4
    for (uint32_t i = 0; i < count; ++i) {
      const ReadyEvent next_but_one = events[i + 2];
      writer_.put(event);
      event = next;
      next = next_but_one;
    }
    copy_words();
  }
  /// Writes the state. Returns the first byte.
  __device__ const uint8_t* finish() {
    writer_.finish();
    copy_words();
    return bytes_;
  }

 private:
  __device__ void copy_words() {
    SharedWords& words = writer_.words();
    const uint32_t count = kMostWords - words.at;
    bytes_ -= 2 * count;
    auto* const to = reinterpret_cast<uint16_t*>(bytes_);
    __syncwarp();
    for (uint32_t i = lane_; i < count; i += kWarp) to[i] = words.words[words.at + i];
    __syncwarp();
    words.at = kMostWords;
  }

  RansWriter<SharedWords> writer_;
  uint8_t* bytes_;
  uint32_t lane_;
};

}  // namespace ctv::cuda
