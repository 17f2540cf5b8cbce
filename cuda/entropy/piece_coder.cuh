// SPDX-License-Identifier: BSD-3-Clause
// Steps common to pieces of tiles and of macroblocks, both called items here. A block divides items into
// pieces by the sum of their costs. A block codes a piece from its last event to its first (rANS), a group of
// items at a time: all threads find the position of each item's events; then one warp updates the state,
// while the others look up the next window of events. Last, blocks concatenate pieces in host memory.
#pragma once

#include "codec/model/tile_sets.hpp"
#include "cuda/entropy/piece_writer.cuh"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

constexpr int kCutThreads = 1024;
constexpr int kCutWarps = kCutThreads / kWarp;
constexpr uint32_t kPieceThreads = 128;
constexpr uint32_t kPieceWarps = kPieceThreads / kWarp;
constexpr uint32_t kWindow = 256;  // events that are looked up while the previous window is coded
constexpr uint32_t kJoined = 8;    // pieces that a block concatenates, one per warp
constexpr uint32_t kJoinThreads = kJoined * kWarp;

/// Prefix sum of v over the lanes, including this one.
__device__ __forceinline__ uint32_t sum_through(uint32_t v, uint32_t lane) {
  for (uint32_t step = 1; step < kWarp; step *= 2) {
    const uint32_t other = __shfl_up_sync(kAllLanes, v, step);
    if (lane >= step) v += other;
  }
  return v;
}

/// Sum of v over the threads of a block before this one; all: receives the total. All kCutThreads threads
/// must call.
__device__ __forceinline__ uint32_t sum_before(uint32_t v, uint32_t (&of_warps)[kCutWarps], uint32_t& all) {
  static_assert(kCutWarps == kWarp);
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t through = sum_through(v, lane);
  if (lane == kWarp - 1) of_warps[threadIdx.x / kWarp] = through;
  __syncthreads();
  const uint32_t warps = sum_through(of_warps[lane], lane);
  all = __shfl_sync(kAllLanes, warps, kWarp - 1);
  const uint32_t warp = threadIdx.x / kWarp;
  const uint32_t before = __shfl_sync(kAllLanes, warps, static_cast<int>(warp) - 1);
  return (warp == 0 ? 0 : before) + through - v;
}

/// Divides `count` items. A block of kCutThreads must call with all threads, and only once. cost(i), below
/// 2^17; piece_of(before, cost); begin(piece, i): item i begins a piece, not called for item 0; then put(i,
/// piece) for each item. Returns the number of pieces.
template <typename Cost, typename PieceOf, typename Begin, typename Put>
__device__ uint32_t cut_pieces(uint32_t count, Cost cost_of, PieceOf piece_of, Begin begin_piece, Put put) {
  constexpr uint32_t kItems = 8;  // of a thread, one after the other
  __shared__ uint32_t warp_costs[kCutWarps];
  __shared__ uint32_t warp_ends[kCutWarps];
  uint64_t before = 0;  // cost of all items of earlier rounds, and pieces that end there
  uint32_t pieces_before = 0;
  for (uint32_t first = 0; first < count; first += kItems * kCutThreads) {
    const uint32_t item = first + kItems * threadIdx.x;
    uint32_t costs[kItems + 1];
    uint32_t own = 0;
#pragma unroll
    for (uint32_t k = 0; k <= kItems; ++k) costs[k] = item + k < count ? cost_of(item + k) : 0;
#pragma unroll
    for (uint32_t k = 0; k < kItems; ++k) own += costs[k];
    uint32_t all = 0;
    uint64_t sum = before + sum_before(own, warp_costs, all);
    before += all;
    uint32_t ends = 0;  // bit k: the item after item k begins a piece
#pragma unroll
    for (uint32_t k = 0; k < kItems; ++k) {
      const bool differs = piece_of(sum, costs[k]) != piece_of(sum + costs[k], costs[k + 1]);
      ends |= (item + k + 1 < count && differs ? 1U : 0U) << k;
      sum += costs[k];
    }
    const uint32_t piece = pieces_before + sum_before(static_cast<uint32_t>(__popc(ends)), warp_ends, all);
    pieces_before += all;
    uint32_t next = piece;
#pragma unroll
    for (uint32_t k = 0; k < kItems; ++k) {
      if ((ends >> k & 1U) != 0) begin_piece(++next, item + k + 1);
    }
    __syncthreads();
    next = piece;
#pragma unroll
    for (uint32_t k = 0; k < kItems; ++k) {
      if (item + k < count) put(item + k, next);
      next += ends >> k & 1U;
    }
  }
  return count > 0 ? pieces_before + 1 : 0;
}

/// Items of a piece from last to first, and the positions of their events. kEach: items of a thread.
template <uint32_t kEach>
struct ItemGroup {
  static constexpr uint32_t kItems = kEach * kPieceThreads;
  // Aligned, so that a load of all four does not touch `starts`, which racecheck would report.
  alignas(16) uint32_t of_warps[kPieceWarps];
  uint32_t starts[kItems + 1];  // in the events of the group

