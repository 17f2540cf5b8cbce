// SPDX-License-Identifier: BSD-3-Clause
// RansReader (codec/model/rans.hpp) for a warp, for the shortest time from a state to the next. Each lane
// tests one symbol, and prepares the state after it; a reduction over the lanes returns the state of the lane
// that was right. Bytes and tables are in shared memory, addressed by numbers in one register: with pointers
// the compiler finds the block's shared memory again and again.
#pragma once

#include "codec/model/rans.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

/// Words of a piece in shared memory.
constexpr uint32_t kPieceWords = 4096;

/// Address in shared memory, in one register.
using SharedAddress = uint32_t;
__device__ __forceinline__ SharedAddress address_of(const uint16_t* shared) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(shared));
}
__device__ __forceinline__ uint32_t load_shared(SharedAddress at) {
  uint32_t v;
  asm volatile("ld.shared.u16 %0, [%1];" : "=r"(v) : "r"(at));
  return v;
}

/// Number of the highest bit: log2_of() in one instruction.
__device__ __forceinline__ uint32_t highest_bit(uint32_t v) {
  uint32_t bit;
  asm("bfind.u32 %0, %1;" : "=r"(bit) : "r"(v));
  return bit;
}

/// The interval of a lane's symbol, lane % kTableSymbols.
struct Interval {
  uint32_t begin, size;
};

/// RansReader (codec/model/rans.hpp) for a warp. All lanes call all functions together and get the same
/// values.
class IntervalReader {
 public:
  /// bytes: at an even address; a byte after an odd end may be read. words: kPieceWords of shared memory, and
  /// one more that is read early.
  __device__ __forceinline__ IntervalReader(const uint8_t* bytes, uint32_t size, uint16_t* words, int lane)
      : from_(reinterpret_cast<const uint16_t*>(bytes)),
        words_(words),
        left_((size + 1) / 2),
        odd_(size % 2) {
    load(lane);
    state_ = word_;
    go_on(true);
    if (least_ == 0) return;
    state_ |= word_ << 16;
    go_on(true);
  }
  /// Decodes a symbol. meanwhile(): called while lanes exchange the state.
  template <typename Meanwhile>
  __device__ __forceinline__ uint32_t symbol(const Interval& own, Meanwhile meanwhile) {
    const uint32_t above = (state_ & (kWhole - 1)) - own.begin;
    const uint32_t next = own.size * (state_ >> kProbabilityBits) + above;
    const bool found = above < own.size;
    const uint32_t lanes = __ballot_sync(kAllLanes, found);  // kTableSymbols apart
    const uint32_t state = warp_or(found ? next : 0);
    meanwhile();
    advance(state);
    return highest_bit(lanes) % kTableSymbols;
  }
  __device__ __forceinline__ uint32_t symbol(const Interval& own) {
    return symbol(own, [] {});
  }
  /// Decodes symbol 0, which has an interval of `size`, without the other lanes; false: it is another one.
  __device__ __forceinline__ bool first_symbol(uint32_t size) {
    const uint32_t slot = state_ & (kWhole - 1);
    if (slot >= size) return false;
    advance(size * (state_ >> kProbabilityBits) + slot);
    return true;
  }
  __device__ __forceinline__ uint32_t raw(uint32_t bits) {
    const uint32_t value = state_ & ((1U << bits) - 1);
    advance(state_ >> bits);
    return value;
  }
  /// Makes sure that `words` words can be read, by loading more of a long piece.
  __device__ __forceinline__ void provide(uint32_t words, int lane) {
    if (at_ + 2 * words <= address_of(words_ + kPieceWords)) return;
    const uint32_t read = (at_ - address_of(words_)) / 2;
    from_ += read;
    left_ -= read;
    load(lane);
  }
  __device__ bool sound() const { return at_ == end_ && odd_ == 0 && state_ == kFirstState; }

 private:
  __device__ __forceinline__ void load(int lane) {
    __syncwarp();
    const uint32_t count = min_of(left_, kPieceWords);
    constexpr uint32_t kAtOnce = 8;  // loads of a lane
    for (uint32_t first = static_cast<uint32_t>(lane); first < count; first += kAtOnce * kWarp) {
      uint16_t words[kAtOnce];
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k)
        words[k] = first + k * kWarp < count ? from_[first + k * kWarp] : uint16_t{0};
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        if (first + k * kWarp < count) words_[first + k * kWarp] = words[k];
      }
    }
    __syncwarp();
    at_ = address_of(words_);
    end_ = at_ + 2 * left_;
    go_on(false);
  }
  __device__ __forceinline__ void advance(uint32_t state) {
    const bool due = state < least_;
    state_ = due ? state << 16 | word_ : state;
    go_on(due);
  }
  __device__ __forceinline__ void go_on(bool due) {
    at_ += due ? 2 : 0;
    word_ = load_shared(at_);
    least_ = at_ < end_ ? kLeastState : 0;
  }

  const uint16_t* from_;
  uint16_t* words_;
  uint32_t left_;  // words of the piece from from_ on; a damaged one may end in half a word
  uint32_t odd_;   // 1 if it ends in half a word
  uint32_t state_;
  SharedAddress at_, end_;  // of the next word, and after the last one of the piece
  uint32_t word_;           // the next one
  uint32_t least_;          // states below it take a word; 0 after the last one
};

}  // namespace ctv::cuda
