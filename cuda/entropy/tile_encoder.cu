// SPDX-License-Identifier: BSD-3-Clause
// A block codes a piece from its last event to its first (rANS), 128 tiles at a time: all threads find where
// the events of each tile go; then a warp passes the state through, and the others look up the next window of
// events. What pieces there are is known on the device alone, so blocks take pieces until none is left, and
// the last kernel writes the bytes, close together, into the host's memory.
#include "cuda/entropy/tile_encoder.hpp"

#include <algorithm>

#include "codec/model/tile_walk.hpp"
#include "cuda/entropy/piece_writer.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr uint32_t kPieceThreads = 128;
constexpr uint32_t kPieceWarps = kPieceThreads / kWarp;
constexpr uint32_t kWindow = 256;  // events that are looked up at a time, while those before are coded
constexpr uint32_t kGroup = 8;     // pieces whose bytes a block joins, each by a warp
constexpr uint32_t kJoinThreads = kGroup * kWarp;
constexpr unsigned kBlocksPerProcessor = 6;

struct PieceWork {
  const DeviceTileSet* sets;
  const DeviceTile* tiles;
  const DeviceComponent* components;
  const SymbolTable* tables;
  TileCuts cuts;
  TileEvents events;
  uint32_t component_count;
  uint32_t* sizes;

  /// The memory of a tile's last part ends here. A piece's bytes take the place of its events, which need
  /// twice the room of their words.
  __device__ uint8_t* end_of(uint32_t t) const {
    const DeviceTile& tile = tiles[t];
    return reinterpret_cast<uint8_t*>(events.parts +
                                      (size_t{tile.part} + sets[tile.set].bands) * kPartEvents);
  }
  __device__ uint32_t end_of_piece(const DeviceComponent& component, uint32_t c, uint32_t piece) const {
    return piece + 1 < cuts.pieces[c] ? cuts.first[component.first + piece + 1]
                                      : component.first + component.tiles;
  }
};

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

/// The events of tiles from the last to the first: those of parts, last part first, and the one of the bands.
struct TileGroup {
  uint32_t starts[kPieceThreads];  // among the events of the group
  uint32_t parts[kPieceThreads];
  uint16_t counts[kPieceThreads][kTileBands];
  uint32_t of_warps[kPieceWarps];
};

/// Fills the group with tiles last - 1, last - 2, .., not before `begin`. All threads of a block. Returns the
/// number of its events.
__device__ uint32_t fill_group(const PieceWork& work, TileGroup& group, uint32_t begin, uint32_t last) {
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t warp = threadIdx.x / kWarp;
  uint32_t own = 0;
  if (threadIdx.x < last - begin) {
    const DeviceTile tile = work.tiles[last - 1 - threadIdx.x];
    const uint32_t bands = work.sets[tile.set].bands;
    own = 1;
    for (uint32_t b = 0; b < kTileBands; ++b) {
      const uint16_t count = b < bands ? work.events.counts[tile.part + b] : uint16_t{0};
      group.counts[threadIdx.x][b] = count;
      own += count;
    }
    group.parts[threadIdx.x] = tile.part;
  }
  uint32_t through = own;
  for (uint32_t step = 1; step < kWarp; step *= 2) {
    const uint32_t other = __shfl_up_sync(kAllLanes, through, step);
    if (lane >= step) through += other;
  }
  if (lane == kWarp - 1) group.of_warps[warp] = through;
  __syncthreads();
  uint32_t before = 0;
  uint32_t all = 0;
  for (uint32_t w = 0; w < kPieceWarps; ++w) {
    if (w < warp) before += group.of_warps[w];
    all += group.of_warps[w];
  }
  group.starts[threadIdx.x] = before + through - own;
  __syncthreads();
  return all;
}

