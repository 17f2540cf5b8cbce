// SPDX-License-Identifier: BSD-3-Clause
#include "tests/reference/loop_filter.hpp"

#include <gtest/gtest.h>

#include "tests/support/backend_side.hpp"
#include "tests/support/guarded_plane.hpp"

namespace {

using namespace ctv;
using test::BackendPlane;
using test::BackendSide;
using test::ok;

class LoopFilters : public test::BackendTest {
 protected:
  // Numbers in the backend's memory.
  int64_t* numbers(const std::vector<int64_t>& values) {
    Result<Memory> memory = backend().allocate(values.size() * sizeof(int64_t));
    EXPECT_TRUE(ok(memory));
    if (!memory.ok()) return nullptr;
    memories_.push_back(std::move(*memory));
    auto* const at = static_cast<int64_t*>(memories_.back().data());
    EXPECT_TRUE(ok(backend().upload(at, values.data(), values.size() * sizeof(int64_t))));
    return at;
  }
  std::vector<int64_t> values_at(const int64_t* at, size_t count) {
    std::vector<int64_t> values(count);
    EXPECT_TRUE(ok(backend().download(values.data(), at, count * sizeof(int64_t))));
    return values;
  }
  void check(Extent luma, ChromaShift shift, uint32_t step, bool key, int bits) {
    SCOPED_TRACE(testing::Message() << luma.rows << "x" << luma.cols << " shift " << shift.y << "," << shift.x
                                    << " step " << step << " key " << key << " bits " << bits);
    const Extent extent{ceil_div(luma.rows, 1 << shift.y), ceil_div(luma.cols, 1 << shift.x)};
    const int depth_shift = bits - 8;
    const int lo = shift.x == 0 && bits == 8 ? -255 : 0;
    const int hi = (1 << bits) - 1;
    const int spread = (step == 16 ? 3 : (step == 700 || (lo == 0 && bits == 8) ? 200 : 400))
                       << depth_shift / 2;
    const CompensationGeometry g{test::grid_for(luma, kLog2Cell), shift.y, shift.x, true, {lo, hi}};
    const int least = key ? hi - spread : lo;  // some planes do not fit in bytes, or not even less a base
    const BackendPlane samples(backend(), extent, least, least + spread, 1);
    const BackendPlane source(backend(), extent, least, least + spread, 2);
    BackendPlane from(backend(), extent, least, least + spread, 1);
    BackendPlane to(backend(), extent);
    BackendPlane& filtered = backend().filters_in_place() ? from : to;
    BackendSide side(backend(), g.grid);
    test::draw_side(g.grid, 8, 3, 4, side);
    const LoopFilter filter = loop_filter(step, key, shift.x != 0, depth_shift);
    // Every other root is filtered.
    std::vector<int64_t> choices;
    for (size_t root = 0; root < g.grid.roots(); ++root) choices.push_back(root % 2 == 0 ? -1 : 0);
    const FilteredCells cells{g, key ? nullptr : side.device().skips, key ? nullptr : numbers(choices)};
    // Two planes' changes add up.
    const UnfilteredPlane plane{source.const_view(), samples.const_view(), filter, g};
    int64_t* const changes = numbers(std::vector<int64_t>(g.grid.roots(), 12345));
    ASSERT_TRUE(ok(backend().filter_changes(std::vector{plane, plane}, cells.skips, changes)));
    ASSERT_TRUE(ok(backend().filter(from.view(), filter, cells, to.view())));
    from.download();
    to.download();
    EXPECT_TRUE(from.intact() && to.intact());
    const int fine = reference::filtered_bits(static_cast<int>(step), depth_shift);
    const int down = depth_shift - fine;
    const auto at =
        reference::clamped([&](int r, int c) { return samples.at(r, c) >> down; }, extent.rows, extent.cols);
    const std::vector<uint8_t> skips = side.skips();
    std::vector<int64_t> expected(g.grid.roots());
    for (int r = 0; r < extent.rows; ++r) {
      for (int c = 0; c < extent.cols; ++c) {
        const int row = std::min((r << shift.y) / 8, g.grid.rows - 1);
        const int col = std::min((c << shift.x) / 8, g.grid.cols - 1);
        const auto root = static_cast<size_t>(row / 8 * ceil_div(g.grid.cols, 8) + col / 8);
        const bool skipped = !key && skips[static_cast<size_t>(row * g.grid.cols + col)] != 0;
        const int added =
            reference::filter_correction(at, static_cast<int>(step << fine), key, shift.x != 0, r, c);
        const bool kept = skipped || (!key && root % 2 != 0);
        ASSERT_EQ(filtered.at(r, c), std::clamp(samples.at(r, c) + (kept ? 0 : added * (1 << down)), lo, hi))
            << "at " << r << ", " << c;
        const int before = (source.at(r, c) >> down) - at(r, c);
        const int cell_rows = 8 >> shift.y;
        const int in_cell = r % cell_rows;
        if (!skipped && in_cell >= cell_rows / 4 && in_cell < cell_rows * 3 / 4)
          expected[root] +=
              2 * (129 * int64_t{before - added} * (before - added) - 128 * int64_t{before} * before);
      }
    }
    EXPECT_EQ(values_at(changes, expected.size()), expected);
  }
  std::vector<Memory> memories_;
};

// Smooth and rough planes, so that some neighbours are within the bound and some beyond.
TEST_P(LoopFilters, AgreeWithTheDefinition) {
  for (const Extent luma : test::odd_extents()) {
    for (const ChromaShift shift : {ChromaShift{0, 0}, {0, 1}, {1, 1}, {0, 2}}) {
      for (const uint32_t step : {16U, 700U, 65535U}) {
        for (const bool key : {false, true}) {
          for (const int bits : {8, 10, 12}) check(luma, shift, step, key, bits);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

CTV_FOR_EACH_BACKEND(LoopFilters);

}  // namespace
