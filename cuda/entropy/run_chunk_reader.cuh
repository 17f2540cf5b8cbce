// SPDX-License-Identifier: BSD-3-Clause
// A warp decodes a chunk of levels, with the levels and the result of decode_run_chunk().
//
// The start of a code is known only after the code before it. But a reader that starts anywhere soon
// synchronises with the codes, and is right from there on. So each lane reads a part of the bits from a
// guessed start, and reads again from the end of the lane before if that differs, until all agree (Klein and
// Wiseman, Parallel Huffman decoding with applications to JPEG files, 2003). This takes two or three rounds,
// and at most 32. Then all output positions are known.
#pragma once

#include "codec/model/run_chunk.hpp"
#include "codec/model/run_index.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

/// A DEFLATE stream as 64-bit words. Bits after its end are arbitrary: the chunk is damaged then, since it
/// does not end where it should.
struct StreamWords {
  const uint64_t* words;
  uint64_t last;  // last word that can be read with the one before
  __device__ uint64_t load(uint64_t at) const {
    const uint64_t word = min_of(at >> 6, last - 1);
    const auto shift = static_cast<uint32_t>(at & 63U);
    const uint64_t low = words[word] >> shift;
    return shift == 0 ? low : low | words[word + 1] << (64 - shift);
  }
};

/// Bytes of a chunk, in shared memory.
struct RunChunkBytes {
  alignas(4) uint8_t heads[kRunChunk];
  uint16_t numbers[kRunChunk];  // of heads with tails, in order
};

/// Codes of heads or of tails, and the bits of a chunk to read.
struct ChunkCodes {
  const uint16_t* entries;
  uint32_t mask;
  uint64_t begin;  // in the stream
  uint32_t bits;
};

/// Calls put(entry) for the codes that start in [at, end), in bits of the chunk. Returns the start of the
/// next code.
template <typename Put>
__device__ __forceinline__ uint32_t read_codes(const StreamWords& stream, const ChunkCodes& codes,
                                               uint32_t at, uint32_t end, Put put) {
  constexpr uint32_t kCodesOfWord = 64 / kMostCodeBits;
  const uint32_t most = kCodesOfWord * static_cast<uint32_t>(__popc(codes.mask));
  uint64_t bits = 0;
  const auto read = [&] {
    const uint32_t entry = codes.entries[static_cast<uint32_t>(bits) & codes.mask];
    bits >>= entry & 15U;
    at += entry & 15U;
    put(entry);
  };
  while (at < end && at + most <= end) {  // no branch between codes
    bits = stream.load(codes.begin + at);
#pragma unroll
    for (uint32_t k = 0; k < kCodesOfWord; ++k) read();
  }
  while (at < end) {
    bits = stream.load(codes.begin + at);
    for (uint32_t k = 0; k < kCodesOfWord && at < end; ++k) read();
  }
  return at;
}

/// Prefix sum over the lanes, including this one.
__device__ __forceinline__ uint32_t sum_through(uint32_t v) {
  for (uint32_t step = 1; step < kWarp; step *= 2) {
    const uint32_t other = __shfl_up_sync(kAllLanes, v, step);
    if (threadIdx.x % kWarp >= step) v += other;
  }
  return v;
}

/// The codes of a chunk that a lane reads; count: number of those that count.
struct LaneCodes {
  uint32_t begin, end;  // in bits of the chunk
  uint32_t count;
  uint32_t last;  // entry of the last code; 0: none
};

