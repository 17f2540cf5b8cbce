// SPDX-License-Identifier: BSD-3-Clause
// A warp decodes a chunk of levels, with the levels and the verdict of decode_run_chunk().
//
// Where a code of a chunk begins is known only when those before it were read. But a reader that begins
// anywhere soon comes upon the beginning of a code, and from there on finds the right ones. So each lane
// reads a part of the bits, from a place that may be wrong, and again from where the lane before has ended if
// that is another place, until all agree (Klein and Wiseman, Parallel Huffman decoding with applications to
// JPEG files, 2003). This takes two or three rounds, and 32 at most. Then all know where their bytes go.
#pragma once

#include "codec/entropy/model/run_chunk.hpp"
#include "codec/entropy/model/run_index.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

/// A DEFLATE stream as words of 64 bits. Beyond its end any bits may come: the chunk is damaged then, since
/// it does not end where it should.
struct StreamWords {
  const uint64_t* words;
  uint64_t last;  // word that can be read with the one before it
  __device__ uint64_t load(uint64_t at) const {
    const uint64_t word = min_of(at >> 6, last - 1);
    const auto shift = static_cast<uint32_t>(at & 63U);
    const uint64_t low = words[word] >> shift;
    return shift == 0 ? low : low | words[word + 1] << (64 - shift);
  }
};

/// Bytes of a chunk, in shared memory.
struct RunChunkBytes {
  static constexpr uint32_t kMostTails = 2 * kRunChunk;
  uint8_t heads[kRunChunk];
  uint8_t tails[kMostTails];
  uint16_t numbers[kWarp];  // tails of the heads that are taken at once
};

/// Codes of heads or of tails, and the bits of a chunk that are to be read.
struct ChunkCodes {
  const uint16_t* entries;
  uint32_t mask;
  uint64_t begin;  // bit of the stream
  uint32_t bits;
};

/// Calls put(entry) for the codes that begin in [at, end), bits from the chunk's first on. Returns where the
/// next one begins.
template <typename Put>
__device__ __forceinline__ uint32_t read_codes(const StreamWords& stream, const ChunkCodes& codes,
                                               uint32_t at, uint32_t end, Put put) {
  constexpr int kCodesOfWord = 64 / kMostCodeBits;
  while (at < end) {
    uint64_t bits = stream.load(codes.begin + at);
    for (int k = 0; k < kCodesOfWord && at < end; ++k) {
      const uint32_t entry = codes.entries[static_cast<uint32_t>(bits) & codes.mask];
      bits >>= entry & 15U;
      at += entry & 15U;
      put(entry);
    }
  }
  return at;
}

/// Sum over the lanes up to this one.
__device__ __forceinline__ uint32_t sum_through(uint32_t v) {
  for (uint32_t step = 1; step < kWarp; step *= 2) {
    const uint32_t other = __shfl_up_sync(kAllLanes, v, step);
    if (threadIdx.x % kWarp >= step) v += other;
  }
  return v;
}

/// All codes of a chunk's heads or tails to bytes, by byte_of(entry). Entries with a flag of `refused` are
/// damage. Returns how many there are, in all lanes, or ~0 if there are more than `most`, or the last does
/// not end with the chunk.
template <typename ByteOf>
__device__ __forceinline__ uint32_t read_bytes(const StreamWords& stream, const ChunkCodes& codes,
                                               uint32_t most, uint32_t refused, uint8_t* bytes,
                                               ByteOf byte_of) {
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t part = (codes.bits + kWarp - 1) / kWarp;
  const uint32_t end = min_of((lane + 1) * part, codes.bits);
  uint32_t begin = min_of(lane * part, codes.bits);
  uint32_t next = 0;
  uint32_t count = 0;
  bool moved = true;
  do {
    if (moved) {
      count = 0;
      next = read_codes(stream, codes, begin, end, [&](uint32_t) { ++count; });
    }
    const uint32_t before = __shfl_up_sync(kAllLanes, next, 1);
    const uint32_t right = lane == 0 ? 0 : before;
    moved = right != begin;
    begin = right;
  } while (__any_sync(kAllLanes, moved) != 0);
  const uint32_t through = sum_through(count);
  const uint32_t all = __shfl_sync(kAllLanes, through, kWarp - 1);
  if (all > most || __shfl_sync(kAllLanes, next, kWarp - 1) != codes.bits) return ~0U;
  uint8_t* to = bytes + (through - count);
  uint32_t flags = 0;
  read_codes(stream, codes, begin, end, [&](uint32_t entry) {
    flags |= entry;
    *to++ = byte_of(entry);
  });
  return __any_sync(kAllLanes, (flags & refused) != 0) != 0 ? ~0U : all;
}

