// SPDX-License-Identifier: BSD-3-Clause
// The loop filter of the CUDA backend gives the integers of the CPU backend. Inputs are drawn anew in every
// run; CTV_TEST_SEED=n repeats one.
#include <gtest/gtest.h>

#include "tests/cuda/equality.hpp"
#include "tests/support/backend_side.hpp"

namespace ctv::test {
namespace {

TEST_F(CudaEquality, LoopFilter) {
  for (const Extent extent : all_extents()) {
    for (const ChromaShift shift : {ChromaShift{0, 0}, {0, 1}, {1, 1}, {0, 2}}) {
      const uint64_t seed = next_seed();
      const auto step = static_cast<uint32_t>(between(1, 10000));
      const bool key = between(0, 3) == 0;
      const int spread = between(2, 255);
      SCOPED_TRACE(text(extent) + " seed " + std::to_string(seed) + " step " + std::to_string(step));
      const Extent plane{ceil_div(extent.rows, 1 << shift.y), ceil_div(extent.cols, 1 << shift.x)};
      const CompensationGeometry geometry{grid_for(extent, kLog2Cell), shift.y, shift.x, true};
      const LoopFilter filter = loop_filter(step, key, shift.x != 0, 0);
      std::vector<std::vector<int16_t>> results;
      std::vector<std::vector<int64_t>> changes;
      for (Backend* backend : both()) {
        const BackendPlane source(*backend, plane, 0, spread, seed);
        BackendPlane samples(*backend, plane, 0, spread, seed + 1);
        BackendPlane other(*backend, plane);
        BackendSide side(*backend, geometry.grid);
        draw_side(geometry.grid, 80, 2, seed + 2, side);
        Result<Memory> memory = backend->allocate(geometry.grid.roots() * sizeof(int64_t));
        ASSERT_TRUE(ok(memory));
        auto* const change = static_cast<int64_t*>(memory->data());
        FilteredCells cells{geometry, key ? nullptr : side.device().skips, nullptr};
        const UnfilteredPlane unfiltered{source.const_view(), samples.const_view(), filter, geometry};
        ASSERT_TRUE(ok(backend->filter_changes(std::span(&unfiltered, 1), cells.skips, change)));
        if (!key) cells.changes = change;
        ASSERT_TRUE(ok(backend->filter(samples.view(), filter, cells, other.view())));
        auto& values = changes.emplace_back(geometry.grid.roots());
        ASSERT_TRUE(ok(backend->download(values.data(), change, values.size() * sizeof(int64_t))));
        BackendPlane& filtered = backend->filters_in_place() ? samples : other;
        filtered.download();
        EXPECT_TRUE(filtered.intact());
        results.push_back(row_of(filtered));
      }
      ASSERT_EQ(changes[0], changes[1]);
      ASSERT_EQ(results[0], results[1]);
    }
  }
}

}  // namespace
}  // namespace ctv::test
