// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/reference/motion.hpp"
#include "tests/support/backend_side.hpp"
#include "tests/support/guarded_plane.hpp"

namespace {

using namespace ctv;
using test::BackendPlane;
using test::BackendSide;
using test::ok;

class Compensate : public test::BackendTest {
 protected:
  /// reach: largest magnitude of the vectors' components, eighths of a sample. one_in: one of every n
  /// cells is still; 0: none.
  void check(Extent luma, ChromaShift shift, int pad, bool overlap, int reach, int one_in, uint64_t seed,
             int bits = 8) {
    const Extent extent{ceil_div(luma.rows, 1 << shift.y), ceil_div(luma.cols, 1 << shift.x)};
    const SampleRange range{seed % 2 == 0 || bits > 8 ? 0 : -255, (1 << bits) - 1};
    const BackendPlane reference(backend(), extent, range.lo, range.hi, seed);
    const CompensationGeometry geometry{test::grid_for(luma, kLog2Cell), shift.y, shift.x, overlap, range};
    BackendSide side(backend(), geometry.grid);
    test::draw_side(geometry.grid, reach, one_in, seed + 1, side);
    check(reference, side, geometry, pad);
  }
  void check(const BackendPlane& reference, const BackendSide& side, const CompensationGeometry& geometry,
             int pad) {
    const Extent extent{reference.rows(), reference.cols()};
    BackendPlane prediction(backend(), {extent.rows + pad, extent.cols + 2 * pad});
    SideInfo device = side.device();
    ASSERT_TRUE(ok(backend().compensate(reference.const_view(), device, geometry, prediction.view())));
    prediction.download();
    EXPECT_TRUE(prediction.intact());
    const auto at =
        reference::clamped([&](int r, int c) { return reference.at(r, c); }, extent.rows, extent.cols);
    const std::vector<MotionVector> vectors = side.vectors.all();
    const std::vector<uint8_t> still = side.skips();
    for (int r = 0; r < prediction.rows(); ++r) {
      for (int c = 0; c < prediction.cols(); ++c) {
        ASSERT_EQ(prediction.at(r, c), reference::compensated(at, vectors, still, geometry, r, c))
            << "at " << r << ", " << c;
      }
    }
  }
};

TEST_P(Compensate, AgreesWithTheDefinition) {
  for (const Extent extent : test::odd_extents()) {
    for (const bool overlap : {false, true}) {
      for (const int one_in : {0, 3, 1}) {
        SCOPED_TRACE(testing::Message() << extent.rows << "x" << extent.cols << " overlap " << overlap
                                        << " one still in " << one_in);
        check(extent, {0, 0}, 3, overlap, 40, one_in, 1);
        check(extent, {1, 1}, 3, overlap, 40, one_in, 2);
        for (const int bits : {10, 12}) {
          check(extent, {0, 0}, 3, overlap, 40, one_in, 3, bits);
          check(extent, {1, 1}, 3, overlap, 40, one_in, 4, bits);
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Compensate, AgreesForEveryShift) {
  for (const ChromaShift shift :
       {ChromaShift{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 2}, {2, 3}, {3, 3}, {4, 5}, {6, 6}}) {
    for (const bool overlap : {false, true}) {
      SCOPED_TRACE(testing::Message() << "shift " << shift.y << "," << shift.x << " overlap " << overlap);
      check({97, 131}, shift, 1, overlap, 60, 4, 3);
      check({97, 131}, shift, 1, overlap, 60, 4, 4);
      for (const int bits : {10, 12}) check({97, 131}, shift, 1, overlap, 60, 4, 5, bits);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Compensate, TakesAbsurdVectors) {
  for (const bool overlap : {false, true}) {
    check({61, 97}, {0, 0}, 0, overlap, 32767, 4, 4);
    check({61, 97}, {1, 1}, 20, overlap, 32767, 4, 5);
    check({1, 1}, {0, 0}, 40, overlap, 32767, 0, 6);
  }
}

// Samples have the signs of the taps between two of them, so a prediction overshoots as far as it can, and
// an adjacent one does so in the other direction: their weighted difference has more than 16 bits.
TEST_P(Compensate, AgreesWherePredictionsOvershootMost) {
  constexpr int kPeriod = 2 * kInterpolationTaps;
  constexpr int kHalf = kVectorUnit / 2;
  const auto sign = [](int at) {
    const int tap = interpolation_weight(kHalf, at % kInterpolationTaps);
    return (tap < 0) != (at % kPeriod < kInterpolationTaps) ? 1 : -1;
  };
  CompensationGeometry geometry{test::grid_for({64, 192}, kLog2Cell), 0, 0, true, {-255, 255}};
  BackendPlane reference(backend(), {64, 192});
  BackendSide side(backend(), geometry.grid);
  for (const bool rows_differ : {false, true}) {
    for (int r = 0; r < geometry.grid.rows; ++r) {
      for (int c = 0; c < geometry.grid.cols; ++c) {
        const int far = (rows_differ ? r + c : c) % 2 * kInterpolationTaps * kVectorUnit;
        side.vectors.set(r, c, {kHalf, static_cast<int16_t>(kHalf + far)});
        side.set_skip(static_cast<size_t>(r * geometry.grid.cols + c), false);
      }
    }
    side.upload();
    for (int shifted = 0; shifted < kPeriod; ++shifted) {
      for (const SampleRange range : {SampleRange{-255, 255}, {0, 1023}, {0, 4095}}) {
        SCOPED_TRACE(testing::Message()
                     << "shifted " << shifted << ", rows differ " << rows_differ << ", up to " << range.hi);
        geometry.range = range;
        for (int r = 0; r < reference.rows(); ++r) {
          for (int c = 0; c < reference.cols(); ++c)
            reference.at(r, c) = static_cast<int16_t>(sign(r) * sign(c + shifted) > 0 ? range.hi : range.lo);
        }
        reference.upload();
        check(reference, side, geometry, 0);
        if (HasFatalFailure()) return;
      }
    }
  }
}

CTV_FOR_EACH_BACKEND(Compensate);

}  // namespace
