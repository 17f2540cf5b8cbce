// SPDX-License-Identifier: BSD-3-Clause
// The way back from a piece's bytes (codec/entropy/model/rans.hpp), by a warp: each lane looks an event up
// and prepares its division, then all lanes pass the state through 32 events.
#pragma once

#include "codec/entropy/model/rans.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

constexpr uint32_t kRawEvent = 1U << 31;
__device__ __forceinline__ uint32_t symbol_event(uint32_t table, uint32_t s) {
  return table * kTableSymbols + s;
}
__device__ __forceinline__ uint32_t raw_event(uint32_t bits, uint32_t value) {
  return kRawEvent | bits << 16 | value;
}

class PieceWriter {
 public:
  /// end: where the bytes end, a multiple of two. All lanes of the warp call all functions together.
  __device__ PieceWriter(const SymbolTable* tables, uint8_t* end, uint32_t lane)
      : tables_(tables), at_(end), lane_(lane) {}

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
        reciprocal = size == 0 ? 0 : UINT32_MAX / size;
      }
      for (uint32_t i = 0; i < round; ++i) {
        put(__shfl_sync(kAllLanes, event, static_cast<int>(i)),
            __shfl_sync(kAllLanes, reciprocal, static_cast<int>(i)));
      }
    }
  }
  /// Writes the state. Returns where the bytes begin.
  __device__ const uint8_t* finish() {
    const bool two_words = state_ >= kLeastState || words_;
    const uint32_t low = state_;
    state_ >>= 16;
    flush(two_words);
    state_ = low;
    flush(true);
    return at_;
  }

 private:
  __device__ __forceinline__ void put(uint32_t event, uint32_t reciprocal) {
    if ((event & kRawEvent) != 0) {
      const uint32_t bits = event >> 16 & 31U;
      flush(state_ >> (32 - bits) != 0);
      state_ = state_ << bits | (event & 0xffffU);
      return;
    }
    const uint32_t size = event >> 16;
    flush(state_ >> (32 - kProbabilityBits) >= size);
    // The reciprocal was rounded down, so the quotient is right or one too small.
    uint32_t quotient = __umulhi(state_, reciprocal);
    uint32_t rest = state_ - quotient * size;
    const uint32_t more = rest >= size ? 1 : 0;
    quotient += more;
    rest -= more * size;
    state_ = (quotient << kProbabilityBits) + rest + (event & 0xffffU);
  }
  __device__ __forceinline__ void flush(bool due) {
    if (!due) return;
    at_ -= 2;
    if (lane_ == 0) *reinterpret_cast<uint16_t*>(at_) = static_cast<uint16_t>(state_);
    state_ >>= 16;
    words_ = true;
  }

  const SymbolTable* tables_;
  uint8_t* at_;
  uint32_t lane_;
  uint32_t state_ = kFirstState;
  bool words_ = false;
};

}  // namespace ctv::cuda
