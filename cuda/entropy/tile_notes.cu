// SPDX-License-Identifier: BSD-3-Clause
// A block takes a tile, each of its warps a part.
#include "cuda/entropy/tile_notes.hpp"

#include "cuda/entropy/part_notes.cuh"

namespace ctv::cuda {
namespace {

constexpr uint32_t kNoteThreads = kTileBands * kWarp;

__global__ void __launch_bounds__(kNoteThreads) notes_kernel(const __grid_constant__ NoteWork work) {
  __shared__ Walker walkers[kTileBands];
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t band = threadIdx.x / kWarp;
  const uint32_t t = blockIdx.x;
  const DeviceTile tile = work.tiles[t];
  const DeviceTileSet& set = work.sets[tile.set];
  if (band >= set.bands) return;
  const uint32_t piece = work.cuts.piece_of_tile[t];
  const auto begin = static_cast<int>(work.cuts.first[piece]);
  if (threadIdx.x == 0) work.events.bands[t] = note_bands(work, tile, set, t, begin);
  uint32_t count = 0;
  if ((work.cuts.masks[t] >> band & 1U) != 0) {
    Walker& walker = walkers[band];
    clear_by_warp(walker, lane);
    __syncwarp();
    const uint32_t model = piece_model(work.cuts.piece_sums[piece]);
    count = note_part(work, walker, {model * kTablesOfModel, first_recent(model)}, tile, set, t, band, begin,
                      lane, work.events.parts + (size_t{tile.part} + band) * kPartEvents);
  }
  if (lane == 0) work.events.counts[tile.part + band] = static_cast<uint16_t>(count);
}

}  // namespace

Status TileNotes::initialise(Device& device, const TileLayout& layout) {
  tiles_ = static_cast<unsigned>(layout.tiles.size());
  CTV_RETURN_IF_ERROR(events_.allocate(device, layout.parts * kPartEvents));
  CTV_RETURN_IF_ERROR(counts_.allocate(device, layout.parts));
  return bands_.allocate(device, tiles_);
}

Status TileNotes::note(Device& device, const DeviceTileLayout& layout, const TileCuts& cuts,
                       const LevelSource& levels, cudaStream_t stream) {
  const NoteWork work{levels, layout.sets.data(), layout.tiles.data(), cuts, events()};
  notes_kernel<<<tiles_, kNoteThreads, 0, stream>>>(work);
  return device.launched("notes_kernel");
}

}  // namespace ctv::cuda