/// Finds the start of each lane's codes. counts(entry): whether a code counts. Returns false, in all lanes,
/// unless the last code ends with the chunk.
template <typename Counts>
__device__ __forceinline__ bool find_starts(const StreamWords& stream, const ChunkCodes& codes, Counts counts,
                                            LaneCodes& own) {
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t part = (codes.bits + kWarp - 1) / kWarp;
  own = {min_of(lane * part, codes.bits), min_of((lane + 1) * part, codes.bits), 0, 0};
  uint32_t next = 0;
  bool moved = true;
  do {
    if (moved) {
      own.count = own.last = 0;
      next = read_codes(stream, codes, own.begin, own.end, [&](uint32_t entry) {
        own.count += counts(entry) ? 1 : 0;
        own.last = entry;
      });
    }
    const uint32_t before = __shfl_up_sync(kAllLanes, next, 1);
    const uint32_t right = lane == 0 ? 0 : before;
    moved = right != own.begin;
    own.begin = right;
  } while (__any_sync(kAllLanes, moved) != 0);
  return __shfl_sync(kAllLanes, next, kWarp - 1) == codes.bits;
}

/// Reads the heads of a chunk. Returns their number in all lanes, or ~0 for more than `most` or other damage.
__device__ __forceinline__ uint32_t read_heads(const StreamWords& stream, const ChunkCodes& codes,
                                               uint32_t most, uint8_t* heads) {
  LaneCodes own;
  if (!find_starts(
          stream, codes, [](uint32_t) { return true; }, own))
    return ~0U;
  const uint32_t through = sum_through(own.count);
  const uint32_t all = __shfl_sync(kAllLanes, through, kWarp - 1);
  if (all > most) return ~0U;
  uint8_t* to = heads + (through - own.count);
  uint32_t flags = 0;
  read_codes(stream, codes, own.begin, own.end, [&](uint32_t entry) {
    flags |= entry;
    *to++ = static_cast<uint8_t>(entry >> 8 | ((entry & (kHasTail | kIsRun)) == kHasTail ? 128U : 0U));
  });
  return __any_sync(kAllLanes, (flags & kRareSymbol) != 0) != 0 ? ~0U : all;
}

/// Reads the tails of a chunk, of one or two codes. Returns their number in all lanes, or ~0 for more than
/// `most` or other damage.
__device__ __forceinline__ uint32_t read_tails(const StreamWords& stream, const ChunkCodes& codes,
                                               uint32_t most, uint16_t* numbers) {
  const auto goes_on = [](uint32_t entry) { return (entry & kRareSymbol) != 0; };
  LaneCodes own;
  if (!find_starts(
          stream, codes, [&](uint32_t entry) { return !goes_on(entry); }, own))
    return ~0U;
  const uint32_t through = sum_through(own.count);
  const uint32_t all = __shfl_sync(kAllLanes, through, kWarp - 1);
  if (all > most) return ~0U;
  // The first code of a tail may be the last code of the nearest earlier lane that has any.
  const uint32_t having = __ballot_sync(kAllLanes, own.last != 0);
  const uint32_t earlier = having & ((1U << threadIdx.x % kWarp) - 1);
  const uint32_t left = __shfl_sync(kAllLanes, own.last, 31 - __clz(static_cast<int>(earlier | 1)));
  bool second = earlier != 0 && goes_on(left);
  uint32_t low = left >> 8;
  uint16_t* to = numbers + (through - own.count);
  bool damaged = false;
  read_codes(stream, codes, own.begin, own.end, [&](uint32_t entry) {
    const bool first_of_two = goes_on(entry);
    damaged = damaged || (entry & kIsRun) != 0 || (second && first_of_two);
    if (!first_of_two) *to++ = static_cast<uint16_t>(second ? low | entry >> 8 << 7 : entry >> 8);
    second = first_of_two;
    low = entry >> 8;
  });
  const uint32_t open = __ballot_sync(kAllLanes, own.last != 0 && goes_on(own.last));
  const bool ends = having == 0 || (open >> (31 - __clz(static_cast<int>(having))) & 1U) == 0;
  return __any_sync(kAllLanes, damaged) != 0 || !ends ? ~0U : all;
}

