// SPDX-License-Identifier: BSD-3-Clause
// Codes and headers of DEFLATE blocks (deflate_block.hpp, huffman_lengths.hpp), one warp each, with equal
// results. The functions there are chains of hundreds of steps that each wait for shared memory. Here only
// the pairing of tree nodes is serial, in one lane; other steps process 32 symbols at once.
#pragma once

#include "codec/model/deflate_block.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

constexpr uint32_t kNoNode = ~0U;  // above any weight

/// Memory of a warp that makes a code, in shared memory.
struct CodeScratch {
  uint32_t inner[kCodedSymbols];       // weights of inner nodes, in order of creation
  uint16_t parents[kCodedSymbols];     // of inner nodes
  uint32_t nodes[kMostCodeBits + 1];   // inner nodes by depth; the last has all deeper ones
  uint32_t leaves[kMostCodeBits + 1];  // by depth
  uint32_t counts[16];                 // symbols of each length, then first codes
};

/// Data of a warp that makes a block of heads or tails, in shared memory.
struct BlockMaker {
  static constexpr uint32_t kKeys = 512;  // a power of two, at least 257
  uint32_t keys[kKeys];
  uint32_t weights[kCodedSymbols];
  uint32_t symbols;
  uint8_t lengths[kDeflateSymbols];
  uint32_t codes[kDeflateSymbols];  // as from make_codes()
  uint32_t header[kBlockHeaderWords];
  uint32_t header_bits;
  uint32_t starts[kCodedSymbols / kWarp + 1];  // mask of symbols where runs of equal lengths begin
  uint32_t token_keys[kWarp], token_counts[kLengthSymbols], token_codes[kLengthSymbols];
  uint8_t token_lengths[kLengthSymbols];
  CodeScratch scratch;
};

/// The tree of huffman_lengths(): parents of all inner nodes except the root. One thread keeps the next two
/// leaves and inner nodes in registers. Inner nodes must be kNoNode before, and keys after the last have the
/// greatest weight, so that loads need no conditions: with a condition, ptxas 13.0 reads inner[inner + 2]
/// (sm_90).
__device__ inline void pair_nodes(const uint32_t* keys, uint32_t symbols, CodeScratch& tree) {
  uint32_t leaf = 0;
  uint32_t inner = 0;
  uint32_t leaves[2] = {keys[0] >> kSymbolBits, keys[1] >> kSymbolBits};
  uint32_t nodes[2] = {kNoNode, kNoNode};
  for (uint32_t made = 0; made <= symbols - 2; ++made) {
    uint32_t weight = 0;
    for (int child = 0; child < 2; ++child) {
      if (leaves[0] <= nodes[0]) {
        weight += leaves[0];
        leaves[0] = leaves[1];
        leaves[1] = keys[++leaf + 1] >> kSymbolBits;
      } else {
        weight += nodes[0];
        tree.parents[inner] = static_cast<uint16_t>(made);
        nodes[0] = nodes[1];
        nodes[1] = tree.inner[++inner + 1];
      }
    }
    tree.inner[made] = weight;
    if (inner == made) {
      nodes[0] = weight;
    } else if (inner + 1 == made) {
      nodes[1] = weight;
    }
  }
}

/// huffman_lengths(), but leaves keys unchanged; two keys after the last must have the greatest weight. limit
/// <= kMostCodeBits.
__device__ inline void find_lengths(const uint32_t* keys, uint32_t symbols, uint32_t limit, CodeScratch& tree,
                                    uint8_t* lengths) {
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t root = symbols - 2;
  if (lane <= limit) tree.nodes[lane] = 0;
  for (uint32_t i = lane; i < symbols; i += kWarp) tree.inner[i] = kNoNode;
  __syncwarp();
  if (lane == 0) pair_nodes(keys, symbols, tree);
  __syncwarp();
  for (uint32_t node = lane; node <= root; node += kWarp) {
    uint32_t depth = 0;
    for (uint32_t above = node; above != root && depth < limit; ++depth) above = tree.parents[above];
    atomicAdd(&tree.nodes[depth], 1U);
  }
  __syncwarp();
  // An inner node replaces a leaf by two leaves one bit longer.
  if (lane <= limit) {
    const uint32_t made = lane > 0 ? 2 * tree.nodes[lane - 1] : 0;
    tree.leaves[lane] = lane == 0 || lane == limit ? made : made - tree.nodes[lane];
  }
  __syncwarp();
  if (lane == 0) {  // too deep: replaces the longest leaf that can grow
    uint32_t depth = limit - 1;
    for (uint32_t n = tree.nodes[limit]; n > 0; --n) {
      while (tree.leaves[depth] == 0) --depth;
      --tree.leaves[depth];
      tree.leaves[++depth] += 2;
      depth = min_of(depth, limit - 1);
    }
  }
  __syncwarp();
  for (uint32_t i = lane; i < symbols; i += kWarp) {
    uint32_t length = limit;
    for (uint32_t end = tree.leaves[limit]; i >= end; end += tree.leaves[length]) --length;
    lengths[keys[i] & kSymbolMask] = static_cast<uint8_t>(length);
  }
  __syncwarp();
}

