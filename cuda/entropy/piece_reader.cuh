// SPDX-License-Identifier: BSD-3-Clause
// RansReader (codec/entropy/model/rans.hpp) for a warp whose lanes all make the same calls: each lane tries
// one symbol, so that a symbol costs one access to its table and no search.
#pragma once

#include "codec/entropy/model/rans.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

class PieceReader {
 public:
  /// bytes: at an even address. It may read five bytes beyond the end, which mean nothing.
  __device__ PieceReader(const SymbolTable* tables, const uint8_t* bytes, uint32_t size, uint32_t lane)
      : tables_(tables), bytes_(bytes), size_(size), lane_(lane % kTableSymbols) {
    state_ = word_at(0);
    at_ = 2;
    if (size > 2) {
      state_ |= word_at(2) << 16;
      at_ = 4;
    }
    word_ = word_at(at_);
    next_word_ = word_at(at_ + 2);
  }
  __device__ __forceinline__ uint32_t symbol(uint32_t table, uint32_t) {
    const uint16_t* const begins = tables_[table].begin + lane_;
    return find(begins[0], begins[1], true) % kTableSymbols;
  }
  /// The last of the lanes that take part whose symbol begins at or before the slot; lanes have a table's
  /// symbols in order. end: where the next one begins, or 0 of the last.
  __device__ __forceinline__ uint32_t find(uint32_t begin, uint32_t end, bool takes_part) {
    const uint32_t slot = state_ & (kWhole - 1);
    const uint32_t through = __ballot_sync(kAllLanes, takes_part && begin <= slot);
    // What follows from the lane's symbol is ready when the symbol is known.
    const uint32_t next = ((end - begin) & (kWhole - 1)) * (state_ >> kProbabilityBits) + slot - begin;
    const bool due = next < kLeastState && at_ < size_;
    const uint32_t dues = __ballot_sync(kAllLanes, due);
    const int found = 31 - __clz(static_cast<int>(through));  // symbol 0 begins at 0
    state_ = __shfl_sync(kAllLanes, due ? next << 16 | word_ : next, found);
    go_on((dues >> found & 1U) != 0);
    return static_cast<uint32_t>(found);
  }
  __device__ __forceinline__ uint32_t raw(uint32_t bits) {
    const uint32_t value = state_ & ((1U << bits) - 1);
    state_ >>= bits;
    const bool due = state_ < kLeastState && at_ < size_;
    state_ = due ? state_ << 16 | word_ : state_;
    go_on(due);
    return value;
  }
  __device__ bool sound() const { return at_ == size_ && state_ == kFirstState; }

 private:
  __device__ uint32_t word_at(uint32_t at) const { return *reinterpret_cast<const uint16_t*>(bytes_ + at); }
  // The next two words wait in registers, so that nothing waits for them. The second one is read again where
  // none was due, since a branch costs more.
  __device__ __forceinline__ void go_on(bool due) {
    word_ = due ? next_word_ : word_;
    at_ += due ? 2 : 0;
    next_word_ = word_at(at_ + 2);
  }

  const SymbolTable* tables_;
  const uint8_t* bytes_;
  uint32_t size_, at_, state_, word_, next_word_;
  uint32_t lane_;
};

}  // namespace ctv::cuda
