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
  // A number in the backend's memory.
  int64_t* number(int64_t value) {
    Result<Memory> memory = backend().allocate(sizeof value);
    EXPECT_TRUE(ok(memory));
    if (!memory.ok()) return nullptr;
    memories_.push_back(std::move(*memory));
    auto* const at = static_cast<int64_t*>(memories_.back().data());
    EXPECT_TRUE(ok(backend().upload(at, &value, sizeof value)));
    return at;
  }
  int64_t value_at(const int64_t* at) {
    int64_t value = 0;
    EXPECT_TRUE(ok(backend().download(&value, at, sizeof value)));
    return value;
  }
  std::vector<Memory> memories_;
};

// Smooth and rough planes, so that some neighbours are within the bound and some beyond.
TEST_P(LoopFilters, AgreeWithTheDefinition) {
  for (const Extent luma : test::odd_extents()) {
    for (const ChromaShift shift : {ChromaShift{0, 0}, {0, 1}, {1, 1}}) {
      for (const uint32_t step : {16U, 700U, 65535U}) {
        for (const bool key : {false, true}) {
          SCOPED_TRACE(testing::Message() << luma.rows << "x" << luma.cols << " shift " << shift.y << ","
                                          << shift.x << " step " << step << " key " << key);
          const Extent extent{ceil_div(luma.rows, 1 << shift.y), ceil_div(luma.cols, 1 << shift.x)};
          const int lo = shift.x == 0 ? -255 : 0;
          const int spread = step == 16 ? 3 : 200;
          const CompensationGeometry g{test::grid_for(luma, kLog2Cell), shift.y, shift.x, true, {lo, 255}};
          const BackendPlane samples(backend(), extent, 255 - spread, 255, 1);
          const BackendPlane source(backend(), extent, 255 - spread, 255, 2);
          BackendPlane filtered(backend(), extent);
          BackendSide side(backend(), g.grid);
          test::draw_side(g.grid, 8, 3, 4, side);
          const FilteredCells cells{g, key ? nullptr : side.device().skips, nullptr};
          const LoopFilter filter = loop_filter(step, key, shift.x != 0);
          int64_t* const change = number(12345);
          ASSERT_TRUE(
              ok(backend().filter_change(source.const_view(), samples.const_view(), filter, cells, change)));
          ASSERT_TRUE(ok(backend().filter(samples.const_view(), filter, cells, filtered.view())));
          filtered.download();
          EXPECT_TRUE(filtered.intact());
          const auto at =
              reference::clamped([&](int r, int c) { return samples.at(r, c); }, extent.rows, extent.cols);
          const std::vector<uint8_t> skips = side.skips();
          int64_t expected = 0;
          for (int r = 0; r < extent.rows; ++r) {
            for (int c = 0; c < extent.cols; ++c) {
              const int row = std::min((r << shift.y) / 8, g.grid.rows - 1);
              const int col = std::min((c << shift.x) / 8, g.grid.cols - 1);
              const bool skipped = !key && skips[static_cast<size_t>(row * g.grid.cols + col)] != 0;
              const int added = skipped ? 0 : reference::filter_correction(at, filter, r, c);
              ASSERT_EQ(filtered.at(r, c), std::clamp(at(r, c) + added, lo, 255)) << "at " << r << ", " << c;
              const int before = source.at(r, c) - at(r, c);
              if (!skipped)
                expected += 129 * int64_t{before - added} * (before - added) - 128 * int64_t{before} * before;
            }
          }
          EXPECT_EQ(value_at(change), expected);
        }
      }
    }
  }
}

TEST_P(LoopFilters, LeaveAPlaneThatTheyWouldNotImprove) {
  const Extent extent{37, 61};
  const CompensationGeometry g{test::grid_for(extent, kLog2Cell)};
  const LoopFilter filter = loop_filter(4096, false, false);
  const BackendPlane samples(backend(), extent, 0, 255, 1);
  for (const int64_t change : {-1, 0, 1}) {
    BackendPlane filtered(backend(), extent);
    ASSERT_TRUE(
        ok(backend().filter(samples.const_view(), filter, {g, nullptr, number(change)}, filtered.view())));
    filtered.download();
    int differences = 0;
    for (int r = 0; r < extent.rows; ++r) {
      for (int c = 0; c < extent.cols; ++c) differences += filtered.at(r, c) != samples.at(r, c) ? 1 : 0;
    }
    if (change < 0) {
      EXPECT_GT(differences, extent.rows * extent.cols / 2);
    } else {
      EXPECT_EQ(differences, 0);
    }
  }
}

CTV_FOR_EACH_BACKEND(LoopFilters);

}  // namespace