/// Number `at` of the events of a group that ends before tile `last`.
__device__ uint32_t event_of(const PieceWork& work, const TileGroup& group, uint32_t last, uint32_t at) {
  uint32_t i = 0;
  for (uint32_t step = kPieceThreads / 2; step != 0; step /= 2) {
    if (group.starts[i + step] <= at && i + step < kPieceThreads) i += step;
  }
  uint32_t rest = at - group.starts[i];
  for (uint32_t b = kTileBands; b-- > 0;) {
    const uint32_t count = group.counts[i][b];
    if (rest < count) return work.events.parts[(size_t{group.parts[i]} + b) * kPartEvents + count - 1 - rest];
    rest -= count;
  }
  return work.events.bands[last - 1 - i];
}

__global__ void __launch_bounds__(kPieceThreads) pieces_kernel(const __grid_constant__ PieceWork work) {
  pdl_begin();
  __shared__ TileGroup group;
  using Writer = PieceWriter<kWindow>;
  __shared__ ReadyEvent windows[2][kWindow + Writer::kReadBeyond];
  __shared__ Writer::Buffer words;
  const uint32_t lane = threadIdx.x % kWarp;
  const bool codes = threadIdx.x < kWarp;
  for (uint32_t number = blockIdx.x;; number += gridDim.x) {
    uint32_t piece = number;
    uint32_t c = 0;
    if (!find_piece(work, lane, piece, c)) return;  // the same in all warps
    const DeviceComponent component = work.components[c];
    const uint32_t at = component.first + piece;
    const TileSums sums = work.cuts.piece_sums[at];
    if (sums.quads() == 0) {
      if (threadIdx.x == 0) work.sizes[at] = 0;
      continue;
    }
    const uint32_t begin = work.cuts.first[at];
    const uint32_t end = work.end_of_piece(component, c, piece);
    uint8_t* const bytes_end = work.end_of(end - 1);
    Writer writer(words, bytes_end, lane);
    for (uint32_t last = end; last > begin; last -= min_of(last - begin, kPieceThreads)) {
      const uint32_t count = fill_group(work, group, begin, last);
      const auto fill = [&](uint32_t first, uint32_t thread, uint32_t threads) {
        const uint32_t end_of_window = min_of(first + kWindow, count);
        for (uint32_t i = first + thread; i < end_of_window; i += threads) {
          windows[i / kWindow % 2][i % kWindow] = look_up(work.tables, event_of(work, group, last, i));
        }
      };
      fill(0, threadIdx.x, kPieceThreads);
      __syncthreads();
      for (uint32_t first = 0; first < count; first += kWindow) {
        if (codes) {
          writer.put(windows[first / kWindow % 2], min_of(kWindow, count - first));
        } else {
          fill(first + kWindow, threadIdx.x - kWarp, kPieceThreads - kWarp);
        }
        __syncthreads();
      }
    }
    if (!codes) continue;
    windows[0][0] = look_up(work.tables, symbol_event(kModelTables, piece_model(sums)));
    __syncwarp();
    writer.put(windows[0], 1);
    const uint8_t* const bytes = writer.finish();
    if (lane == 0) work.sizes[at] = static_cast<uint32_t>(bytes_end - bytes);
  }
}

struct JoinWork {
  PieceWork pieces;
  LevelSource levels;
  CodedHead* heads;
  CodedPiece* coded;
  uint8_t* bytes;
};

__global__ void __launch_bounds__(kJoinThreads) join_kernel(const __grid_constant__ JoinWork work) {
  pdl_begin();
  __shared__ unsigned long long before;  // bytes of all pieces before the group
  __shared__ uint32_t sizes[kGroup], first[kGroup + 1];
  const PieceWork& pieces = work.pieces;
  const uint32_t count = pieces.cuts.pieces[blockIdx.y];
  const uint32_t begin = blockIdx.x * kGroup;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    work.heads[blockIdx.y] = {count, work.levels.predicted(blockIdx.y) ? 1U : 0U};
  }
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
    first[threadIdx.x] =
        p < count ? pieces.cuts.first[component.first + p] : component.first + component.tiles;
    if (threadIdx.x < kGroup) sizes[threadIdx.x] = p < count ? all_sizes[p] : 0;
  }
  __syncthreads();
  if (threadIdx.x < kGroup && begin + threadIdx.x < count) {
    work.coded[component.first + begin + threadIdx.x] = {first[threadIdx.x + 1] - first[threadIdx.x],
                                                         sizes[threadIdx.x]};
  }
  const uint32_t own = threadIdx.x / kWarp;
  if (sizes[own] == 0) return;
  size_t at = component.bytes + before;
  for (uint32_t i = 0; i < own; ++i) at += sizes[i];
  // Pieces are words of 16 bits, and so are all offsets even.
  const auto* const from = reinterpret_cast<const uint16_t*>(pieces.end_of(first[own + 1] - 1) - sizes[own]);
  auto* const to = reinterpret_cast<uint16_t*>(work.bytes + at);
  for (uint32_t w = threadIdx.x % kWarp; w < sizes[own] / 2; w += kWarp) to[w] = from[w];
}

}  // namespace

