// SPDX-License-Identifier: BSD-3-Clause
// The tiles of a plan's components as kernels see them: all in one array, component after component.
#pragma once

#include <vector>

#include "codec/model/rans.hpp"
#include "codec/model/tile_sets.hpp"
#include "codec/util/types.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// Events of a part at most: masks, masks of levels and of large ones, signs, numbers and their raw bits.
inline constexpr uint32_t kPartEvents = 21 + 64 * 2 + 16 + 256 * 2;

/// Arrays of C, since kernels read them.
struct DeviceTileSet {
  size_t offsets[kTileBands];
  int rows, cols;
  int row_shift, col_shift;  // as in TileSet
  uint32_t bands, plane;
  bool lowpass;
  uint32_t component;
  size_t errors;  // of a lowpass: where its errors of prediction begin
};

struct DeviceTile {
  int y, x;         // first level in the subband
  int left, above;  // tiles of the same strip, or -1
  uint32_t set;
  uint32_t row;   // of the strip
  uint32_t part;  // the first of the tile's, among those of all components
};

struct DeviceComponent {
  uint32_t first, tiles;
  size_t bytes;  // where the component's coded bytes begin
};

/// Made once, on the host.
struct TileLayout {
  std::vector<DeviceTileSet> sets;
  std::vector<DeviceTile> tiles;
  std::vector<DeviceComponent> components;
  std::vector<uint32_t> lowpass;  // sets of a lowpass subband
  size_t parts = 0;
  size_t bytes = 0;  // coded, of all components at most

  explicit TileLayout(const CodingPlan& plan);
  /// Coded bytes of a component at most.
  size_t most_bytes(size_t component) const {
    const size_t end = component + 1 < components.size() ? components[component + 1].bytes : bytes;
    return end - components[component].bytes;
  }
};

/// The same in device memory, with the tables of symbols.
struct DeviceTileLayout {
  DeviceArray<DeviceTileSet> sets;
  DeviceArray<DeviceTile> tiles;
  DeviceArray<DeviceComponent> components;
  DeviceArray<uint32_t> lowpass;
  DeviceArray<SymbolTable> tables;
  /// symbols: [kTables + 1], of the host.
  Status initialise(Device& device, const TileLayout& layout, const SymbolTable* symbols);
};

}  // namespace ctv::cuda
