// SPDX-License-Identifier: BSD-3-Clause
// Events of quads as the device finds them are those of the definition: rows of every length around the sizes
// of warps, blocks and stages, siblings, both kinds of parents, levels from none to all and up to the
// largest.
#include <gtest/gtest.h>

#include "codec/entropy/context_bands.hpp"
#include "tests/cuda/equality.hpp"
#include "tests/reference/quads.hpp"

namespace ctv::test {
namespace {

class CudaQuadEvents : public CudaEquality {
 protected:
  // A component of bands in the planes' arrays behind what is there already.
  std::vector<ContextBand> component(std::array<size_t, 3>& sizes, int most_rows, int most_cols,
                                     bool lowpass = false) {
    std::vector<ContextBand> bands;
    const int count = between(1, 4);
    for (int i = 0; i < count; ++i) {
      ContextBand b{.rows = between(1, most_rows), .cols = between(1, most_cols), .plane = between(0, 2)};
      if (i > 0 && between(0, 2) > 0) {  // a sibling
        b.rows = bands[0].rows;
        b.cols = bands[0].cols;
      }
      size_t& size = sizes[static_cast<size_t>(b.plane)];
      b.offset = size;
      size += static_cast<size_t>(b.rows) * static_cast<size_t>(b.cols) + static_cast<size_t>(between(0, 3));
      b.lowpass = lowpass && i == 0;
      if (i > (lowpass ? 1 : 0) && between(0, 1) != 0) {
        b.parent = i - 1;
        b.parent_grid = between(0, 1) != 0 ? ParentGrid::kHalf : ParentGrid::kSame;
      }
      bands.push_back(b);
    }
    link_siblings(bands);
    return bands;
  }