Status TileEncoder::initialise(Device& device, const CodingPlan& plan) {
  layout_ = TileLayout(plan);
  CTV_RETURN_IF_ERROR(device_layout_.initialise(device, layout_, plan.tables));
  CTV_RETURN_IF_ERROR(lowpass_.initialise(device, layout_));
  CTV_RETURN_IF_ERROR(cutter_.initialise(device, layout_));
  const auto tiles = static_cast<unsigned>(layout_.tiles.size());
  unsigned most = 0;
  for (const DeviceComponent& c : layout_.components) most = std::max(most, c.tiles);
  group_blocks_ = (most + kGroup - 1) / kGroup;
  const auto processors = static_cast<unsigned>(device.properties().multiProcessorCount);
  piece_blocks_ = std::min(tiles, kBlocksPerProcessor * processors);
  CTV_RETURN_IF_ERROR(notes_.initialise(device, layout_));
  CTV_RETURN_IF_ERROR(sizes_.allocate(device, tiles));
  CTV_RETURN_IF_ERROR(heads_.allocate(device, layout_.components.size()));
  CTV_RETURN_IF_ERROR(pieces_.allocate(device, tiles));
  return bytes_.allocate(device, layout_.bytes);
}

Status TileEncoder::encode(Device& device, const std::array<const Level*, 3>& levels, const SkipGrid& skips,
                           cudaStream_t stream) {
  if (piece_blocks_ == 0) return {};
  CTV_RETURN_IF_ERROR(lowpass_.find(device, device_layout_, levels, stream));
  const LevelSource source = lowpass_.source(levels);
  CTV_RETURN_IF_ERROR(cutter_.cut(device, device_layout_, source, skips, stream));
  CTV_RETURN_IF_ERROR(notes_.note(device, device_layout_, cutter_.cuts(), source, stream));
  const auto components = static_cast<unsigned>(layout_.components.size());
  const PieceWork pieces{device_layout_.sets.data(),
                         device_layout_.tiles.data(),
                         device_layout_.components.data(),
                         device_layout_.tables.data(),
                         cutter_.cuts(),
                         notes_.events(),
                         components,
                         sizes_.data()};
  launch_single_frame(device, stream, pieces_kernel, piece_blocks_, kPieceThreads, pieces);
  CTV_RETURN_IF_ERROR(device.launched("pieces_kernel"));
  const JoinWork join{pieces, source, heads_.data(), pieces_.data(), bytes_.data()};
  launch_single_frame(device, stream, join_kernel, dim3(group_blocks_, components), kJoinThreads, join);
  return device.launched("join_kernel");
}

CodedTiles TileEncoder::coded(size_t component) const {
  const DeviceComponent& c = layout_.components[component];
  if (c.tiles == 0) return {};
  const CodedPiece* const pieces = pieces_.data() + c.first;
  const CodedHead head = heads_.data()[component];
  size_t bytes = 0;
  for (size_t i = 0; i < head.pieces; ++i) bytes += pieces[i].bytes;
  return {{pieces, head.pieces}, {bytes_.data() + c.bytes, bytes}, head.predicted != 0};
}

}  // namespace ctv::cuda
