// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/entropy/tile_layout.hpp"

namespace ctv::cuda {
namespace {

template <typename T>
Status copy_to(Device& device, const T* from, size_t count, DeviceArray<T>& to) {
  CTV_RETURN_IF_ERROR(to.allocate(device, count));
  CTV_CUDA_TRY(device, cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyHostToDevice));
  return {};
}

}  // namespace

TileLayout::TileLayout(const CodingPlan& plan) {
  size_t errors = 0;
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
      set.lowpass = from.lowpass;
      set.component = static_cast<uint32_t>(components.size() - 1);
      set.errors = errors;
      if (from.lowpass) {
        errors += from.levels();
        lowpass.push_back(static_cast<uint32_t>(sets.size()));
      }
      for (size_t b = 0; b < set.bands; ++b) set.offsets[b] = from.offsets[b];
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
      // A word per event of parts and tiles; and per piece one for the model and two for the last state.
      bytes += from.tiles() * 2 * (set.bands * kPartEvents + 4);
    }
    components.back().tiles = static_cast<uint32_t>(tiles.size()) - components.back().first;
  }
}

Status DeviceTileLayout::initialise(Device& device, const TileLayout& layout, const SymbolTable* symbols) {
  CTV_RETURN_IF_ERROR(copy_to(device, layout.sets.data(), layout.sets.size(), sets));
  CTV_RETURN_IF_ERROR(copy_to(device, layout.tiles.data(), layout.tiles.size(), tiles));
  CTV_RETURN_IF_ERROR(copy_to(device, layout.components.data(), layout.components.size(), components));
  CTV_RETURN_IF_ERROR(copy_to(device, layout.lowpass.data(), layout.lowpass.size(), lowpass));
  CTV_RETURN_IF_ERROR(copy_to(device, symbols, kTables + 1, tables));
  return finish_filling(device);
}

}  // namespace ctv::cuda
