// SPDX-License-Identifier: BSD-3-Clause
// Tiles of a plan's components as kernels read them: all components in one array.
#pragma once

#include <vector>

#include "codec/model/rans.hpp"
#include "codec/model/tile_sets.hpp"
#include "codec/util/types.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// Most events of a part: masks of nodes, of levels and of large levels, signs, numbers and their raw bits.
inline constexpr uint32_t kPartEvents = 21 + 64 * 2 + 16 + 256 * 2;

/// C structs, since kernels read them.
struct DeviceTileSet {
  size_t offsets[kTileBands];
  int rows, cols;
  int row_shift, col_shift;  // as in TileSet
  uint32_t bands, plane;
  bool lowpass;
  uint32_t component;
  size_t errors;  // of a lowpass: offset of its prediction errors
};

struct DeviceTile {
  int y, x;         // first level in the subband
  int left, above;  // tiles of the same strip, or -1
  uint32_t set;
  uint32_t row;   // in the strip
  uint32_t part;  // number of the tile's first part, across all components
};

struct DeviceComponent {
  uint32_t first, tiles;
  size_t bytes;  // offset of the component's coded bytes
};

/// Made once, on the host.
struct TileLayout {
  std::vector<DeviceTileSet> sets;
  std::vector<DeviceTile> tiles;
  std::vector<DeviceComponent> components;
  std::vector<uint32_t> lowpass;  // numbers of lowpass sets
  size_t parts = 0;
  size_t bytes = 0;  // upper bound of coded bytes of all components

  explicit TileLayout(const CodingPlan& plan);
  /// Upper bound of a component's coded bytes.
  size_t most_bytes(size_t component) const {
    const size_t end = component + 1 < components.size() ? components[component + 1].bytes : bytes;
    return end - components[component].bytes;
  }
};

/// The same in device memory, with the symbol tables.
struct DeviceTileLayout {
  DeviceArray<DeviceTileSet> sets;
  DeviceArray<DeviceTile> tiles;
  DeviceArray<DeviceComponent> components;
  DeviceArray<uint32_t> lowpass;
  DeviceArray<SymbolTable> tables;
  /// symbols: [kTables + 1], in host memory.
  Status initialise(Device& device, const TileLayout& layout, const SymbolTable* symbols);
};

}  // namespace ctv::cuda
