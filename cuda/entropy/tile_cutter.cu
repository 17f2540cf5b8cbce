// SPDX-License-Identifier: BSD-3-Clause
// A block takes a tile, each of its warps a part: two quads a lane become bits, and the tile's cost, which is
// known from its levels alone (codec/model/tile_cost.hpp). Then a block for each component sums up
// costs, and a piece begins where the sum passes a multiple of a piece's cost.
#include "cuda/entropy/tile_cutter.hpp"
#include "cuda/entropy/tile_part.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kBitThreads = kTileBands * kWarp;
constexpr int kCutThreads = 1024;
constexpr int kCutWarps = kCutThreads / kWarp;

struct BitWork {
  LevelSource levels;
  SkipGrid grid;
  const DeviceTileSet* sets;
  const DeviceTile* tiles;
  QuadBits* bits;
  uint64_t* quads;
  uint8_t* masks;
  TileSums* sums;
  uint64_t* skips;
};

// Of a part, all lanes: its sums, and its bits and quads in their places.
__device__ TileSums find_bits(const BitWork& work, const DeviceTileSet& set, const DeviceTile& tile,
                              const Level* band, size_t part, uint32_t lane, uint64_t& quads) {
  uint32_t large = 0;
  uint32_t raw_bits = 0;
  quads = 0;
  for (uint32_t half = 0; half < 2; ++half) {
    const uint32_t quad = lane + half * kWarp;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      const int y = tile.y + level_row(4 * quad + i);
      const int x = tile.x + level_col(4 * quad + i);
      const int level =
          y < set.rows && x < set.cols ? band[static_cast<size_t>(y) * static_cast<size_t>(set.cols) + x] : 0;
      if (level == 0) continue;
      bits |= (level < 0 ? 0x101U : 1U) << i;
      const int magnitude = abs_of(level);
      if (magnitude < 2) continue;
      bits |= 16U << i;
      ++large;
      raw_bits += number_bits(number_symbol(static_cast<uint32_t>(magnitude) - 2));
    }
    work.bits[kPartQuads * part + quad] = static_cast<QuadBits>(bits);
    quads |= uint64_t{__ballot_sync(kAllLanes, bits != 0)} << (half * kWarp);
  }
  if (lane == 0) work.quads[part] = quads;
  const uint32_t both = warp_sum(large << 16 | raw_bits);  // 256 at most, and 15 times as much
  return part_sums(count_bits(quads), both >> 16, both & 0xffffU);
}

