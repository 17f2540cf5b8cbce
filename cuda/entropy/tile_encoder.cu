// SPDX-License-Identifier: BSD-3-Clause
// A block codes a piece, its tiles from the last to the first: a warp for each part notes its symbols, which
// follow from levels alone, while a fifth warp codes those of the tile behind in reverse (rANS). Of its 32
// events each lane looks one up, so only the state goes from one to the next. What pieces there are is known
// on the device alone, so blocks take pieces until none is left, and the last kernel writes the bytes, close
// together, into the host's memory.
#include "cuda/entropy/tile_encoder.hpp"

#include <algorithm>

#include "cuda/entropy/part_notes.cuh"

namespace ctv::cuda {
namespace {

constexpr uint32_t kPieceWarps = kWalkers + 1;
constexpr uint32_t kPieceThreads = kPieceWarps * kWarp;
constexpr uint32_t kGroup = 32;  // pieces whose bytes a block joins
constexpr int kJoinThreads = 256;
constexpr unsigned kBlocksPerProcessor = 6;

/// Which piece of which component is number `piece` of all. All lanes of a warp; false if there is none.
__device__ bool find_piece(const PieceWork& work, uint32_t lane, uint32_t& piece, uint32_t& component) {
  for (uint32_t begin = 0; begin < work.component_count; begin += kWarp) {
    const uint32_t own = begin + lane < work.component_count ? work.cuts.pieces[begin + lane] : 0;
    uint32_t through = own;
    for (uint32_t step = 1; step < kWarp; step *= 2) {
      const uint32_t other = __shfl_up_sync(kAllLanes, through, step);
      if (lane >= step) through += other;
    }
    const uint32_t beyond = __ballot_sync(kAllLanes, through > piece);
    if (beyond != 0) {
      const int at = __ffs(static_cast<int>(beyond)) - 1;
      component = begin + static_cast<uint32_t>(at);
      piece -= __shfl_sync(kAllLanes, through - own, at);
      return true;
    }
    piece -= __shfl_sync(kAllLanes, through, kWarp - 1);
  }
  return false;
}

/// Over the tiles of a piece; all threads of a block.
__device__ TileSums sum_tiles(const PieceWork& work, uint32_t begin, uint32_t end, uint32_t warp,
                              uint32_t lane, TileSums (&of_warps)[kPieceWarps]) {
  uint64_t own = 0;
  for (uint32_t t = begin + threadIdx.x; t < end; t += kPieceThreads) own += work.cuts.sums[t].packed;
  for (int step = kWarp / 2; step > 0; step /= 2) own += __shfl_xor_sync(kAllLanes, own, step);
  __syncthreads();  // the sums of the piece before were read
  if (lane == 0) of_warps[warp] = {own};
  __syncthreads();
  TileSums sums{};
  for (const TileSums& s : of_warps) sums.packed += s.packed;
  return sums;
}

/// Chooses the piece's model, and gives the event that says so, the piece's first.
__device__ PieceModel note_model(const TileSums& sums, uint32_t& event) {
  PieceModel model{};
  TileNeighbours around;
  EventWriter writer(&event, nullptr);
  start_piece(writer, model, around, piece_model(sums));
  return model;
}

__global__ void __launch_bounds__(kPieceThreads) pieces_kernel(const __grid_constant__ PieceWork work) {
  __shared__ Walker walkers[kWalkers];
  __shared__ TileEvents events[2];
  __shared__ TileSums warp_sums[kPieceWarps];
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t warp = threadIdx.x / kWarp;
  if (warp < kWalkers) clear_by_warp(walkers[warp], lane);
  __syncwarp();
  for (uint32_t number = blockIdx.x;; number += gridDim.x) {
    uint32_t piece = number;
    uint32_t c = 0;
    if (!find_piece(work, lane, piece, c)) return;  // the same in all warps
    const DeviceComponent component = work.components[c];
    const uint32_t* const first = work.cuts.first + component.first;
    const uint32_t begin = component.first + first[piece];
    const uint32_t end =
        component.first + (piece + 1 < work.cuts.pieces[c] ? first[piece + 1] : component.tiles);
    const TileSums sums = sum_tiles(work, begin, end, warp, lane, warp_sums);
    if (sums.quads() == 0) {
      if (threadIdx.x == 0) work.sizes[component.first + piece] = 0;
      continue;
    }
    uint32_t first_event = 0;
    const PieceModel model = note_model(sums, first_event);
    const DeviceTileSet& last = work.sets[work.tiles[end - 1].set];
    uint8_t* const bytes_end = work.scratch + last.bytes + size_t{end - last.first} * last.tile_bytes;
    PieceWriter writer(work.tables, bytes_end, lane);
    for (uint32_t round = 0; round <= end - begin; ++round) {
      if (warp < kWalkers && round < end - begin) {
        const uint32_t t = end - 1 - round;
        const DeviceTile tile = work.tiles[t];
        const DeviceTileSet& set = work.sets[tile.set];
        TileEvents& to = events[round % 2];
        uint32_t count = 0;
        if ((work.cuts.masks[t] >> warp & 1U) != 0) {
          count = note_part(work, walkers[warp], model, tile, set, t, warp, static_cast<int>(begin), lane,
                            to.parts[warp]);
        }
        if (lane == 0) to.counts[warp] = count;
        if (threadIdx.x == 0) to.bands = note_bands(work, tile, set, t, static_cast<int>(begin));
      }
      if (warp == kWalkers && round > 0) {
        const TileEvents& from = events[(round - 1) % 2];
        for (uint32_t b = kWalkers; b-- > 0;) writer.put(from.parts[b], from.counts[b]);
        writer.put(&from.bands, 1);
      }
      __syncthreads();
    }
    if (warp == kWalkers) {
      writer.put(&first_event, 1);
      const uint8_t* const at = writer.finish();
      if (lane == 0) work.sizes[component.first + piece] = static_cast<uint32_t>(bytes_end - at);
    }
  }
}

struct JoinWork {
  PieceWork pieces;
  uint32_t* piece_counts;
  CodedPiece* coded;
  uint8_t* bytes;
};

__global__ void __launch_bounds__(kJoinThreads) join_kernel(const __grid_constant__ JoinWork work) {
  __shared__ unsigned long long before;  // bytes of all pieces before the group
  __shared__ uint32_t sizes[kGroup], first[kGroup + 1];
  const PieceWork& pieces = work.pieces;
  const uint32_t count = pieces.cuts.pieces[blockIdx.y];
  const uint32_t begin = blockIdx.x * kGroup;
  if (blockIdx.x == 0 && threadIdx.x == 0) work.piece_counts[blockIdx.y] = count;
  if (begin >= count) return;
  const DeviceComponent component = pieces.components[blockIdx.y];
  const uint32_t* const all_sizes = pieces.sizes + component.first;
  if (threadIdx.x == 0) before = 0;
  __syncthreads();
  unsigned long long sum = 0;
  for (uint32_t i = threadIdx.x; i < begin; i += kJoinThreads) sum += all_sizes[i];
  if (sum != 0) atomicAdd(&before, sum);
  if (threadIdx.x <= kGroup) {
    const uint32_t p = begin + threadIdx.x;
    first[threadIdx.x] = p < count ? pieces.cuts.first[component.first + p] : component.tiles;
    if (threadIdx.x < kGroup) sizes[threadIdx.x] = p < count ? all_sizes[p] : 0;
  }
  __syncthreads();
  if (threadIdx.x < kGroup && begin + threadIdx.x < count) {
    work.coded[component.first + begin + threadIdx.x] = {first[threadIdx.x + 1] - first[threadIdx.x],
                                                         sizes[threadIdx.x]};
  }
  const uint32_t lane = threadIdx.x % kWarp;
  size_t at = component.bytes + before;
  for (uint32_t i = 0; i < kGroup; at += sizes[i++]) {
    if (i % (kJoinThreads / kWarp) != threadIdx.x / kWarp || sizes[i] == 0) continue;
    const uint32_t t = component.first + first[i + 1] - 1;
    const DeviceTileSet& last = pieces.sets[pieces.tiles[t].set];
    const uint8_t* const end = pieces.scratch + last.bytes + size_t{t + 1 - last.first} * last.tile_bytes;
    // Pieces are words of 16 bits, and so are all offsets even.
    const auto* const from = reinterpret_cast<const uint16_t*>(end - sizes[i]);
    auto* const to = reinterpret_cast<uint16_t*>(work.bytes + at);
    for (uint32_t w = lane; w < sizes[i] / 2; w += kWarp) to[w] = from[w];
  }
}

}  // namespace

Status TileEncoder::initialise(Device& device, const CodingPlan& plan) {
  layout_ = TileLayout(plan);
  CTV_RETURN_IF_ERROR(device_layout_.initialise(device, layout_, plan.tables));
  CTV_RETURN_IF_ERROR(cutter_.initialise(device, layout_));
  const auto tiles = static_cast<unsigned>(layout_.tiles.size());
  unsigned most = 0;
  for (const DeviceComponent& c : layout_.components) most = std::max(most, c.tiles);
  group_blocks_ = (most + kGroup - 1) / kGroup;
  const auto processors = static_cast<unsigned>(device.properties().multiProcessorCount);
  piece_blocks_ = std::min(tiles, kBlocksPerProcessor * processors);
  CTV_RETURN_IF_ERROR(scratch_.allocate(device, layout_.bytes));
  CTV_RETURN_IF_ERROR(sizes_.allocate(device, tiles));
  CTV_RETURN_IF_ERROR(piece_counts_.allocate(device, layout_.components.size()));
  CTV_RETURN_IF_ERROR(pieces_.allocate(device, tiles));
  return bytes_.allocate(device, layout_.bytes);
}

Status TileEncoder::encode(Device& device, const std::array<const Level*, 3>& levels, const SkipGrid& skips,
                           cudaStream_t stream) {
  if (piece_blocks_ == 0) return {};
  CTV_RETURN_IF_ERROR(cutter_.cut(device, device_layout_, levels, skips, stream));
  const auto components = static_cast<unsigned>(layout_.components.size());
  const PieceWork pieces{{levels[0], levels[1], levels[2]},
                         device_layout_.sets.data(),
                         device_layout_.tiles.data(),
                         device_layout_.components.data(),
                         device_layout_.tables.data(),
                         cutter_.cuts(),
                         components,
                         scratch_.data(),
                         sizes_.data()};
  pieces_kernel<<<piece_blocks_, kPieceThreads, 0, stream>>>(pieces);
  CTV_RETURN_IF_ERROR(device.launched("pieces_kernel"));
  const JoinWork join{pieces, piece_counts_.data(), pieces_.data(), bytes_.data()};
  join_kernel<<<dim3(group_blocks_, components), kJoinThreads, 0, stream>>>(join);
  return device.launched("join_kernel");
}

CodedTiles TileEncoder::coded(size_t component) const {
  const DeviceComponent& c = layout_.components[component];
  if (c.tiles == 0) return {};
  const CodedPiece* const pieces = pieces_.data() + c.first;
  const size_t count = piece_counts_.data()[component];
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) bytes += pieces[i].bytes;
  return {{pieces, count}, {bytes_.data() + c.bytes, bytes}};
}

}  // namespace ctv::cuda
