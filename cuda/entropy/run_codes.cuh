// SPDX-License-Identifier: BSD-3-Clause
// What a block of kRunThreads threads needs to make the codes of a component: sums, sorted keys, codes.
#pragma once

#include "codec/entropy/model/deflate_block.hpp"
#include "cuda/entropy/run_symbols.cuh"

namespace ctv::cuda {

constexpr uint32_t kSortedKeys = 512;  // a power of two, from 257 on
static_assert(kSortedKeys == 2 * kRunThreads);

/// Sum over a block of kRunThreads, in all threads. sums: [kRunWarps], shared.
__device__ __forceinline__ uint64_t block_sum(uint64_t v, uint64_t* sums) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) v += __shfl_xor_sync(kAllLanes, v, offset);
  __syncthreads();  // the sums before have been read
  if (threadIdx.x % kWarp == 0) sums[threadIdx.x / kWarp] = v;
  __syncthreads();
  uint64_t sum = 0;
  for (uint32_t w = 0; w < kRunWarps; ++w) sum += sums[w];
  return sum;
}

/// Sorts kSortedKeys keys in shared memory (Batcher's bitonic sort).
__device__ __forceinline__ void sort_keys(uint32_t* keys) {
  for (uint32_t size = 2; size <= kSortedKeys; size *= 2) {
    for (uint32_t step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      // Each of 256 threads has one pair.
      const uint32_t low = (threadIdx.x / step) * 2 * step + threadIdx.x % step;
      const uint32_t a = keys[low];
      const uint32_t b = keys[low + step];
      if (((low & size) == 0) == (a > b)) {
        keys[low] = b;
        keys[low + step] = a;
      }
    }
  }
  __syncthreads();
}

/// Adds bits to a stream, where they are 0 before. By one thread.
__device__ __forceinline__ void add_bits(uint32_t* stream, uint64_t at, uint32_t value, uint32_t count) {
  if (count == 0) return;
  const uint32_t shift = static_cast<uint32_t>(at & 31U);
  stream[at >> 5] |= value << shift;
  if (shift + count > 32) stream[(at >> 5) + 1] |= value >> (32 - shift);
}

/// What a warp makes of the counts of heads or of tails.
struct BlockMaker {
  uint32_t keys[kSortedKeys];
  uint32_t weights[kCodedSymbols];
  uint32_t symbols;
  DeflateBlock block;
  BlockScratch scratch;
  uint32_t first[16];  // code of each length
};

/// As make_codes(), for one symbol.
__device__ __forceinline__ uint32_t code_of(const BlockMaker& maker, uint32_t symbol) {
  const uint32_t length = maker.block.lengths[symbol];
  if (length == 0) return 0;
  uint32_t code = maker.first[length];
  for (uint32_t s = 0; s < symbol; ++s) code += maker.block.lengths[s] == length ? 1 : 0;
  return length << 16 | reverse_bits(code, length);
}

}  // namespace ctv::cuda
