// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/reference/motion.hpp"
#include "tests/support/backend_plane.hpp"
#include "tests/support/guarded_plane.hpp"

namespace {

using namespace ctv;
using test::BackendPlane;
using test::BackendVectors;
using test::ok;

class SubbandPrediction : public test::BackendTest {
 protected:
  void check(Extent luma, ChromaShift chroma, Pyramid pyramid, int log2_block, int reach, int limit) {
    TransformParameters t;
    t.pyramid = pyramid;
    t.scales = 3;
    t.directions_log2 = {3, 2, 1};
    const Extent extent{(luma.rows + (1 << chroma.y) - 1) >> chroma.y,
                        (luma.cols + (1 << chroma.x) - 1) >> chroma.x};
    const SubbandLayout layout = make_layout(t, extent);
    const MotionGrid grid = test::grid_for(make_layout(t, luma).padded, log2_block);
    BackendVectors vectors(backend(), grid);
    test::Random random(9);
    MotionVector v{};
    for (int r = 0; r < grid.rows; ++r) {
      for (int c = 0; c < grid.cols; ++c) {
        if (random.between(0, 1) == 0) v.y = static_cast<int16_t>(random.between(-reach, reach));
        if (random.between(0, 1) == 0) v.x = static_cast<int16_t>(random.between(-reach, reach));
        vectors.set(r, c, v);
      }
    }
    vectors.upload();
    const Extent line{1, static_cast<int>(layout.num_coefficients)};
    const BackendPlane levels(backend(), line, -limit, limit, 1);
    const BackendPlane previous(backend(), line, -limit, limit, 2);
    const Level* const levels_at = levels.view().data;
    const Level* const previous_at = previous.view().data;
    BackendPlane residual(backend(), line);
    ASSERT_TRUE(ok(backend().subtract_subbands(layout, chroma, grid, vectors.device(), levels_at, previous_at,
                                               residual.view().data)));
    residual.download();
    EXPECT_TRUE(residual.intact());
    std::vector<Level> old(layout.num_coefficients);
    for (size_t i = 0; i < old.size(); ++i) old[i] = previous.at(0, static_cast<int>(i));
    const std::vector<MotionVector> all = vectors.all();
    for (const Subband& s : layout.subbands) {
      for (int r = 0; r < s.rows; ++r) {
        for (int c = 0; c < s.cols; ++c) {
          const int i = static_cast<int>(s.offset) + r * s.cols + c;
          const int moved = reference::moved_level(s, chroma, grid, all, old.data(), r, c);
          ASSERT_EQ(residual.at(0, i), static_cast<Level>(levels.at(0, i) - moved)) << "level " << i;
        }
      }
    }
    for (const int layers : {layout.layers, 2}) {
      BackendPlane sum(backend(), line);
      for (const bool in_place : {false, true}) {
        BackendPlane& out = in_place ? residual : sum;
        if (in_place && layers < layout.layers) continue;
        const BackendPlane untouched(backend(), line);
        ASSERT_TRUE(ok(backend().add_subbands(layout, chroma, grid, vectors.device(), residual.view().data,
                                              previous_at, layers, out.view().data)));
        out.download();
        EXPECT_TRUE(out.intact());
        for (const Subband& s : layout.subbands) {
          for (size_t k = 0; k < s.size(); ++k) {
            const int i = static_cast<int>(s.offset + k);
            ASSERT_EQ(out.at(0, i), (s.layer < layers ? levels : untouched).at(0, i)) << "level " << i;
          }
        }
        if (in_place) residual.upload();
      }
      ASSERT_TRUE(ok(backend().subtract_subbands(layout, chroma, grid, vectors.device(), levels_at,
                                                 previous_at, residual.view().data)));
    }
  }
};

TEST_P(SubbandPrediction, AgreesWithTheDefinition) {
  for (const Extent extent : test::odd_extents()) {
    for (const Pyramid pyramid : {Pyramid::kLaplacian, Pyramid::kWavelet13_7}) {
      SCOPED_TRACE(testing::Message()
                   << extent.rows << "x" << extent.cols << " pyramid " << static_cast<int>(pyramid));
      check(extent, {0, 0}, pyramid, 4, 60, 100);
      check(extent, {1, 1}, pyramid, 3, 60, 100);
      check(extent, {0, 1}, pyramid, 5, 60, 100);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(SubbandPrediction, TakesAbsurdVectorsAndLevels) {
  check({61, 97}, {0, 0}, Pyramid::kWavelet5_3, 4, 32767, 32767);
  check({61, 97}, {1, 1}, Pyramid::kLaplacian, 3, 32767, 32767);
}

CTV_FOR_EACH_BACKEND(SubbandPrediction);

}  // namespace
