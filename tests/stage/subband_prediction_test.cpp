// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/reference/motion.hpp"
#include "tests/support/backend_plane.hpp"
#include "tests/support/guarded_plane.hpp"
#include "tests/support/transform_cases.hpp"

namespace {

using namespace ctv;
using test::BackendPlane;
using test::BackendVectors;
using test::ok;

Extent subsampled(Extent luma, ChromaShift chroma) {
  return {(luma.rows + (1 << chroma.y) - 1) >> chroma.y, (luma.cols + (1 << chroma.x) - 1) >> chroma.x};
}

// Half of the coordinates are those of the vector before.
BackendVectors draw_vectors(Backend& backend, const MotionGrid& grid, int reach) {
  BackendVectors vectors(backend, grid);
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
  return vectors;
}

class SubbandPrediction : public test::BackendTest {
 protected:
  void check(Extent luma, ChromaShift chroma, Pyramid pyramid, int log2_block, int reach, int limit) {
    TransformParameters t;
    t.pyramid = pyramid;
    t.scales = 3;
    t.directions_log2 = {3, 2, 1};
    const SubbandLayout layout = make_layout(t, subsampled(luma, chroma));
    const MotionGrid grid = test::grid_for(make_layout(t, luma).padded, log2_block);
    const BackendVectors vectors = draw_vectors(backend(), grid, reach);
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

  // inverse_predicted() does what add_subbands() and inverse() do one after the other.
  void check_inverse(const TransformParameters& t, Extent luma, ChromaShift chroma, int log2_block,
                     Engine engine) {
    const SubbandLayout layout = make_layout(t, subsampled(luma, chroma));
    const MotionGrid grid = test::grid_for(make_layout(t, luma).padded, log2_block);
    const BackendVectors vectors = draw_vectors(backend(), grid, 300);
    const auto quantisers = test::lossy(layout, 70);
    auto coder = backend().make_transform(layout, engine);
    ASSERT_TRUE(ok(coder));
    const Extent line{1, static_cast<int>(layout.num_coefficients)};
    const BackendPlane previous(backend(), line, -40, 40, 2);
    for (int reduction = 0; reduction <= t.scales; ++reduction) {
      SCOPED_TRACE("reduction " + std::to_string(reduction));
      const Extent extent{layout.padded.rows >> reduction, layout.padded.cols >> reduction};
      BackendPlane residual(backend(), line, -40, 40, 1);
      BackendPlane sums(backend(), line);
      BackendPlane apart(backend(), extent);
      ASSERT_TRUE(
          ok(backend().add_subbands(layout, chroma, grid, vectors.device(), residual.view().data,
                                    previous.view().data, layout.layers - reduction, sums.view().data)));
      ASSERT_TRUE(
          ok((*coder)->inverse(sums.view().data, quantisers, {}, 128, {0, 255}, reduction, apart.view())));
      sums.download();
      apart.download();
      BackendPlane levels(backend(), line);
      for (const bool in_place : {false, true}) {
        BackendPlane& out = in_place ? residual : levels;
        const std::vector<int16_t> before = test::row_of(out);
        BackendPlane samples(backend(), extent);
        ASSERT_TRUE(ok((*coder)->inverse_predicted(backend(),
                                                   {.layout = layout,
                                                    .chroma = chroma,
                                                    .grid = grid,
                                                    .vectors = vectors.device(),
                                                    .residual = residual.view().data,
                                                    .previous = previous.view().data,
                                                    .levels = out.view().data},
                                                   quantisers, 128, {0, 255}, reduction, samples.view())));
        out.download();
        samples.download();
        EXPECT_TRUE(out.intact() && samples.intact());
        ASSERT_EQ(test::row_of(samples), test::row_of(apart));
        for (const Subband& s : layout.subbands) {
          for (size_t k = 0; k < s.size(); ++k) {
            const int i = static_cast<int>(s.offset + k);
            const bool counts = s.layer < layout.layers - reduction;
            ASSERT_EQ(out.at(0, i), counts ? sums.at(0, i) : before[s.offset + k]) << "level " << i;
          }
        }
      }
    }
  }
};

TEST_P(SubbandPrediction, AgreesWithTheDefinition) {
  for (const Extent extent : test::odd_extents()) {
    for (const Pyramid pyramid : {Pyramid::kLaplacian, Pyramid::kWavelet9_7}) {
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

TEST_P(SubbandPrediction, GoesTogetherWithTheInverse) {
  const TransformParameters transforms[] = {
      test::transform_of(Pyramid::kLaplacian, 1, {3}),
      test::transform_of(Pyramid::kLaplacian, 3, {1, 4, 0}, 2, true),
      test::transform_of(Pyramid::kLaplacian, 5, {2, 3, 1, 0, 2}, 0),
      test::transform_of(Pyramid::kLaplacian, 2, {2, 1}),
      test::transform_of(Pyramid::kWavelet9_7, 2, {2, 0}),
  };
  for (const Extent extent : test::odd_extents()) {
    for (const TransformParameters& t : transforms) {
      for (const Engine engine : {Engine::kDirect, Engine::kFft}) {
        if (!backend().check_engine(engine).ok()) continue;
        SCOPED_TRACE(test::name_of({t, extent}) + " engine " + std::to_string(static_cast<int>(engine)));
        check_inverse(t, extent, {0, 0}, 4, engine);
        check_inverse(t, extent, {1, 1}, 3, engine);
        check_inverse(t, extent, {0, 1}, 5, engine);
        if (HasFatalFailure()) return;
      }
    }
  }
}

CTV_FOR_EACH_BACKEND(SubbandPrediction);

}  // namespace
