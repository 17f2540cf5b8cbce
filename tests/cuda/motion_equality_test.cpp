// SPDX-License-Identifier: BSD-3-Clause
// Motion of the CUDA backend gives the integers of the CPU backend: search, the decision of skips,
// compensation, and what surrounds skipped cells. Inputs are drawn anew in every run; CTV_TEST_SEED=n repeats
// one.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "codec/dsp/motion_vectors.hpp"
#include "tests/cuda/equality.hpp"
#include "tests/support/backend_side.hpp"

namespace ctv::test {
namespace {

/// Planes of 4:4:4, 4:2:2 and 4:2:0, at full and reduced resolutions.
constexpr ChromaShift kShifts[] = {{0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {4, 4}};

std::string shifts(ChromaShift shift) { return std::to_string(shift.y) + "," + std::to_string(shift.x); }
Extent subsampled(Extent e, ChromaShift shift) {
  return {ceil_div(e.rows, 1 << shift.y), ceil_div(e.cols, 1 << shift.x)};
}
Extent padded_for(Extent extent) { return {round_up(extent.rows, 16), round_up(extent.cols, 16)}; }

TEST_F(CudaEquality, MotionVectors) {
  int number = 0;
  for (const Extent extent : all_extents()) {
    for (const int log2_block : {3, 4, 5}) {
      for (const int range : {0, 1, 8, 13, 64}) {
        if (range == 64 && (extent.area() > 10000 || smallness() > 1)) continue;
        if (extent.area() > 1000000 && range != 8) continue;
        for (int subpel = 0; subpel <= kMaxSubpel; ++subpel) {
          if (left_out(number)) continue;
          // Flat pictures make ties; small alphabets many.
          const int lo = between(0, 2) * 100;
          const int hi = lo + (between(0, 1) != 0 ? between(0, 3) : 55);
          const uint32_t lambda = between(0, 1) != 0 ? static_cast<uint32_t>(between(0, 2000)) : 0;
          const int split = log2_block > 3 ? between(0, 1) : 0;
          const int log2_grid = split != 0 ? kLog2Cell : between(kLog2Cell, log2_block);
          const uint64_t seed = next_seed();
          SCOPED_TRACE(text(extent) + " block " + std::to_string(1 << log2_block) + " split " +
                       std::to_string(split) + " grid " + std::to_string(1 << log2_grid) + " range " +
                       std::to_string(range) + " subpel " + std::to_string(subpel) + " lambda " +
                       std::to_string(lambda) + " seed " + std::to_string(seed));
          const Extent padded{round_up(extent.rows, 8), round_up(extent.cols, 8)};
          const int far_range = between(0, 1) != 0 ? between(1, kMaxFarRange / kFarStep) * kFarStep : 0;
          const auto effort = static_cast<MotionEffort>(split != 0 ? between(1, 2) : between(0, 2));
          const MotionParameters parameters{
              grid_for(padded, log2_grid), log2_block, split, range, far_range, subpel, effort};
          const bool with_still = between(0, 1) != 0;
          std::vector<std::vector<MotionVector>> results;
          for (Backend* backend : both()) {
            BackendSide still(*backend, parameters.grid);
            for (int r = 0; r < parameters.grid.rows; ++r) {
              for (int c = 0; c < parameters.grid.cols; ++c)
                still.set_skip(static_cast<size_t>(r * parameters.grid.cols + c), (r / 4 + c / 8) % 2 == 0);
            }
            still.upload();
            BackendPlane current(*backend, padded, lo, hi, seed);
            BackendPlane reference(*backend, padded, lo, hi, seed + 1);
            BackendVectors vectors(*backend, parameters.grid);
            auto motion = backend->make_motion(parameters, extent);
            ASSERT_TRUE(ok(motion));
            for (int repeat = 0; repeat < 2; ++repeat) {
              ASSERT_TRUE(ok((*motion)->search(
                  current.const_view(), reference.const_view().crop(extent.rows, extent.cols), lambda,
                  with_still ? still.device().skips : nullptr, vectors.device())));
            }
            vectors.download();
            EXPECT_TRUE(vectors.intact());
            results.push_back(vectors.all());
          }
          ASSERT_EQ(results[0], results[1]);
        }
      }
    }
  }
}

TEST_F(CudaEquality, Compensation) {
  int number = 0;
  for (const Extent extent : all_extents()) {
    for (const ChromaShift shift : kShifts) {
      for (const int limit : {3, 80, 900}) {
        for (int kind = 0; kind < 3; ++kind) {  // without overlap, without skips, with both
          if (extent.area() > 1000000 && (limit != 80 || kind != 2)) continue;
          if (left_out(number)) continue;
          const uint64_t seed = next_seed();
          SCOPED_TRACE(text(extent) + " shifts " + shifts(shift) + " vectors to " + std::to_string(limit) +
                       " kind " + std::to_string(kind) + " seed " + std::to_string(seed));
          const Extent padded = padded_for(extent);
          Extent plane = subsampled(padded, shift);
          if (between(0, 3) == 0) plane.rows += 8;  // beyond the grid
          const Extent cropped = subsampled(extent, shift);
          const SampleRange range{seed % 2 == 0 ? 0 : -255, 255};
          const CompensationGeometry geometry{grid_for(padded, kLog2Cell), shift.y, shift.x, kind != 0,
                                              range};
          std::vector<std::vector<int16_t>> results;
          for (Backend* backend : both()) {
            BackendPlane reference(*backend, plane, range.lo, range.hi, seed);
            BackendPlane prediction(*backend, plane);
            BackendSide side(*backend, geometry.grid);
            draw_side(geometry.grid, limit, kind == 1 ? 0 : 3, seed + 1, side);
            SideInfo device = side.device();
            ASSERT_TRUE(ok(backend->compensate(reference.const_view().crop(cropped.rows, cropped.cols),
                                               device, geometry, prediction.view())));
            prediction.download();
            EXPECT_TRUE(prediction.intact());
            results.push_back(row_of(prediction));
          }
          ASSERT_EQ(results[0], results[1]);
        }
      }
    }
  }
}

/// Planes of a picture of waves and of the next one, whose blocks of 32x32 luma samples move or stand still
/// and are clean or noisy; and a place for vectors.
struct Scene {
  static constexpr int kNoise[] = {0, 1, 4, 30};

  Scene(Backend& backend, Extent extent, int count, ChromaShift chroma, uint64_t seed)
      : padded(padded_for(extent)), grid(grid_for(padded, kLog2Cell)), side(backend, grid) {
    planes.planes = count;
    planes.chroma = chroma;
    Random random(seed);
    std::vector<MotionVector> moves;
    std::vector<int> noise;
    const int across = ceil_div(padded.cols, kBlock);
    for (int i = 0; i < ceil_div(padded.rows, kBlock) * across; ++i) {
      const bool moved = random.between(0, 1) != 0;
      moves.push_back(moved ? MotionVector{static_cast<int16_t>(random.between(-60, 60)),
                                           static_cast<int16_t>(random.between(-60, 60))}
                            : MotionVector{});
      noise.push_back(kNoise[random.between(0, 3)]);
    }
    const auto wave = [&](double y, double x, int p) {  // chroma with a sign, or without
      return (p > 0 && seed % 2 == 1 ? 0 : 128) + 60 * std::sin(0.31 * y + 0.05 * x + p) +
             50 * std::sin(0.23 * x - 0.07 * y);
    };
    for (int p = 0; p < count; ++p) {
      const ChromaShift shift = p == 0 ? ChromaShift{} : chroma;
      BackendPlane& source = plane_of(backend, subsampled(padded, shift));
      BackendPlane& reference = plane_of(backend, subsampled(padded, shift));
      for (int r = 0; r < source.rows(); ++r) {
        for (int c = 0; c < source.cols(); ++c) {
          const int y = r << shift.y;
          const int x = c << shift.x;
          const auto block = static_cast<size_t>(y / kBlock * across + x / kBlock);
          const double moved = wave(y + moves[block].y / 8.0, x + moves[block].x / 8.0, p);
          reference.at(r, c) = static_cast<int16_t>(std::lround(wave(y, x, p)));
          source.at(r, c) =
              static_cast<int16_t>(std::lround(moved) + random.between(-noise[block], noise[block]));
        }
      }
      source.upload();
      reference.upload();
      const Extent cropped = subsampled(extent, shift);
      planes.source[static_cast<size_t>(p)] = source.const_view();
      planes.reference[static_cast<size_t>(p)] = reference.const_view().crop(cropped.rows, cropped.cols);
    }
    searched = std::make_unique<BackendVectors>(backend, grid);
  }

  /// Vectors that agree less than a search leaves them.
  void vary_vectors(uint64_t seed) {
    Random random(seed);
    for (int r = 0; r < grid.rows; ++r) {
      for (int c = 0; c < grid.cols; ++c) {
        const MotionVector v = searched->get(r, c);
        const int kind = random.between(0, 7);
        if (kind == 0) searched->set(r, c, {static_cast<int16_t>(v.y + random.between(-4, 4)), v.x});
        if (kind == 1) searched->set(r, c, {static_cast<int16_t>(random.between(-900, 900)), 8});
      }
    }
    searched->upload();
  }

  static constexpr int kBlock = 32;
  Extent padded;
  MotionGrid grid;
  SkipPlanes planes;
  BackendSide side;
  std::unique_ptr<BackendVectors> searched;

 private:
  BackendPlane& plane_of(Backend& backend, Extent extent) {
    return *all_.emplace_back(std::make_unique<BackendPlane>(backend, extent));
  }
  std::vector<std::unique_ptr<BackendPlane>> all_;
};

TEST_F(CudaEquality, SkipDecisions) {
  int number = 0;
  size_t still_cells = 0;
  size_t skipped = 0;
  size_t coded = 0;
  size_t changed = 0;
  for (const Extent extent : all_extents()) {
    for (const ChromaShift chroma : {ChromaShift{0, 0}, ChromaShift{0, 1}, ChromaShift{1, 1}}) {
      for (const int planes : {1, 3}) {
        for (const int base_step : {0, 16, 60, 250, 1000, between(1, 4000)}) {
          if (extent.area() > 1000000 && base_step != 250) continue;
          if (left_out(number)) continue;
          const int log2_block = between(kLog2Cell, 5);
          const auto lambda = static_cast<uint32_t>(between(0, 200));
          const int range = between(0, 8);
          const int far_range = between(0, 3) * kFarStep;
          const uint64_t seed = next_seed();
          SCOPED_TRACE(text(extent) + " chroma " + shifts(chroma) + " planes " + std::to_string(planes) +
                       " step " + std::to_string(base_step) + " block " + std::to_string(1 << log2_block) +
                       " lambda " + std::to_string(lambda) + " range " + std::to_string(range) + " far " +
                       std::to_string(far_range) + " seed " + std::to_string(seed));
          std::vector<std::vector<MotionVector>> decided;
          std::vector<std::vector<MotionVector>> vectors;  // before squares are united
          std::vector<std::vector<MotionVector>> united;
          std::vector<std::vector<uint8_t>> skips;  // still, skipped; of each backend
          std::vector<std::vector<uint8_t>> close;  // still, skipped; of each backend
          for (Backend* backend : both()) {
            Scene scene(*backend, extent, planes, chroma, seed);
            const auto step = static_cast<uint32_t>(base_step);
            BackendSide still(*backend, scene.grid);
            ASSERT_TRUE(ok(backend->find_still(scene.planes, scene.grid, step, still.device().skips)));
            still.download();
            EXPECT_TRUE(still.intact());
            skips.push_back(still.skips());
            MotionVector* const found = scene.searched->device();
            auto motion = backend->make_motion({.grid = scene.grid,
                                                .log2_block = log2_block,
                                                .split = log2_block == kLog2Cell ? 0 : 1,
                                                .range = range,
                                                .far_range = far_range,
                                                .subpel = kMaxSubpel},
                                               scene.padded);
            ASSERT_TRUE(ok(motion));
            ASSERT_TRUE(ok((*motion)->search(scene.planes.source[0], scene.planes.reference[0], lambda,
                                             still.device().skips, found)));
            ASSERT_TRUE(ok((*motion)->decide_skips(scene.planes, step, still.device().skips,
                                                   SideInfo{found, scene.side.device().skips})));
            scene.searched->download();
            EXPECT_TRUE(scene.searched->intact());
            decided.push_back(scene.searched->all());
            for (const MotionVector* v : std::array<const MotionVector*, 2>{nullptr, found}) {
              ASSERT_TRUE(
                  ok(backend->skip_by_ssd(scene.planes, scene.grid, step, v, nullptr, still.device().skips)));
              still.download();
              EXPECT_TRUE(still.intact());
              close.push_back(still.skips());
            }
            scene.vary_vectors(seed);
            ASSERT_TRUE(
                ok(backend->merge_skip_vectors(scene.planes, scene.grid, step, found, scene.side.device())));
            scene.side.download();
            EXPECT_TRUE(scene.side.intact());
            skips.push_back(scene.side.skips());
            united.push_back(scene.side.vectors.all());
            vectors.push_back(scene.searched->all());
          }
          ASSERT_EQ(skips[0], skips[2]);
          ASSERT_EQ(skips[1], skips[3]);
          ASSERT_EQ(close[0], close[2]);
          ASSERT_EQ(close[1], close[3]);
          ASSERT_EQ(decided[0], decided[1]);
          ASSERT_EQ(united[0], united[1]);
          for (size_t i = 0; i < united[0].size(); ++i) changed += united[0][i] == vectors[0][i] ? 0U : 1U;
          for (const uint8_t flag : skips[0]) still_cells += flag;
          for (const uint8_t flag : skips[1]) ++(flag != 0 ? skipped : coded);
        }
      }
    }
  }
  if (smallness() > 1) return;  // too few cases to have all kinds
  EXPECT_GT(still_cells, 0U);
  EXPECT_GT(skipped, still_cells);
  EXPECT_GT(coded, 0U);
  EXPECT_GT(changed, 0U);
}

}  // namespace
}  // namespace ctv::test
