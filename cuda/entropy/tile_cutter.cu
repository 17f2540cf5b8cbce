// SPDX-License-Identifier: BSD-3-Clause
// A block processes a tile, and a warp a part: each lane turns two quads into masks. The tile's cost follows
// from its levels only (codec/model/tile_cost.hpp). Then a block per component sums costs; a piece begins
// where the sum passes a multiple of a piece's cost.
#include "cuda/entropy/tile_cutter.hpp"

#include "cuda/entropy/piece_coder.cuh"
#include "cuda/entropy/tile_part.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kBitThreads = kTileBands * kWarp;

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

// Finds the sums of a part, and stores its masks and quads. All lanes must call.
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
  const uint32_t both = warp_sum(large << 16 | raw_bits);  // at most 256; at most 15 times as much
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
  const DeviceComponent component = work.components[blockIdx.x];
  uint32_t* const first = work.first + component.first;
  TileSums* const sums = work.piece_sums + component.first;
  if (threadIdx.x == 0 && component.tiles > 0) {
    first[0] = component.first;
    sums[0] = {};
  }
  const uint32_t pieces = cut_pieces(
      component.tiles, [&](uint32_t tile) { return tile_cost(work.sums[component.first + tile]); },
      [](uint64_t sum, uint32_t cost) { return piece_of(sum, cost); },
      [&](uint32_t piece, uint32_t tile) {
        first[piece] = component.first + tile;
        sums[piece] = {};
      },
      [&](uint32_t tile, uint32_t piece) {
        const TileSums own = work.sums[component.first + tile];
        work.piece_of_tile[component.first + tile] = component.first + piece;
        if (own.packed != 0)
          atomicAdd(reinterpret_cast<unsigned long long*>(&sums[piece].packed), own.packed);
      });
  if (threadIdx.x == 0) work.pieces[blockIdx.x] = pieces;
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
