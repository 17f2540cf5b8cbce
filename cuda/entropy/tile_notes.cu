// SPDX-License-Identifier: BSD-3-Clause
// A block processes a tile, and a warp a part.
#include "cuda/entropy/tile_notes.hpp"

#include "cuda/entropy/part_notes.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr uint32_t kNoteThreads = kTileBands * kWarp;
constexpr uint32_t kNoteBlocks = 12;  // per SM, limited by registers

struct NoteWork {
  LevelSource levels;
  const DeviceTileSet* sets;
  const DeviceTile* tiles;
  TileCuts cuts;
  TileEvents events;
};

/// Notes the event of a tile's bands.
__device__ __forceinline__ uint32_t note_bands(const NoteWork& work, const DeviceTile& tile, uint32_t bands,
                                               uint32_t t, int begin) {
  uint32_t known = 0;
  uint32_t around = 0;
  for (const int neighbour : {tile.left, tile.above}) {
    if (neighbour < begin) continue;
    ++known;
    around += bits_of_mask(work.cuts.masks[neighbour]);
  }
  return symbol_event(band_table(bands, around, known, work.cuts.skips[t]), work.cuts.masks[t]);
}

__global__ void __launch_bounds__(kNoteThreads, kNoteBlocks)
    notes_kernel(const __grid_constant__ NoteWork work) {
  pdl_begin();
  __shared__ NotedPart parts[kTileBands];
  __shared__ uint16_t numbers[kTileBands][kPartLevels];
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t band = threadIdx.x / kWarp;
  const uint32_t t = blockIdx.x;
  const TileCuts& cuts = work.cuts;
  clear_by_warp(parts[band], lane);
  const uint32_t piece = cuts.piece_of_tile[t];
  const DeviceTile tile = work.tiles[t];
  const auto begin = static_cast<int>(cuts.first[piece]);
  const uint32_t model = piece_model(cuts.piece_sums[piece]);
  const DeviceTileSet& set = work.sets[tile.set];
  if (band >= set.bands) return;
  const size_t part = size_t{tile.part} + band;
  const uint64_t quads = cuts.quads[part];
  const auto* const bits = reinterpret_cast<const uint32_t*>(cuts.bits + kPartQuads * part);
  const uint32_t two = bits[lane];
  __syncwarp();
  PartNotes notes(parts[band], quads, lane);
  if (quads != 0) {
    const int neighbour = lane < 8 ? tile.above : tile.left;
    uint32_t beside = 0;
    if (lane < 16 && neighbour >= begin) {  // in the same set
      const size_t there = part - size_t{t - static_cast<uint32_t>(neighbour)} * set.bands;
      const uint32_t quad = lane < 8 ? kPartQuads - 8 + lane : 8 * (lane - 8) + 7;
      beside = cuts.bits[kPartQuads * there + quad];
    }
    notes.start(two, beside);
  }
  __syncthreads();
  uint32_t count = 0;
  if (quads != 0) {
    const auto level = [&](uint32_t place) -> int {  // read again, since few parts need it
      const DeviceTile& here = work.tiles[t];
      const auto y = static_cast<size_t>(here.y + level_row(place));
      const auto x = static_cast<size_t>(here.x + level_col(place));
      return work.levels.band(set, band)[y * static_cast<size_t>(set.cols) + x];
    };
    count =
        notes.note(parts[band > 0 ? band - 1 : 0], parts[band > 1 ? band - 2 : 0],
                   min_of(band, kMostSiblings), cuts.skips[t], {model * kTablesOfModel, first_recent(model)},
                   numbers[band], level, work.events.parts + part * kPartEvents);
  }
  if (lane == 0) work.events.counts[part] = static_cast<uint16_t>(count);
  if (threadIdx.x == 0) work.events.bands[t] = note_bands(work, tile, set.bands, t, begin);
}

}  // namespace

Status TileNotes::initialise(Device& device, const TileLayout& layout, DeviceArray<uint32_t>& events) {
  events_ = &events;
  tiles_ = static_cast<unsigned>(layout.tiles.size());
  CTV_RETURN_IF_ERROR(events_->reserve(device, layout.parts * kPartEvents));
  CTV_RETURN_IF_ERROR(counts_.allocate(device, layout.parts));
  return bands_.allocate(device, tiles_);
}

Status TileNotes::note(Device& device, const DeviceTileLayout& layout, const TileCuts& cuts,
                       const LevelSource& levels, cudaStream_t stream) {
  const NoteWork work{levels, layout.sets.data(), layout.tiles.data(), cuts, events()};
  launch_single_frame(device, stream, notes_kernel, tiles_, kNoteThreads, work);
  return device.launched("notes_kernel");
}

}  // namespace ctv::cuda
