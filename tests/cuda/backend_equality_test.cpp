// SPDX-License-Identifier: BSD-3-Clause
// Every stage of the CUDA backend gives the integers of the CPU backend. Inputs are drawn anew in every run;
// CTV_TEST_SEED=n repeats one. Small extents with everything, large ones with what their size can break.
#include <gtest/gtest.h>

#include "tests/cuda/equality.hpp"
#include "tests/support/backend_side.hpp"
#include "tests/support/backend_slopes.hpp"
#include "tests/support/transform_cases.hpp"

namespace ctv::test {
namespace {

// ---- Transform ------------------------------------------------------------------------------------------

struct Coded {
  std::vector<int16_t> levels;
  std::vector<std::vector<int16_t>> pictures;  // of the levels, then of wild ones, at every reduction
};

// skipped: where predicted, some cells are.
Coded transform_by(Backend& backend, Engine engine, const TransformCase& c, bool predicted, bool skipped,
                   bool extreme) {
  Coded out;
  const SubbandLayout layout = c.layout();
  auto coder = backend.make_transform(layout, engine);
  EXPECT_TRUE(ok(coder));
  if (!coder.ok()) return out;
  const int lo = extreme ? -255 : 0;
  BackendPlane samples(backend, layout.padded, lo, 255, c.seed);
  BackendPlane prediction(backend, layout.padded, lo, 255, c.seed + 1);
  BackendPlane levels(backend, {1, static_cast<int>(layout.num_coefficients)});
  const BackendSlopes slopes(backend, c.slopes());
  const std::vector<SubbandQuantiser> quantisers = extreme ? lossless(layout) : lossy(layout, 70);
  const PlaneView<const Sample> p = predicted ? prediction.const_view() : PlaneView<const Sample>{};
  const int y = static_cast<int>(c.seed % 2);
  const int x = static_cast<int>(c.seed / 2 % 2);
  const MotionGrid grid = grid_for({layout.padded.rows << y, layout.padded.cols << x}, kLog2Cell);
  BackendSide side(backend, grid);
  draw_side(grid, 8, 2, c.seed + 4, side);
  const auto cells = [&](int reduction) {
    return SkippedCells{{grid, y + reduction, x + reduction, true, {lo, 255}},
                        predicted && skipped ? side.device().skips : nullptr};
  };
  EXPECT_TRUE(ok((*coder)->forward(samples.const_view(), p, 128, quantisers, levels.view().data,
                                   slopes.data(), cells(0))));
  levels.download();
  EXPECT_TRUE(levels.intact());
  out.levels = row_of(levels);
  BackendPlane wild(backend, {1, static_cast<int>(layout.num_coefficients)}, -32768, 32767, c.seed + 2);
  for (const BackendPlane* in : {&levels, &wild}) {
    for (int reduction = 0; reduction <= c.transform.scales; ++reduction) {
      const Extent extent{layout.padded.rows >> reduction, layout.padded.cols >> reduction};
      BackendPlane base(backend, extent, 0, 255, c.seed + 3);
      BackendPlane result(backend, extent);
      // In place where predicted: the prediction is overwritten.
      BackendPlane& target = predicted ? base : result;
      const PlaneView<const Sample> from = predicted ? base.const_view() : PlaneView<const Sample>{};
      EXPECT_TRUE(ok((*coder)->inverse(in->view().data, quantisers, from, 128, {lo, 255}, reduction,
                                       target.view(), slopes.data(), cells(reduction))));
      target.download();
      EXPECT_TRUE(target.intact());
      out.pictures.push_back(row_of(target));
    }
  }
  return out;
}

class CudaTransform : public CudaEquality {
 protected:
  void compare(const TransformCase& c, Engine engine) {
    SCOPED_TRACE(name_of(c) + " seed " + std::to_string(c.seed));
    for (const bool predicted : {false, true}) {
      const bool skipped = between(0, 1) != 0;
      const bool extreme = between(0, 1) != 0;
      const Coded cpu = transform_by(*both()[0], Engine::kDirect, c, predicted, skipped, extreme);
      const Coded cuda = transform_by(*both()[1], engine, c, predicted, skipped, extreme);
      ASSERT_EQ(cpu.levels, cuda.levels);
      ASSERT_EQ(cpu.pictures.size(), cuda.pictures.size());
      for (size_t i = 0; i < cpu.pictures.size(); ++i)
        ASSERT_EQ(cpu.pictures[i], cuda.pictures[i]) << "picture " << i;
    }
  }
  void compare_all(Engine engine) {
    int number = 0;
    std::vector<Extent> extents = small_extents();
    // Several tiles at every depth of the directional bank, the last ones not full.
    if (!only_small()) extents.push_back({150, 290});
    for (const int fraction_bits : {0, 2}) {
      for (TransformCase c : transform_cases(extents, fraction_bits, fraction_bits == 2)) {
        if (left_out(number)) continue;
        c.seed = next_seed();
        compare(c, engine);
        if (HasFatalFailure()) return;
      }
    }
  }
  void compare_large(Engine engine) {
    for (const Extent extent : {Extent{240, 320}, Extent{1080, 1920}}) {
      for (const Pyramid pyramid : kAllPyramids) {
        const bool projection = pyramid == Pyramid::kLaplacian;
        TransformCase c{transform_of(pyramid, 4, {between(2, 4), 2, 1, 0}, 2, projection), extent};
        c.seed = next_seed();
        compare(c, engine);
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_F(CudaTransform, RefusesPlanesThatItsKernelsCannotCount) {
  TransformParameters transform;
  transform.pyramid = Pyramid::kWavelet9_7;
  const SubbandLayout layout = make_layout(transform, {16400, 32768});
  const Status status = both()[1]->make_transform(layout, Engine::kDirect).status();
  EXPECT_EQ(status.code(), CTV_ERROR_DEVICE);
  EXPECT_NE(status.message().find("537395200 coefficients"), std::string::npos) << status.message();
}

TEST_F(CudaTransform, DirectOnSmallExtents) { compare_all(Engine::kDirect); }
TEST_F(CudaTransform, DirectOnLargeExtents) {
  if (!only_small()) compare_large(Engine::kDirect);
}
TEST_F(CudaTransform, FftOnSmallExtents) { compare_all(Engine::kFft); }
TEST_F(CudaTransform, FftOnLargeExtents) {
  if (!only_small()) compare_large(Engine::kFft);
}
TEST_F(CudaTransform, DeepestPyramid) {
  for (const Pyramid pyramid : kAllPyramids) {
    if (smallness() > 1 && pyramid == Pyramid::kWavelet5_3) continue;
    const int levels = smallness() > 1 ? 3 : kMaxScales;
    TransformCase c{transform_of(pyramid, levels, {4, 3, 2, 1, 4, 3, 2, 1}, 2, true), {300, 17}};
    c.seed = next_seed();
    compare(c, Engine::kDirect);
  }
}

// ---- Levels ---------------------------------------------------------------------------------------------

TEST_F(CudaEquality, QuantiserThatDecidesByRate) {
  for (const Extent extent : all_extents()) {
    for (const Pyramid pyramid : {Pyramid::kLaplacian, Pyramid::kWavelet9_7}) {
      const TransformParameters t = transform_of(pyramid, 3, {between(0, 4), between(0, 4), between(0, 4)});
      const SubbandLayout layout = make_layout(t, extent);
      const int limit = between(1, 2) == 1 ? 32767 : between(20, 400);
      const uint32_t step = static_cast<uint32_t>(between(17, 3000));
      const uint64_t seed = next_seed();
      SCOPED_TRACE(text(extent) + " seed " + std::to_string(seed));
      std::vector<std::vector<int16_t>> results;
      for (Backend* backend : both()) {
        const Extent row{1, static_cast<int>(layout.num_coefficients)};
        BackendPlane coefficients(*backend, row, -limit, limit, seed);
        BackendPlane levels(*backend, row);
        ASSERT_TRUE(
            ok(backend->quantise(layout, lossy(layout, step), coefficients.view().data, levels.view().data)));
        levels.download();
        EXPECT_TRUE(levels.intact());
        results.push_back(row_of(levels));
      }
      ASSERT_EQ(results[0], results[1]);
    }
  }
}

TEST_F(CudaEquality, SquaredErrorOfTwoPlanes) {
  for (const Extent extent : all_extents()) {
    for (const int limit : {255, 32767}) {
      const uint64_t seed = next_seed();
      SCOPED_TRACE(text(extent) + " seed " + std::to_string(seed));
      std::vector<uint64_t> sums;
      for (Backend* backend : both()) {
        BackendPlane a(*backend, extent, -limit, limit, seed);
        BackendPlane b(*backend, extent, -limit, limit, seed + 1);
        auto meter = backend->make_distortion_meter();
        ASSERT_TRUE(ok(meter));
        ASSERT_TRUE(ok((*meter)->measure(a.const_view(), b.const_view())));
        ASSERT_TRUE(ok((*meter)->finish(sums.emplace_back())));
      }
      ASSERT_EQ(sums[0], sums[1]);
    }
  }
}

TEST_F(CudaEquality, SubbandPrediction) {
  for (const Extent extent : all_extents()) {
    for (const Pyramid pyramid : {Pyramid::kLaplacian, Pyramid::kWavelet9_7}) {
      for (const ChromaShift chroma : {ChromaShift{0, 0}, ChromaShift{0, 1}, ChromaShift{1, 1}}) {
        const TransformParameters t =
            transform_of(pyramid, between(1, 3), {between(0, 4), between(0, 4), between(0, 4)});
        const SubbandLayout layout = make_layout(t, extent);
        const MotionGrid grid =
            grid_for({layout.padded.rows << chroma.y, layout.padded.cols << chroma.x}, between(3, 5));
        const int layers = between(1, layout.layers);
        const uint64_t seed = next_seed();
        SCOPED_TRACE(text(extent) + " seed " + std::to_string(seed));
        std::vector<std::vector<int16_t>> results;
        for (Backend* backend : both()) {
          const Extent row{1, static_cast<int>(layout.num_coefficients)};
          BackendPlane levels(*backend, row, -32768, 32767, seed);
          BackendPlane previous(*backend, row, -32768, 32767, seed + 1);
          BackendPlane residual(*backend, row);
          BackendVectors vectors(*backend, grid);
          Random random(seed + 2);
          for (int r = 0; r < grid.rows; ++r) {
            for (int c = 0; c < grid.cols; ++c) {
              vectors.set(r, c,
                          {static_cast<int16_t>(random.between(-40, 40)),
                           static_cast<int16_t>(random.between(-40, 40))});
            }
          }
          vectors.upload();
          ASSERT_TRUE(
              ok(backend->subtract_subbands(layout, chroma, grid, vectors.device(), levels.view().data,
                                            previous.view().data, residual.view().data)));
          residual.download();
          EXPECT_TRUE(residual.intact());
          results.push_back(row_of(residual));
          const int reduction = layout.layers - layers;
          BackendPlane sums(*backend, row);
          BackendPlane samples(*backend, {layout.padded.rows >> reduction, layout.padded.cols >> reduction});
          auto coder = backend->make_transform(layout, Engine::kDirect);
          ASSERT_TRUE(ok(coder));
          ASSERT_TRUE(
              ok((*coder)->inverse_predicted(*backend,
                                             {.layout = layout,
                                              .chroma = chroma,
                                              .grid = grid,
                                              .vectors = vectors.device(),
                                              .residual = residual.view().data,
                                              .previous = previous.view().data,
                                              .levels = sums.view().data},
                                             lossy(layout, 70), 128, {0, 255}, reduction, samples.view())));
          for (BackendPlane* plane : {&sums, &samples}) {
            plane->download();
            EXPECT_TRUE(plane->intact());
            results.push_back(row_of(*plane));
          }
          ASSERT_TRUE(ok(backend->add_subbands(layout, chroma, grid, vectors.device(), residual.view().data,
                                               previous.view().data, layers, residual.view().data)));
          residual.download();
          EXPECT_TRUE(residual.intact());
          results.push_back(row_of(residual));
          ASSERT_TRUE(ok(backend->copy(levels.view().data, residual.view().data,
                                       layout.num_coefficients * sizeof(Level))));
          levels.download();
          EXPECT_EQ(row_of(levels), results.back());
        }
        const size_t half = results.size() / 2;
        for (size_t i = 0; i < half; ++i) ASSERT_EQ(results[i], results[half + i]) << "result " << i;
      }
    }
  }
}

}  // namespace
}  // namespace ctv::test
