// SPDX-License-Identifier: BSD-3-Clause
// RansReader (codec/entropy/model/rans.hpp) for a warp whose lanes all make the same calls: lane s tries
// symbol s, so that a symbol costs one access to its table and no search.
#pragma once

#include "codec/entropy/model/rans.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

class PieceReader {
 public:
  static constexpr bool kDecodes = true;
  /// bytes: at an even address. It may read two bytes beyond the end, which mean nothing.
  __device__ PieceReader(const SymbolTable* tables, const uint8_t* bytes, uint32_t size, uint32_t lane)
      : tables_(tables), bytes_(bytes), size_(size), lane_(lane % kTableSymbols) {
    state_ = word_at(0);
    at_ = 2;
    if (size > 2) {
      state_ |= word_at(2) << 16;
      at_ = 4;
    }
    word_ = at_ < size_ ? word_at(at_) : 0;
  }
  __device__ __forceinline__ uint32_t symbol(uint32_t table, uint32_t) {
    const uint16_t* const begins = tables_[table].begin + lane_;
    const uint32_t begin = begins[0];
    const uint32_t size = (begins[1] - begin) & (kWhole - 1);  // the last ends at the next table's 0
    const uint32_t slot = state_ & (kWhole - 1);
    const uint32_t through = __ballot_sync(kAllLanes, begin <= slot) & ((1U << kTableSymbols) - 1);
    const int s = 31 - __clz(static_cast<int>(through));  // symbol 0 begins at 0
    const uint32_t next = size * (state_ >> kProbabilityBits) + slot - begin;
    advance(__shfl_sync(kAllLanes, next, s));
    return static_cast<uint32_t>(s);
  }
  __device__ __forceinline__ uint32_t chosen(uint32_t table, uint32_t offset, uint32_t s) {
    return symbol(table + offset, s);
  }
  __device__ __forceinline__ uint32_t raw(uint32_t bits, uint32_t) {
    const uint32_t value = state_ & ((1U << bits) - 1);
    advance(state_ >> bits);
    return value;
  }
  __device__ bool sound() const { return at_ == size_ && state_ == kFirstState; }

 private:
  // One load, so that nothing waits for it before its word is due.
  __device__ uint32_t word_at(uint32_t at) const { return *reinterpret_cast<const uint16_t*>(bytes_ + at); }
  // The next word waits in a register, so that nothing waits for it.
  __device__ __forceinline__ void advance(uint32_t state) {
    const bool due = state < kLeastState && at_ < size_;
    state_ = due ? state << 16 | word_ : state;
    if (!due) return;
    at_ += 2;
    word_ = at_ < size_ ? word_at(at_) : 0;
  }

  const SymbolTable* tables_;
  const uint8_t* bytes_;
  uint32_t size_, at_, state_, word_;
  uint32_t lane_;
};

}  // namespace ctv::cuda