__global__ void __launch_bounds__(kBitThreads) bits_kernel(const __grid_constant__ BitWork work) {
  pdl_begin();
  __shared__ TileSums sums[kTileBands];
  __shared__ uint32_t some[kTileBands];
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t band = threadIdx.x / kWarp;
  const DeviceTile tile = work.tiles[blockIdx.x];
  const DeviceTileSet& set = work.sets[tile.set];
  TileSums own{};
  uint64_t quads = 0;
  if (band < set.bands) {
    const size_t part = size_t{tile.part} + band;
    own = find_bits(work, set, tile, work.levels.band(set, band), part, lane, quads);
  }
  if (band == kTileBands - 1) {
    const uint64_t skips = find_skips_by_warp(work.grid, set, tile, lane);
    if (lane == 0) work.skips[blockIdx.x] = skips;
  }
  if (lane == 0) {
    sums[band] = own;
    some[band] = quads != 0 ? 1U << band : 0;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  TileSums sum{};
  uint32_t mask = 0;
  for (int b = 0; b < kTileBands; ++b) {
    sum.packed += sums[b].packed;
    mask |= some[b];
  }
  work.sums[blockIdx.x] = sum;
  work.masks[blockIdx.x] = static_cast<uint8_t>(mask);
}

struct CutWork {
  const DeviceComponent* components;
  const TileSums* sums;
  uint32_t* first;
  uint32_t* pieces;
  uint32_t* piece_of_tile;
  TileSums* piece_sums;
};

__global__ void __launch_bounds__(kCutThreads) cut_kernel(const __grid_constant__ CutWork work) {
  pdl_begin();
  __shared__ uint32_t warp_costs[kCutWarps];
  __shared__ uint32_t warp_ends[kCutWarps];
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t warp = threadIdx.x / kWarp;
  const DeviceComponent component = work.components[blockIdx.x];
  uint32_t* const first = work.first + component.first;
  TileSums* const sums = work.piece_sums + component.first;
  if (threadIdx.x == 0 && component.tiles > 0) {
    first[0] = component.first;
    sums[0] = {};
  }
  uint64_t before = 0;  // the cost of all tiles of earlier rounds, and the pieces that end there
  uint32_t pieces_before = 0;
  for (uint32_t begin = 0; begin < component.tiles; begin += kCutThreads) {
    const uint32_t tile = begin + threadIdx.x;
    const TileSums own = tile < component.tiles ? work.sums[component.first + tile] : TileSums{};
    const uint32_t cost = tile < component.tiles ? tile_cost(own) : 0;
    const bool last = tile + 1 >= component.tiles;
    const uint32_t next_cost = last ? 0 : tile_cost(work.sums[component.first + tile + 1]);
    uint32_t through = cost;  // of this lane and those before
    for (uint32_t step = 1; step < kWarp; step *= 2) {
      const uint32_t other = __shfl_up_sync(kAllLanes, through, step);
      if (lane >= step) through += other;
    }
    if (lane == kWarp - 1) warp_costs[warp] = through;
    __syncthreads();
    uint64_t sum = before;  // of the tiles before this one
    for (uint32_t w = 0; w < kCutWarps; ++w) {
      if (w < warp) sum += warp_costs[w];
      before += warp_costs[w];
    }
    sum += through - cost;
    // The next tile begins a piece.
    const bool ends = !last && piece_of(sum, cost) != piece_of(sum + cost, next_cost);
    const uint32_t lanes = __ballot_sync(kAllLanes, ends);
    if (lane == 0) warp_ends[warp] = static_cast<uint32_t>(__popc(lanes));
    __syncthreads();
    uint32_t piece = pieces_before + static_cast<uint32_t>(__popc(lanes & ((1U << lane) - 1)));
    for (uint32_t w = 0; w < kCutWarps; ++w) {
      if (w < warp) piece += warp_ends[w];
      pieces_before += warp_ends[w];
    }
    if (ends) {
      first[piece + 1] = component.first + tile + 1;
      sums[piece + 1] = {};
    }
    __syncthreads();
    if (tile < component.tiles) {
      work.piece_of_tile[component.first + tile] = component.first + piece;
      if (own.packed != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&sums[piece].packed), own.packed);
    }
  }
  if (threadIdx.x == 0) work.pieces[blockIdx.x] = component.tiles > 0 ? pieces_before + 1 : 0;
}

}  // namespace

Status TileCutter::initialise(Device& device, const TileLayout& layout) {
  CTV_RETURN_IF_ERROR(bits_.allocate(device, layout.parts * kPartQuads));
  CTV_RETURN_IF_ERROR(quads_.allocate(device, layout.parts));
  CTV_RETURN_IF_ERROR(masks_.allocate(device, layout.tiles.size()));
  CTV_RETURN_IF_ERROR(sums_.allocate(device, layout.tiles.size()));
  CTV_RETURN_IF_ERROR(skips_.allocate(device, layout.tiles.size()));
  CTV_RETURN_IF_ERROR(first_.allocate(device, layout.tiles.size()));
  CTV_RETURN_IF_ERROR(piece_of_tile_.allocate(device, layout.tiles.size()));
  CTV_RETURN_IF_ERROR(piece_sums_.allocate(device, layout.tiles.size()));
  return pieces_.allocate(device, layout.components.size());
}

Status TileCutter::cut(Device& device, const DeviceTileLayout& layout, const LevelSource& levels,
                       const SkipGrid& skips, cudaStream_t stream) {
  const auto tiles = static_cast<unsigned>(layout.tiles.size());
  if (tiles == 0) return {};
  const BitWork bits{levels,        skips,         layout.sets.data(), layout.tiles.data(), bits_.data(),
                     quads_.data(), masks_.data(), sums_.data(),       skips_.data()};
  launch_single_frame(device, stream, bits_kernel, tiles, kBitThreads, bits);
  CTV_RETURN_IF_ERROR(device.launched("bits_kernel"));
  const CutWork cuts{layout.components.data(), sums_.data(),          first_.data(),
                     pieces_.data(),           piece_of_tile_.data(), piece_sums_.data()};
  launch_single_frame(device, stream, cut_kernel, static_cast<unsigned>(layout.components.size()),
                      kCutThreads, cuts);
  return device.launched("cut_kernel");
}

}  // namespace ctv::cuda
