// SPDX-License-Identifier: BSD-3-Clause
// A chunk's levels and symbols, by a block of threads with eight levels each.
#pragma once

#include "codec/model/run_chunk.hpp"
#include "cuda/entropy/run_layout.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

constexpr uint32_t kRunThreads = 256;
constexpr uint32_t kRunWarps = kRunThreads / kWarp;
constexpr uint32_t kOwnLevels = kRunChunk / kRunThreads;
static_assert(kOwnLevels == 8);

/// Levels of all planes.
struct RunPlanes {
  const Level* levels[3];
};

/// In shared memory.
struct RunChunkLevels {
  Level levels[kRunChunk];           // 0 from the chunk's end on
  uint32_t nonzero[kRunChunk / 32];  // mask of levels
};

/// Copies a chunk of the component. Returns its number of levels in all threads, or 0 if all are 0.
__device__ inline uint32_t load_chunk(const DeviceRunComponent& component, const RunPlanes& planes,
                                      uint32_t chunk, RunChunkLevels& to) {
  const uint64_t first = uint64_t{chunk} * kRunChunk;
  const uint64_t left = component.ends[2] - first;
  const uint32_t count = left < kRunChunk ? static_cast<uint32_t>(left) : kRunChunk;
  for (uint32_t i = threadIdx.x; i < kRunChunk; i += kRunThreads) {
    Level level = 0;
    if (i < count) {
      const uint64_t at = first + i;
      const uint32_t r = at < component.ends[0] ? 0 : (at < component.ends[1] ? 1 : 2);
      level = planes.levels[component.planes[r]][component.offsets[r] + at];
    }
    to.levels[i] = level;
    const uint32_t bits =
        __ballot_sync(kAllLanes, level != 0);  // a warp has 32 levels that follow each other
    if (threadIdx.x % kWarp == 0) to.nonzero[i / kWarp] = bits;
  }
  __syncthreads();
  const int some = threadIdx.x < kRunChunk / 32 && to.nonzero[threadIdx.x] != 0 ? 1 : 0;
  return __syncthreads_or(some) != 0 ? count : 0;
}

/// Index of the first nonzero level from i on, or `count`.
__device__ inline uint32_t next_nonzero(const RunChunkLevels& chunk, uint32_t i, uint32_t count) {
  uint32_t word = i / 32;
  uint32_t bits = chunk.nonzero[word] & ~0U << i % 32;
  while (bits == 0 && (word + 1) * 32 < count) bits = chunk.nonzero[++word];
  return bits == 0 ? count : word * 32 + static_cast<uint32_t>(__ffs(static_cast<int>(bits))) - 1;
}

/// Calls head(byte) and tail(byte) in order for the symbols that begin at the thread's own levels.
template <typename Head, typename Tail>
__device__ __forceinline__ void for_own_symbols(const RunChunkLevels& chunk, uint32_t count, bool runs,
                                                Head head, Tail tail) {
  const uint32_t first = threadIdx.x * kOwnLevels;
  Level before = first > 0 ? chunk.levels[first - 1] : Level{0};
  bool in_run = runs && first > 0 && before == 0;
  for (uint32_t i = first; i < first + kOwnLevels && i < count; ++i) {
    const Level level = chunk.levels[i];
    if (runs && level == 0) {
      if (in_run) continue;
      in_run = true;
      const uint32_t more = next_nonzero(chunk, i, count) - i - 1;
      head(0U);
      if (more < 128) {
        tail(more);
      } else {
        tail(128U | (more & 127U));
        tail(more >> 7);
      }
      continue;
    }
    in_run = false;
    const uint32_t z = zigzag(runs ? level : run_difference(level, before));
    before = level;
    if (z < 128) {
      head(z);
      continue;
    }
    head(128U | (z & 127U));
    if (z >> 7 < 128) {
      tail(z >> 7);
    } else {
      tail(128U | (z >> 7 & 127U));
      tail(z >> 14);
    }
  }
}

}  // namespace ctv::cuda