/// make_codes(). counts: 16 elements of scratch memory.
__device__ inline void find_codes(const uint8_t* lengths, uint32_t symbols, uint32_t* counts,
                                  uint32_t* codes) {
  const uint32_t lane = threadIdx.x % kWarp;
  if (lane < 16) counts[lane] = 0;
  __syncwarp();
  for (uint32_t first = 0; first < symbols; first += kWarp) {
    const uint32_t s = first + lane;
    const uint32_t length = s < symbols ? lengths[s] : 0;
    const uint32_t equal = __match_any_sync(kAllLanes, length);
    const auto before = static_cast<uint32_t>(__popc(equal & ((1U << lane) - 1)));
    if (s < symbols) codes[s] = counts[length] + before;
    __syncwarp();
    if (before == 0) counts[length] += static_cast<uint32_t>(__popc(equal));
    __syncwarp();
  }
  uint32_t code = 0;
  for (uint32_t i = 1; i < lane && i < 16; ++i) code = (code + counts[i]) << 1;
  __syncwarp();
  if (lane < 16) counts[lane] = code;
  __syncwarp();
  for (uint32_t s = lane; s < symbols; s += kWarp) {
    const uint32_t length = lengths[s];
    codes[s] = length == 0 ? 0 : length << 16 | __brev(counts[length] + codes[s]) >> (32 - length);
  }
  __syncwarp();
}

/// Adds bits to a stream where they are still 0. Other threads may add bits at the same time.
__device__ __forceinline__ void add_bits(uint32_t* stream, uint64_t at, uint32_t value, uint32_t count) {
  const auto shift = static_cast<uint32_t>(at & 31U);
  if (value << shift != 0) atomicOr(&stream[at >> 5], value << shift);
  if (shift + count > 32) atomicOr(&stream[(at >> 5) + 1], value >> (32 - shift));
}

/// Calls work(length, run) in the lane of each symbol, of 32 from `first` on, where a run of equal lengths
/// begins.
template <typename Work>
__device__ __forceinline__ void for_own_run(const BlockMaker& maker, uint32_t first, Work work) {
  const uint32_t s = first + threadIdx.x % kWarp;
  if (s >= kCodedSymbols || (maker.starts[s / kWarp] >> s % kWarp & 1U) == 0) return;
  uint32_t word = (s + 1) / kWarp;
  uint32_t bits = maker.starts[word] & ~0U << (s + 1) % kWarp;
  while (bits == 0) bits = maker.starts[++word];
  work(uint32_t{maker.lengths[s]},
       word * kWarp + static_cast<uint32_t>(__ffs(static_cast<int>(bits))) - 1 - s);
}

/// Makes the code length code.
__device__ inline void find_token_codes(BlockMaker& maker) {
  const uint32_t lane = threadIdx.x % kWarp;
  for (uint32_t first = 0; first <= kCodedSymbols; first += kWarp) {
    const uint32_t s = first + lane;
    // A run also begins after the last symbol.
    const bool begins =
        s == 0 || s == kCodedSymbols || (s < kCodedSymbols && maker.lengths[s] != maker.lengths[s - 1]);
    const uint32_t bits = __ballot_sync(kAllLanes, begins);
    if (lane == 0) maker.starts[first / kWarp] = bits;
  }
  if (lane < kLengthSymbols) {
    maker.token_counts[lane] = lane == 0 ? 1 : 0;  // the distance code has length 0
    maker.token_lengths[lane] = 0;
  }
  __syncwarp();
  for (uint32_t first = 0; first < kCodedSymbols; first += kWarp) {
    for_own_run(maker, first, [&](uint32_t length, uint32_t run) {
      for_length_tokens(length, run,
                        [&](uint32_t symbol, uint32_t) { atomicAdd(&maker.token_counts[symbol], 1U); });
    });
  }
  __syncwarp();
  const uint32_t count = lane < kLengthSymbols ? maker.token_counts[lane] : 0;
  const uint32_t key = count > 0 ? weight_key(count, 0, lane) : ~lane;
  uint32_t place = 0;
  for (int i = 0; i < kWarp; ++i) place += __shfl_sync(kAllLanes, key, i) < key ? 1 : 0;
  maker.token_keys[place] = key;
  const auto symbols = static_cast<uint32_t>(__popc(__ballot_sync(kAllLanes, count > 0)));
  __syncwarp();
  find_lengths(maker.token_keys, symbols, kMostLengthBits, maker.scratch, maker.token_lengths);
  find_codes(maker.token_lengths, kLengthSymbols, maker.scratch.counts, maker.token_codes);
}