  /// counts: events of the thread's items, which are kEach * threadIdx.x + k items before the last. All
  /// threads of a block must call. Returns the total.
  __device__ uint32_t fill(const uint32_t (&counts)[kEach]) {
    const uint32_t lane = threadIdx.x % kWarp;
    const uint32_t warp = threadIdx.x / kWarp;
    uint32_t own = 0;
#pragma unroll
    for (uint32_t k = 0; k < kEach; ++k) own += counts[k];
    const uint32_t through = sum_through(own, lane);
    if (lane == kWarp - 1) of_warps[warp] = through;
    __syncthreads();
    uint32_t at = through - own;
    uint32_t all = 0;
    for (uint32_t w = 0; w < kPieceWarps; ++w) {
      if (w < warp) at += of_warps[w];
      all += of_warps[w];
    }
#pragma unroll
    for (uint32_t k = 0; k < kEach; ++k) {
      starts[kEach * threadIdx.x + k] = at;
      at += counts[k];
    }
    if (threadIdx.x == 0) starts[kItems] = all;
    __syncthreads();
    return all;
  }
  /// Finds the item of event `at`; rest: the number of its events before.
  __device__ uint32_t find(uint32_t at, uint32_t& rest) const {
    uint32_t i = 0;
    for (uint32_t step = kItems / 2; step != 0; step /= 2) {
      if (starts[i + step] <= at) i += step;
    }
    rest = at - starts[i];
    return i;
  }
  /// Number of events of item i.
  __device__ uint32_t count(uint32_t i) const { return starts[i + 1] - starts[i]; }
};

using WindowWriter = PieceWriter<kWindow>;
struct EventWindows {
  ReadyEvent at[2][kWindow + WindowWriter::kReadBeyond];
};

/// Codes the events of items begin .. end - 1. All threads of a block must call; the first warp has the
/// writer. fill(first, last): as ItemGroup::fill(), for a group of items from `last` - 1 down, and sets
/// `last` to the group's last item. event(i): event i of the group.
template <typename Fill, typename EventOf>
__device__ __forceinline__ void code_events(WindowWriter& writer, EventWindows& windows,
                                            const SymbolTable* tables, uint32_t begin, uint32_t end,
                                            Fill fill, EventOf event_of) {
  const bool codes = threadIdx.x < kWarp;
  for (uint32_t last = end; last > begin;) {
    const uint32_t count = fill(begin, last);
    const auto look_ahead = [&](uint32_t first, uint32_t thread, uint32_t threads) {
      const uint32_t end_of_window = min_of(first + kWindow, count);
      for (uint32_t i = first + thread; i < end_of_window; i += threads) {
        windows.at[i / kWindow % 2][i % kWindow] = look_up(tables, event_of(i));
      }
    };
    look_ahead(0, threadIdx.x, kPieceThreads);
    __syncthreads();
    for (uint32_t first = 0; first < count; first += kWindow) {
      if (codes) {
        writer.put(windows.at[first / kWindow % 2], min_of(kWindow, count - first));
      } else {
        look_ahead(first + kWindow, threadIdx.x - kWarp, kPieceThreads - kWarp);
      }
      __syncthreads();
    }
  }
}

/// Pieces of consecutive items.
struct CodedPieces {
  uint32_t count;
  const uint32_t* first;  // first item of each piece
  uint32_t end;           // after the last item
  const uint32_t* sizes;
};

/// Concatenates pieces, kJoined of them in a block at a time. All threads of a block of kJoinThreads must
/// call. end_of(item): end of the bytes of a piece with this last item. to: destination of the first piece.
template <typename EndOf>
__device__ void join_pieces(const CodedPieces& pieces, EndOf end_of, CodedPiece* coded, uint8_t* to) {
  __shared__ unsigned long long before;  // of all pieces before the group
  __shared__ uint32_t sizes[kJoined], first[kJoined + 1];
  for (uint32_t begin = kJoined * blockIdx.x; begin < pieces.count; begin += kJoined * gridDim.x) {
    if (threadIdx.x == 0) before = 0;
    __syncthreads();
    unsigned long long sum = 0;
    for (uint32_t i = threadIdx.x; i < begin; i += kJoinThreads) sum += pieces.sizes[i];
    if (sum != 0) atomicAdd(&before, sum);
    if (threadIdx.x <= kJoined) {
      const uint32_t p = begin + threadIdx.x;
      first[threadIdx.x] = p < pieces.count ? pieces.first[p] : pieces.end;
      if (threadIdx.x < kJoined) sizes[threadIdx.x] = p < pieces.count ? pieces.sizes[p] : 0;
    }
    __syncthreads();
    if (threadIdx.x < kJoined && begin + threadIdx.x < pieces.count)
      coded[begin + threadIdx.x] = {first[threadIdx.x + 1] - first[threadIdx.x], sizes[threadIdx.x]};
    const uint32_t own = threadIdx.x / kWarp;
    size_t at = before;
    for (uint32_t i = 0; i < own; ++i) at += sizes[i];
    // Pieces consist of 16-bit words, so all offsets are even.
    const uint32_t count = sizes[own] / 2;
    if (count != 0) {
      const auto* const from = reinterpret_cast<const uint16_t*>(end_of(first[own + 1] - 1)) - count;
      auto* const words = reinterpret_cast<uint16_t*>(to + at);
      for (uint32_t w = threadIdx.x % kWarp; w < count; w += kWarp) words[w] = from[w];
    }
    __syncthreads();
  }
}

}  // namespace ctv::cuda
