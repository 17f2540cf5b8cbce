// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/entropy/tile_layout.hpp"

#include <algorithm>

namespace ctv::cuda {
namespace {

template <typename T>
Status copy_to(Device& device, const T* from, size_t count, DeviceArray<T>& to) {
  CTV_RETURN_IF_ERROR(to.allocate(device, count));
  CTV_CUDA_TRY(device, cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyHostToDevice));
  return {};
}

void join(std::vector<LevelRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const LevelRange& a, const LevelRange& b) {
    return a.plane != b.plane ? a.plane < b.plane : a.offset < b.offset;
  });
  size_t last = 0;
  for (size_t i = 1; i < ranges.size(); ++i) {
    LevelRange& before = ranges[last];
    if (ranges[i].plane == before.plane && ranges[i].offset == before.offset + before.count) {
      before.count += ranges[i].count;
    } else {
      ranges[++last] = ranges[i];
    }
  }
  if (!ranges.empty()) ranges.resize(last + 1);
}

}  // namespace

TileLayout::TileLayout(const CodingPlan& plan) {
  for (const std::vector<TileSet>& component : plan.components) {
    components.push_back({static_cast<uint32_t>(tiles.size()), 0, bytes});
    for (const TileSet& from : component) {
      DeviceTileSet set{};
      set.rows = from.rows;
      set.cols = from.cols;
      set.row_shift = from.row_shift;
      set.col_shift = from.col_shift;
      set.bands = static_cast<uint32_t>(from.bands);
      set.plane = static_cast<uint32_t>(from.plane);
      for (size_t b = 0; b < set.bands; ++b) {
        set.offsets[b] = from.offsets[b];
        ranges.push_back({set.plane, from.offsets[b], from.levels()});
      }
      TilePlace place(from, 0);
      for (size_t i = 0; i < from.tiles(); ++i, place.next(from)) {
        const auto at = static_cast<int>(tiles.size());
        tiles.push_back({place.y(), place.x(),
                         place.col > 0 ? at - static_cast<int>(place.height_of(from)) : -1,
                         place.row > 0 ? at - 1 : -1, static_cast<uint32_t>(sets.size()),
                         static_cast<uint32_t>(place.row), static_cast<uint32_t>(parts)});
        parts += set.bands;
      }
      sets.push_back(set);
      // A word for each event of parts and tiles, and the model and the two of the last state of a piece.
      bytes += from.tiles() * 2 * (set.bands * kPartEvents + 4);
    }
    components.back().tiles = static_cast<uint32_t>(tiles.size()) - components.back().first;
  }
  join(ranges);
}

Status DeviceTileLayout::initialise(Device& device, const TileLayout& layout, const SymbolTable* symbols) {
  CTV_RETURN_IF_ERROR(copy_to(device, layout.sets.data(), layout.sets.size(), sets));
  CTV_RETURN_IF_ERROR(copy_to(device, layout.tiles.data(), layout.tiles.size(), tiles));
  CTV_RETURN_IF_ERROR(copy_to(device, layout.components.data(), layout.components.size(), components));
  return copy_to(device, symbols, kTables + 1, tables);
}

}  // namespace ctv::cuda
