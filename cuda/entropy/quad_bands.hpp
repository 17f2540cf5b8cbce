// SPDX-License-Identifier: BSD-3-Clause
// The bands of a plan's components as kernels see them: all in one array, their quads numbered through.
#pragma once

#include <vector>

#include "codec/entropy/model/quad_events.hpp"
#include "codec/util/types.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

struct QuadBand {
  size_t offset;
  int rows, cols, quad_cols, quad_rows;
  int plane;
  int first;        // quad, among those of all bands
  int siblings[2];  // bands, or -1
  int parent;       // band, or -1
  int parent_is_half;
};

struct QuadBands {
  std::vector<QuadBand> bands;
  struct Begin {
    size_t band, quad, row;
  };
  std::vector<Begin> components;  // and the end
  size_t quads = 0, rows = 0;

  explicit QuadBands(const QuadPlan& plan) {
    for (const std::vector<ContextBand>& component : plan.components) {
      components.push_back({bands.size(), quads, rows});
      const auto base = static_cast<int>(bands.size());
      const auto global = [base](int band) { return band < 0 ? -1 : base + band; };
      for (const ContextBand& b : component) {
        bands.push_back({b.offset,
                         b.rows,
                         b.cols,
                         b.quad_cols(),
                         b.quad_rows(),
                         b.plane,
                         static_cast<int>(quads),
                         {global(b.siblings[0]), global(b.siblings[1])},
                         global(b.parent),
                         b.parent_grid == ParentGrid::kHalf ? 1 : 0});
        if (b.lowpass) continue;  // travels as levels
        quads += b.quads();
        rows += static_cast<size_t>(b.quad_rows());
      }
    }
    components.push_back({bands.size(), quads, rows});
  }
};

/// A host array on the device, once and for all.
template <typename T>
Status copy_to(Device& device, const std::vector<T>& from, DeviceArray<T>& to) {
  CTV_RETURN_IF_ERROR(to.allocate(device, from.size()));
  CTV_CUDA_TRY(device, cudaMemcpy(to.data(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return {};
}

}  // namespace ctv::cuda