/// Numbers of up to 32 heads from the tails [at, count), which begin with a number, to to.numbers. wanted:
/// how many there must be. Moves `at` behind them. Returns false if there are fewer, or one is too long.
__device__ __forceinline__ bool take_numbers(RunChunkBytes& to, uint32_t count, uint32_t wanted,
                                             uint32_t& at) {
  const uint32_t lane = threadIdx.x % kWarp;
  uint32_t found = 0;
  uint32_t end = at;
  bool sound = true;
  for (uint32_t half = 0; half < 2 && found < wanted; ++half) {
    const uint32_t i = at + half * kWarp + lane;
    const uint32_t byte = i < count ? to.tails[i] : 255;
    const uint32_t before = i < count && i > at ? to.tails[i - 1] : 0;
    const bool ends = byte < 128;
    const uint32_t ending = __ballot_sync(kAllLanes, ends);
    const uint32_t number = found + static_cast<uint32_t>(__popc(ending & ((1U << lane) - 1)));
    if (ends && number < wanted) {
      to.numbers[number] = static_cast<uint16_t>(before < 128 ? byte : (before & 127U) | byte << 7);
    }
    const uint32_t last = __ballot_sync(kAllLanes, ends && number + 1 == wanted);
    if (last != 0) end = at + half * kWarp + static_cast<uint32_t>(__ffs(static_cast<int>(last)));
    sound = sound && __any_sync(kAllLanes, i < count && !ends && before >= 128) == 0;
    found += static_cast<uint32_t>(__popc(ending));
  }
  at = end;
  __syncwarp();
  return sound && found >= wanted;
}

/// Levels from the bytes. levels.put(i, level) is called for those that are not in runs. Returns, in all
/// lanes, whether the bytes are exactly those of `count` levels.
template <typename Levels>
__device__ __forceinline__ bool join_bytes(RunChunkBytes& bytes, uint32_t heads, uint32_t tails, bool runs,
                                           const Levels& levels, uint32_t count) {
  const uint32_t lane = threadIdx.x % kWarp;
  uint32_t tail = 0;
  uint32_t place = 0;   // of the next level
  uint32_t before = 0;  // level, modulo 2^16
  for (uint32_t first = 0; first < heads; first += kWarp) {
    const bool is_head = first + lane < heads;
    const uint32_t head = is_head ? bytes.heads[first + lane] : 1;
    const bool run = runs && head == 0;
    const bool long_one = run || head >= 128;
    const uint32_t with_tails = __ballot_sync(kAllLanes, long_one);
    if (!take_numbers(bytes, tails, static_cast<uint32_t>(__popc(with_tails)), tail)) return false;
    const uint32_t number = long_one ? bytes.numbers[__popc(with_tails & ((1U << lane) - 1))] : 0;
    const uint32_t z = run ? 0 : (head & 127U) | number << 7;
    if (__any_sync(kAllLanes, z > kMostZigzag) != 0) return false;
    const uint32_t own = is_head ? (run ? 1 + number : 1) : 0;
    const uint32_t through = sum_through(own);
    auto level = static_cast<uint32_t>(unzigzag(z));
    if (!runs) {
      level = before + sum_through(is_head ? level : 0);
      before = __shfl_sync(kAllLanes, level, kWarp - 1);
    }
    const uint32_t to = place + through - own;
    if (is_head && !run && to < count) levels.put(to, static_cast<Level>(level));
    place += __shfl_sync(kAllLanes, through, kWarp - 1);
    __syncwarp();  // numbers have been read
  }
  return place == count && tail == tails;
}

/// levels: 0 before.
template <typename Levels>
__device__ __forceinline__ bool read_chunk(const StreamWords& stream, const RunTables& tables,
                                           const RunChunkPlace& place, bool runs, RunChunkBytes& bytes,
                                           const Levels& levels, uint32_t count) {
  const ChunkCodes of_heads{tables.heads, tables.head_mask, place.heads,
                            static_cast<uint32_t>(place.heads_end - place.heads)};
  const uint32_t heads = read_bytes(stream, of_heads, count, kRareSymbol, bytes.heads, [](uint32_t entry) {
    return static_cast<uint8_t>(entry >> 8 | ((entry & (kHasTail | kIsRun)) == kHasTail ? 128U : 0U));
  });
  if (heads == ~0U) return false;
  const ChunkCodes of_tails{tables.tails, tables.tail_mask, place.tails,
                            static_cast<uint32_t>(place.tails_end - place.tails)};
  const uint32_t tails =
      read_bytes(stream, of_tails, RunChunkBytes::kMostTails, kIsRun, bytes.tails, [](uint32_t entry) {
        return static_cast<uint8_t>(entry >> 8 | ((entry & kRareSymbol) != 0 ? 128U : 0U));
      });
  if (tails == ~0U) return false;
  __syncwarp();
  return join_bytes(bytes, heads, tails, runs, levels, count);
}

}  // namespace ctv::cuda