/// put_dynamic_header().
__device__ inline void put_header(bool last, BlockMaker& maker) {
  const uint32_t lane = threadIdx.x % kWarp;
  find_token_codes(maker);
  const uint32_t length = lane < kLengthSymbols ? maker.token_lengths[length_symbol_at(lane)] : 0;
  const auto sent =
      32 - static_cast<uint32_t>(__clz(static_cast<int>(__ballot_sync(kAllLanes, length != 0))));
  for (uint32_t i = lane; i < kBlockHeaderWords; i += kWarp) maker.header[i] = 0;
  __syncwarp();
  if (lane == 0) add_bits(maker.header, 0, (last ? 1 : 0) | 2U << 1 | (sent - 4) << 13, 17);
  if (lane < sent) add_bits(maker.header, 17 + 3 * lane, length, 3);
  uint32_t at = 17 + 3 * sent;
  const auto bits_of = [&](uint32_t symbol) {
    return (maker.token_codes[symbol] >> 16) + token_extra_bits(symbol);
  };
  for (uint32_t first = 0; first < kCodedSymbols; first += kWarp) {
    uint32_t own = 0;
    for_own_run(maker, first, [&](uint32_t l, uint32_t run) {
      for_length_tokens(l, run, [&](uint32_t symbol, uint32_t) { own += bits_of(symbol); });
    });
    uint32_t through = own;
    for (uint32_t step = 1; step < kWarp; step *= 2) {
      const uint32_t other = __shfl_up_sync(kAllLanes, through, step);
      if (lane >= step) through += other;
    }
    uint32_t to = at + through - own;
    for_own_run(maker, first, [&](uint32_t l, uint32_t run) {
      for_length_tokens(l, run, [&](uint32_t symbol, uint32_t extra) {
        const uint32_t code = maker.token_codes[symbol];
        add_bits(maker.header, to, (code & 0xffffU) | extra << (code >> 16), bits_of(symbol));
        to += bits_of(symbol);
      });
    });
    at += __shfl_sync(kAllLanes, through, kWarp - 1);
  }
  if (lane == 0) {
    add_bits(maker.header, at, maker.token_codes[0] & 0xffffU, bits_of(0));
    maker.header_bits = at + bits_of(0);
  }
  __syncwarp();
}

/// huffman_lengths(), make_block() and make_codes(). keys must be sorted, and lengths 0 before.
__device__ inline void make_block(bool last, BlockMaker& maker) {
  const uint32_t lane = threadIdx.x % kWarp;
  find_lengths(maker.keys, maker.symbols, kMostCodeBits, maker.scratch, maker.lengths);
  put_header(last, maker);
  uint32_t dynamic = 0;  // a sum of weights is below 2^23
  uint32_t fixed = 0;
  for (uint32_t s = lane; s < kCodedSymbols; s += kWarp) {
    dynamic += maker.weights[s] * maker.lengths[s];
    fixed += maker.weights[s] * fixed_length(s);
  }
  dynamic = warp_sum(dynamic) + maker.header_bits;
  fixed = warp_sum(fixed) + 3;
  __syncwarp();
  if (dynamic >= fixed) {
    for (uint32_t s = lane; s < kDeflateSymbols; s += kWarp) {
      maker.lengths[s] = static_cast<uint8_t>(fixed_length(s));
    }
    if (lane == 0) {
      maker.header[0] = (last ? 1 : 0) | 1U << 1;
      maker.header_bits = 3;
    }
    __syncwarp();
  }
  find_codes(maker.lengths, kDeflateSymbols, maker.scratch.counts, maker.codes);
}

}  // namespace ctv::cuda