  void compare(int most_rows, int most_cols) {
    Backend& backend = *both()[1];
    QuadPlan plan;
    std::array<size_t, 3> sizes = {7, 5, 1};
    plan.levels = sizes;
    plan.components.emplace_back();  // travels as levels
    for (int i = between(1, 3); i > 0; --i)
      plan.components.push_back(component(sizes, most_rows, most_cols, i == 1));
    PictureLayout layout;
    std::vector<std::vector<int16_t>> levels;
    std::vector<std::unique_ptr<BackendPlane>> planes;
    for (size_t p = 0; p < 3; ++p) {
      layout.subbands[p].num_coefficients = sizes[p];
      planes.push_back(std::make_unique<BackendPlane>(backend, Extent{1, static_cast<int>(sizes[p])}));
      const int density = between(1, 60);
      const int largest = 1 << between(0, 15);
      for (int i = 0; i < planes[p]->cols(); ++i) {
        planes[p]->at(0, i) = between(1, density) > 1
                                  ? int16_t{0}
                                  : static_cast<int16_t>(between(-largest, std::min(largest, 32767)));
      }
      planes[p]->upload();
      levels.push_back(row_of(*planes[p]));
    }
    auto port = backend.make_level_transfer(layout, MotionGrid{4, 1, 1}, plan);
    ASSERT_TRUE(ok(port));
    ASSERT_TRUE(
        ok((*port)->download({planes[0]->view().data, planes[1]->view().data, planes[2]->view().data}, {})));
    ASSERT_TRUE(ok((*port)->finish()));
    const CodedFrame host = (*port)->downloaded();
    for (size_t p = 0; p < 3; ++p) {
      EXPECT_TRUE(std::equal(host.levels[p], host.levels[p] + plan.levels[p], levels[p].begin()));
    }
    const std::array<const Level*, 3> data = {levels[0].data(), levels[1].data(), levels[2].data()};
    ASSERT_EQ(host.quads.size(), plan.components.size());
    for (size_t c = 0; c < plan.components.size(); ++c) {
      const QuadEvents& found = host.quads[c];
      ASSERT_EQ(found.rows == nullptr, plan.components[c].empty());
      const reference::FoundQuads expected = reference::QuadsByDefinition(plan.components[c], data).find();
      size_t first = 0;
      size_t row = 0;
      for (const ContextBand& b : plan.components[c]) {
        if (b.lowpass) continue;
        for (int y = 0; y < b.quad_rows(); ++y, ++row, first += static_cast<size_t>(b.quad_cols())) {
          const QuadRow& e = expected.rows[row];
          ASSERT_EQ(found.rows[row].events, e.events) << "row " << row;
          ASSERT_EQ(found.rows[row].magnitudes, e.magnitudes) << "row " << row;
          for (size_t i = first; i < first + e.events; ++i) ASSERT_EQ(found.events[i], expected.events[i]);
          for (size_t i = 4 * first; i < 4 * first + e.magnitudes; ++i)
            ASSERT_EQ(found.magnitudes[i], expected.magnitudes[i]);
        }
      }
    }
  }
};

// Lists of quads become levels, whatever was there.
TEST_F(CudaQuadEvents, ListsBecomeLevels) {
  Backend& backend = *both()[1];
  for (int trial = 0; trial < (only_small() ? 3 : 60); ++trial) {
    QuadPlan plan;
    plan.up = true;
    std::array<size_t, 3> sizes = {7, 5, 0};
    plan.levels = sizes;
    plan.components.emplace_back();
    for (int i = between(1, 3); i > 0; --i)
      plan.components.push_back(component(sizes, 20, only_small() ? 70 : 500));
    PictureLayout layout;
    std::array<std::vector<int16_t>, 3> expected;
    std::vector<std::unique_ptr<BackendPlane>> planes;
    for (size_t p = 0; p < 3; ++p) {
      layout.subbands[p].num_coefficients = sizes[p];
      expected[p].resize(sizes[p]);
      planes.push_back(std::make_unique<BackendPlane>(backend, Extent{1, static_cast<int>(sizes[p])}));
    }
    auto port = backend.make_level_transfer(layout, MotionGrid{4, 1, 1}, plan);
    ASSERT_TRUE(ok(port));
    for (int again = 0; again < 2; ++again) {
      for (size_t p = 0; p < 3; ++p) std::fill(expected[p].begin(), expected[p].end(), int16_t{0});
      const CodedFrameBuffers host = (*port)->upload_buffers();
      for (size_t p = 0; p < 3; ++p) {
        for (size_t i = 0; i < plan.levels[p]; ++i)
          host.levels[p][i] = expected[p][i] = static_cast<int16_t>(between(-9, 9));
      }
      for (size_t c = 1; c < plan.components.size(); ++c) {
        QuadList& list = host.lists[c];
        list.count = 0;
        uint32_t place = 0;
        const int density = between(1, 30);
        for (const ContextBand& b : plan.components[c]) {
          for (int y = 0; y < b.quad_rows(); ++y) {
            for (int x = 0; x < b.quad_cols(); ++x, ++place) {
              if (between(1, density) > 1) continue;
              QuadEntry& entry = list.entries[list.count++];
              entry.place = place;
              for (int i = 0; i < 4; ++i) {
                const int row = 2 * y + i / 2;
                const int col = 2 * x + i % 2;
                entry.levels[i] = static_cast<int16_t>(between(-32768, 32767));
                if (row >= b.rows || col >= b.cols) continue;
                expected[static_cast<size_t>(b.plane)]
                        [b.offset + static_cast<size_t>(row) * static_cast<size_t>(b.cols) +
                         static_cast<size_t>(col)] = entry.levels[i];
              }
            }
          }
        }
      }
      ASSERT_TRUE(ok((*port)->import_levels(
          {planes[0]->view().data, planes[1]->view().data, planes[2]->view().data}, {})));
      ASSERT_TRUE(ok((*port)->finish()));
      for (size_t p = 0; p < 3; ++p) {
        planes[p]->download();
        EXPECT_TRUE(planes[p]->intact());
        ASSERT_EQ(row_of(*planes[p]), expected[p]);
      }
    }
  }
}

TEST_F(CudaQuadEvents, AreThoseOfTheDefinition) {
  const int trials = only_small() ? 4 : 150;
  for (int trial = 0; trial < trials && !HasFatalFailure(); ++trial) {
    const int wide = only_small() ? 70 : (trial % 10 == 0 ? 5000 : 600);
    compare(trial % 10 == 0 ? 4 : 24, wide);
  }
}

}  // namespace
}  // namespace ctv::test
