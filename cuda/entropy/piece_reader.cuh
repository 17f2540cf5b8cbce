// SPDX-License-Identifier: BSD-3-Clause
// RansReader (codec/model/rans.hpp) for a warp whose lanes all make the same calls: each lane tests one
// symbol, so a symbol costs one table access and no search.
#pragma once

#include "codec/model/rans.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

class PieceReader {
 public:
  /// bytes: at an even address. Reads up to kReadBeyond bytes after the end, whose values do not matter, and
  /// up to six before the first byte.
  __device__ PieceReader(const SymbolTable* tables, const uint8_t* bytes, uint32_t size, uint32_t lane)
      : tables_(tables), rest_((size + 1) / 2), lane_(lane % kTableSymbols) {
    const uint32_t before = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(bytes) % sizeof(uint64_t)) / 2;
    next_ = reinterpret_cast<const uint64_t*>(bytes - 2 * before);
    odd_ = size % 2;
    words_ = *next_++ >> (16 * before);
    count_ = kWords - before;
    ahead_ = *next_++;
    state_ = word();
    go_on(true);
    if (rest_ == 0) return;
    state_ |= word() << 16;
    go_on(true);
  }
  __device__ __forceinline__ uint32_t symbol(uint32_t table, uint32_t) {
    const uint16_t* const begins = tables_[table].begin + lane_;
    return find(begins[0], begins[1], true) % kTableSymbols;
  }
  /// Finds the last participating lane whose symbol starts at or before the slot; lanes hold a table's
  /// symbols in order. end: start of the next symbol, or 0 for the last.
  __device__ __forceinline__ uint32_t find(uint32_t begin, uint32_t end, bool takes_part) {
    const uint32_t slot = state_ & (kWhole - 1);
    const uint32_t through = __ballot_sync(kAllLanes, takes_part && begin <= slot);
    // Each lane computes the state after its own symbol before the symbol is known.
    const uint32_t next = ((end - begin) & (kWhole - 1)) * (state_ >> kProbabilityBits) + slot - begin;
    const bool due = next < kLeastState && rest_ != 0;
    const uint32_t dues = __ballot_sync(kAllLanes, due);
    const int found = 31 - __clz(static_cast<int>(through));  // symbol 0 begins at 0
    state_ = __shfl_sync(kAllLanes, due ? next << 16 | word() : next, found);
    go_on((dues >> found & 1U) != 0);
    return static_cast<uint32_t>(found);
  }
  __device__ __forceinline__ uint32_t raw(uint32_t bits) {
    const uint32_t value = state_ & ((1U << bits) - 1);
    state_ >>= bits;
    const bool due = state_ < kLeastState && rest_ != 0;
    state_ = due ? state_ << 16 | word() : state_;
    go_on(due);
    return value;
  }
  __device__ bool sound() const { return rest_ + odd_ == 0 && state_ == kFirstState; }

  static constexpr uint32_t kReadBeyond = 4 * sizeof(uint64_t);

 private:
  static constexpr uint32_t kWords = 4;  // in 64 bits

  __device__ __forceinline__ uint32_t word() const { return static_cast<uint32_t>(words_) & 0xffffU; }
  // Keeps the next words in registers, so that nothing waits for memory.
  __device__ __forceinline__ void go_on(bool due) {
    const uint32_t one = due ? 1 : 0;
    words_ >>= 16 * one;
    rest_ -= one;
    count_ -= one;
    const bool empty = count_ == 0;
    words_ = empty ? ahead_ : words_;
    count_ = empty ? kWords : count_;
    if (empty) ahead_ = *next_++;
  }

  const SymbolTable* tables_;
  const uint64_t* next_;
  uint64_t words_, ahead_;  // next word lowest
  uint32_t count_;          // in words_
  uint32_t rest_;           // words of the piece; a damaged one may end in half a word
  uint32_t odd_;            // 1 if it ends in half a word
  uint32_t state_;
  uint32_t lane_;
};

}  // namespace ctv::cuda