/// Makes levels of heads and numbers. Calls levels.put(i, level) for levels outside runs. Returns, in all
/// lanes, whether these are exactly `count` levels.
template <typename Levels>
__device__ __forceinline__ bool join_levels(const RunChunkBytes& bytes, uint32_t heads, uint32_t numbers,
                                            bool runs, const Levels& levels, uint32_t count) {
  constexpr uint32_t kEach = 4;  // heads per lane
  const uint32_t lane = threadIdx.x % kWarp;
  uint32_t number = 0;  // index of the next one
  uint32_t place = 0;   // of the next level
  uint32_t before = 0;  // previous level, modulo 2^16
  for (uint32_t first = 0; first < heads; first += kEach * kWarp) {
    const uint32_t at = first + kEach * lane;
    const uint32_t own = at < heads ? min_of(heads - at, kEach) : 0;
    const uint32_t word = own > 0 ? *reinterpret_cast<const uint32_t*>(bytes.heads + at) : 0;
    uint32_t tails = 0;
    uint32_t head[kEach];
    bool run[kEach], tailed[kEach];
#pragma unroll
    for (uint32_t k = 0; k < kEach; ++k) {
      head[k] = word >> (8 * k) & 255U;
      run[k] = runs && k < own && head[k] == 0;
      tailed[k] = k < own && (run[k] || head[k] >= 128);
      tails += tailed[k] ? 1 : 0;
    }
    const uint32_t tails_through = sum_through(tails);
    uint32_t next = number + tails_through - tails;
    number += __shfl_sync(kAllLanes, tails_through, kWarp - 1);
    if (number > numbers) return false;
    uint32_t sum = 0;         // number of levels
    uint32_t difference = 0;  // without runs: the lane's last level minus the one before its first
    bool sound = true;
    uint32_t to[kEach], level[kEach];
#pragma unroll
    for (uint32_t k = 0; k < kEach; ++k) {
      const uint32_t tail = tailed[k] ? bytes.numbers[next++] : 0;
      const uint32_t z = run[k] ? 0 : (head[k] & 127U) | tail << 7;
      sound = sound && z <= kMostZigzag;
      to[k] = sum;
      sum += k < own ? (run[k] ? 1 + tail : 1) : 0;
      level[k] = static_cast<uint32_t>(unzigzag(z));
      if (k < own) difference += level[k];
      if (!runs) level[k] = difference;
    }
    if (__any_sync(kAllLanes, !sound) != 0) return false;
    const uint32_t through = sum_through(runs ? sum : difference);
    const uint32_t all = __shfl_sync(kAllLanes, through, kWarp - 1);
    const uint32_t left = runs ? place + through - sum : at;
    const uint32_t base = runs ? 0 : before + through - difference;
#pragma unroll
    for (uint32_t k = 0; k < kEach; ++k) {
      if (k < own && !run[k] && left + to[k] < count)
        levels.put(left + to[k], static_cast<Level>(base + level[k]));
    }
    if (runs) {
      place += all;
    } else {
      before += all;
    }
  }
  return (runs ? place : heads) == count && number == numbers;
}

/// levels: with runs, must be 0 before.
template <typename Levels>
__device__ __forceinline__ bool read_chunk(const StreamWords& stream, const RunTables& tables,
                                           const RunChunkPlace& place, bool runs, RunChunkBytes& bytes,
                                           const Levels& levels, uint32_t count) {
  const ChunkCodes of_heads{tables.heads, tables.head_mask, place.heads,
                            static_cast<uint32_t>(place.heads_end - place.heads)};
  const uint32_t heads = read_heads(stream, of_heads, count, bytes.heads);
  if (heads == ~0U) return false;
  const ChunkCodes of_tails{tables.tails, tables.tail_mask, place.tails,
                            static_cast<uint32_t>(place.tails_end - place.tails)};
  const uint32_t numbers = read_tails(stream, of_tails, kRunChunk, bytes.numbers);
  if (numbers == ~0U) return false;
  __syncwarp();
  return join_levels(bytes, heads, numbers, runs, levels, count);
}

}  // namespace ctv::cuda
