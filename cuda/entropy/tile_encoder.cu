// SPDX-License-Identifier: BSD-3-Clause
// Only the device knows the pieces, so blocks take pieces until none is left. The last kernel concatenates
// the bytes in host memory.
#include "cuda/entropy/tile_encoder.hpp"

#include <algorithm>
#include <utility>

#include "codec/model/tile_walk.hpp"
#include "cuda/entropy/piece_coder.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

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

  /// End of the memory of a tile's last part. A piece's bytes replace its events, which need at least twice
  /// as much memory.
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

/// Finds piece number `piece` of all components: its component, and its number there. All lanes of a warp
/// must call. Returns false if there is none.
__device__ bool find_piece(const PieceWork& work, uint32_t lane, uint32_t& piece, uint32_t& component) {
  for (uint32_t begin = 0; begin < work.component_count; begin += kWarp) {
    const uint32_t own = begin + lane < work.component_count ? work.cuts.pieces[begin + lane] : 0;
    const uint32_t through = sum_through(own, lane);
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

/// Events of tiles from last to first: events of parts, last part first, then the event of the bands.
struct TileGroup : ItemGroup<1> {
  uint32_t parts[kPieceThreads];
  uint16_t counts[kPieceThreads][kTileBands];
};

/// Fills the group with tiles last - 1, last - 2, .., down to `begin` at most. All threads of a block must
/// call. Returns the number of events.
__device__ uint32_t fill_group(const PieceWork& work, TileGroup& group, uint32_t begin, uint32_t last) {
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
  return group.fill({own});
}

/// Event `at` of a group that ends before tile `last`.
__device__ uint32_t event_of(const PieceWork& work, const TileGroup& group, uint32_t last, uint32_t at) {
  uint32_t rest = 0;
  const uint32_t i = group.find(at, rest);
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
  __shared__ EventWindows windows;
  __shared__ WindowWriter::Buffer words;
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
    WindowWriter writer(words, bytes_end, lane);
    uint32_t group_end = end;
    code_events(
        writer, windows, work.tables, begin, end,
        [&](uint32_t first, uint32_t& last) {
          group_end = last;
          last -= min_of(last - first, kPieceThreads);
          return fill_group(work, group, last, group_end);
        },
        [&](uint32_t i) { return event_of(work, group, group_end, i); });
    if (!codes) continue;
    windows.at[0][0] = look_up(work.tables, symbol_event(kModelTables, piece_model(sums)));
    __syncwarp();
    writer.put(windows.at[0], 1);
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
  const PieceWork& pieces = work.pieces;
  const uint32_t count = pieces.cuts.pieces[blockIdx.y];
  if (blockIdx.x == 0 && threadIdx.x == 0)
    work.heads[blockIdx.y] = {count, work.levels.predicted(blockIdx.y) ? 1U : 0U};
  const DeviceComponent component = pieces.components[blockIdx.y];
  join_pieces(
      {count, pieces.cuts.first + component.first, component.first + component.tiles,
       pieces.sizes + component.first},
      [&](uint32_t tile) { return pieces.end_of(tile); }, work.coded + component.first,
      work.bytes + component.bytes);
}

}  // namespace

Status TileEncoder::initialise(Device& device, const CodingPlan& plan,
                               std::shared_ptr<EncoderMemory> memory) {
  memory_ = std::move(memory);
  layout_ = TileLayout(plan);
  CTV_RETURN_IF_ERROR(device_layout_.initialise(device, layout_, plan.tables));
  CTV_RETURN_IF_ERROR(lowpass_.initialise(device, layout_));
  CTV_RETURN_IF_ERROR(cutter_.initialise(device, layout_));
  const auto tiles = static_cast<unsigned>(layout_.tiles.size());
  unsigned most = 0;
  for (const DeviceComponent& c : layout_.components) most = std::max(most, c.tiles);
  group_blocks_ = (most + kJoined - 1) / kJoined;
  const auto processors = static_cast<unsigned>(device.properties().multiProcessorCount);
  piece_blocks_ = std::min(tiles, kBlocksPerProcessor * processors);
  CTV_RETURN_IF_ERROR(notes_.initialise(device, layout_, memory_->events));
  CTV_RETURN_IF_ERROR(sizes_.allocate(device, tiles));
  CTV_RETURN_IF_ERROR(heads_.allocate(device, layout_.components.size()));
  CTV_RETURN_IF_ERROR(memory_->pieces.reserve(device, tiles));
  return memory_->bytes.reserve(device, layout_.bytes);
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
  const JoinWork join{pieces, source, heads_.data(), memory_->pieces.data(), memory_->bytes.data()};
  launch_single_frame(device, stream, join_kernel, dim3(group_blocks_, components), kJoinThreads, join);
  return device.launched("join_kernel");
}

CodedTiles TileEncoder::coded(size_t component) const {
  const DeviceComponent& c = layout_.components[component];
  if (c.tiles == 0) return {};
  const CodedPiece* const pieces = memory_->pieces.data() + c.first;
  const CodedHead head = heads_.data()[component];
  size_t bytes = 0;
  for (size_t i = 0; i < head.pieces; ++i) bytes += pieces[i].bytes;
  return {{pieces, head.pieces}, {memory_->bytes.data() + c.bytes, bytes}, head.predicted != 0};
}

}  // namespace ctv::cuda
