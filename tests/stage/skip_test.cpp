// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/reference/skip.hpp"
#include "tests/support/backend_side.hpp"
#include "tests/support/guarded_plane.hpp"

namespace {

using namespace ctv;
using test::BackendPlane;
using test::BackendSide;
using test::ok;

class Skip : public test::BackendTest {
 protected:
  static constexpr int kCell = 1 << kLog2Cell;
  /// Part of the picture moves, part is still, and noise grows from left to right.
  void check(Extent extent, int planes, ChromaShift chroma, uint32_t base_step, uint64_t seed,
             int depth_shift) {
    const Extent padded{round_up(extent.rows, 4), round_up(extent.cols, 4)};
    const MotionGrid grid = test::grid_for(padded, kLog2Cell);
    test::Random random(seed);
    std::vector<BackendPlane> sources, references;
    SkipPlanes compared{planes, chroma, depth_shift, {}, {}};
    std::vector<reference::SkipPlane> expected_planes;
    sources.reserve(3);
    references.reserve(3);
    for (int p = 0; p < planes; ++p) {
      const ChromaShift shift = p == 0 ? ChromaShift{} : chroma;
      const Extent all{padded.rows >> shift.y, padded.cols >> shift.x};
      const Extent part{ceil_div(extent.rows, 1 << shift.y), ceil_div(extent.cols, 1 << shift.x)};
      BackendPlane& source = sources.emplace_back(backend(), all);
      BackendPlane& reference = references.emplace_back(backend(), part);
      const auto wave = [&](double y, double x) {
        const int mean =
            p > 0 && seed % 2 == 1 && depth_shift == 0 ? 0 : 128;  // chroma with a sign, or without
        return (1 << depth_shift) *
               (mean + 50 * std::sin(0.31 * y + 0.05 * x + p) + 40 * std::sin(0.23 * x - 0.07 * y));
      };
      for (int r = 0; r < all.rows; ++r) {
        for (int c = 0; c < all.cols; ++c) {
          const double moved = r > all.rows / 2 ? 1.5 : 0;
          const int noise = random.between(-1, 1) * random.between(0, (1 + 12 * c / all.cols) << depth_shift);
          source.at(r, c) = static_cast<Sample>(std::lround(wave(r, c + moved)) + noise);
          if (r < part.rows && c < part.cols)
            reference.at(r, c) = static_cast<Sample>(std::lround(wave(r, c)));
        }
      }
      source.upload();
      reference.upload();
      compared.source[static_cast<size_t>(p)] = source.const_view();
      compared.reference[static_cast<size_t>(p)] = reference.const_view();
      const auto at = [](const BackendPlane& plane) {
        return reference::clamped([&](int r, int c) { return plane.at(r, c); }, plane.rows(), plane.cols());
      };
      expected_planes.push_back({at(source), at(reference), shift, depth_shift});
    }
    BackendSide searched(backend(), grid);
    BackendSide side(backend(), grid);
    uint8_t* still = searched.device().skips;
    ASSERT_TRUE(ok(backend().find_still(compared, grid, base_step, still)));
    constexpr int kRange = 3;
    const int log2_block = kLog2Cell + static_cast<int>(seed % 3);
    auto motion = backend().make_motion({.grid = grid,
                                         .log2_block = log2_block,
                                         .split = log2_block == kLog2Cell ? 0 : 1,
                                         .range = kRange,
                                         .subpel = 3,
                                         .depth_shift = depth_shift},
                                        padded);
    ASSERT_TRUE(ok(motion));
    ASSERT_TRUE(ok(
        (*motion)->search(compared.source[0], compared.reference[0], 8, still, searched.device().vectors)));
    searched.download();
    std::vector<MotionVector> vectors = searched.vectors.all();
    ASSERT_TRUE(ok((*motion)->decide_skips(compared, base_step, still,
                                           SideInfo{searched.device().vectors, side.device().skips})));
    searched.download();
    side.download();
    EXPECT_TRUE(searched.intact() && side.intact());
    const std::vector<uint8_t> expected_still = reference::find_still(expected_planes, grid, base_step);
    const std::vector<uint8_t> skips = reference::decide_skips(
        expected_planes,
        reference::HalfSamples(reference::as_bytes(expected_planes[0].reference, depth_shift),
                               grid.rows * kCell, grid.cols * kCell, kRange + 4),
        grid, base_step, expected_still, vectors);
    ASSERT_EQ(searched.skips(), expected_still);
    ASSERT_EQ(side.skips(), skips);
    ASSERT_EQ(searched.vectors.all(), vectors);

    ASSERT_TRUE(ok(backend().skip_by_ssd(compared, grid, base_step, nullptr, nullptr, still)));
    searched.download();
    EXPECT_TRUE(searched.intact());
    ASSERT_EQ(searched.skips(), reference::skip_by_ssd(expected_planes, grid, base_step, {}));
    for (const uint8_t* known : std::array<const uint8_t*, 2>{nullptr, still}) {
      ASSERT_TRUE(ok(backend().skip_by_ssd(compared, grid, base_step, searched.device().vectors, known,
                                           side.device().skips)));
      side.download();
      EXPECT_TRUE(side.intact());
      ASSERT_EQ(side.skips(), reference::skip_by_ssd(expected_planes, grid, base_step, vectors));
    }
    for (const std::vector<uint8_t>& found : {searched.skips(), side.skips()})
      close_ += static_cast<int>(std::count(found.begin(), found.end(), 1));

    // Squares of cells that are skipped, but for a few, with vectors that differ little.
    test::draw_side(grid, 3, 0, seed, searched);
    for (size_t cell = 0; cell < grid.size(); ++cell) side.set_skip(cell, (cell + seed % 2) % 41 != 0);
    side.upload();
    const std::vector<uint8_t> drawn = side.skips();
    const std::vector<MotionVector> apart = searched.vectors.all();
    ASSERT_TRUE(ok(
        backend().merge_skip_vectors(compared, grid, base_step, searched.device().vectors, side.device())));
    searched.download();
    side.download();
    EXPECT_TRUE(searched.intact() && side.intact());
    std::vector<MotionVector> united = apart;
    taken_back_ += reference::merge_skip_vectors(expected_planes, grid, base_step, drawn, united);
    ASSERT_EQ(side.skips(), drawn);
    ASSERT_EQ(side.vectors.all(), united);
    for (size_t i = 0; i < drawn.size(); ++i) united_ += united[i] == apart[i] ? 0 : 1;
    for (size_t i = 0; i < skips.size(); ++i) {
      still_ += expected_still[i];
      skipped_ += skips[i];
      coded_ += 1 - skips[i];
    }
  }
  int still_ = 0, skipped_ = 0, coded_ = 0, united_ = 0, taken_back_ = 0, close_ = 0;
};

TEST_P(Skip, AgreesWithTheDefinition) {
  uint64_t seed = 0;
  for (const Extent extent : {Extent{1, 1}, {16, 16}, {17, 33}, {68, 77}}) {
    for (const ChromaShift chroma : {ChromaShift{0, 0}, {0, 1}, {1, 1}}) {
      for (const uint32_t base_step : {0U, 16U, 100U, 900U, 65535U}) {
        SCOPED_TRACE(testing::Message() << extent.rows << "x" << extent.cols << " chroma " << chroma.y << ","
                                        << chroma.x << " step " << base_step);
        for (const int depth_shift : {0, 2, 4}) {
          check(extent, seed % 4 == 0 ? 1 : 3, chroma, base_step, seed, depth_shift);
          if (HasFatalFailure()) return;
        }
        ++seed;
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(still_, 0);
  EXPECT_GT(skipped_, still_);
  EXPECT_GT(coded_, 0);
  EXPECT_GT(united_, 0);
  EXPECT_GT(taken_back_, 0);
  EXPECT_GT(close_, 0);
}

// Luma is flat, so all vectors suit it. One chroma sample of a cell differs, except with the cell's
// vector.
TEST_P(Skip, CellsTakeVectorsBackForChroma) {
  constexpr int kFlat = 100;
  constexpr int kOther = 110;
  constexpr uint32_t kSquare = (kOther - kFlat) * (kOther - kFlat);
  constexpr int kRow = 2;  // the cell
  constexpr int kCol = 3;
  const Extent extent{64, 64};
  const MotionGrid grid = test::grid_for(extent, kLog2Cell);
  for (const ChromaShift chroma : {ChromaShift{0, 0}, {0, 1}, {1, 1}}) {
    for (const unsigned differing : {1U, 2U, 3U}) {  // planes of chroma
      std::vector<BackendPlane> all;
      all.reserve(6);
      SkipPlanes planes{3, chroma, 0, {}, {}};
      for (size_t p = 0; p < 3; ++p) {
        const ChromaShift shift = p == 0 ? ChromaShift{} : chroma;
        const Extent part{extent.rows >> shift.y, extent.cols >> shift.x};
        BackendPlane& source = all.emplace_back(backend(), part);
        BackendPlane& reference = all.emplace_back(backend(), part);
        for (int r = 0; r < part.rows; ++r) {
          for (int c = 0; c < part.cols; ++c) source.at(r, c) = reference.at(r, c) = kFlat;
        }
        if (p > 0 && (differing >> (p - 1) & 1) != 0) {
          source.at(kRow * (kCell >> shift.y), kCol * (kCell >> shift.x)) = kOther;
          reference.at(kRow * (kCell >> shift.y), (kCol + 1) * (kCell >> shift.x)) = kOther;
        }
        source.upload();
        reference.upload();
        planes.source[p] = source.const_view();
        planes.reference[p] = reference.const_view();
      }
      const uint32_t error = differing == 3 ? 2 * kSquare : kSquare;
      for (const uint32_t step : {159U, 160U, 226U, 227U}) {
        SCOPED_TRACE(testing::Message() << "chroma " << chroma.y << "," << chroma.x << " planes " << differing
                                        << " step " << step);
        BackendSide before(backend(), grid);
        BackendSide side(backend(), grid);
        for (size_t cell = 0; cell < grid.size(); ++cell) side.set_skip(cell, true);
        for (int r = 0; r < grid.rows; ++r) {
          for (int c = 0; c < grid.cols; ++c) before.vectors.set(r, c, {});
        }
        before.vectors.set(kRow, kCol, {0, kCell * kVectorUnit});
        before.upload();
        side.upload();
        ASSERT_TRUE(
            ok(backend().merge_skip_vectors(planes, grid, step, before.device().vectors, side.device())));
        side.download();
        EXPECT_EQ(side.vectors.all(),
                  step * step < 256 * error ? before.vectors.all() : std::vector<MotionVector>(grid.size()));
      }
    }
  }
}

TEST_P(Skip, OnlyStillCellsStaySkipped) {
  for (const Extent extent : test::odd_extents()) {
    const MotionGrid grid = test::grid_for(extent, kLog2Cell);
    BackendSide side(backend(), grid);
    test::draw_side(grid, 1, 2, 7, side);
    std::vector<uint8_t> expected = side.skips();
    ASSERT_TRUE(ok(backend().skip_still_only(grid, side.device().vectors, side.device().skips)));
    side.download();
    EXPECT_TRUE(side.intact());
    const std::vector<MotionVector> vectors = side.vectors.all();
    for (size_t i = 0; i < expected.size(); ++i) {
      if (vectors[i] != MotionVector{}) expected[i] = 0;
    }
    EXPECT_EQ(side.skips(), expected);
  }
}

CTV_FOR_EACH_BACKEND(Skip);

}  // namespace
