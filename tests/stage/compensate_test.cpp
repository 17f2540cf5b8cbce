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

class Compensate : public test::BackendTest {
 protected:
  /// reach: largest magnitude of the vectors' components, eighths of a sample. split: every so many-th block
  /// may be split; 0: blocks have one vector.
  void check(Extent luma, int log2_block, ChromaShift shift, int pad, bool overlap, int reach, uint64_t seed,
             int split = 0) {
    const Extent extent{(luma.rows + (1 << shift.y) - 1) >> shift.y,
                        (luma.cols + (1 << shift.x) - 1) >> shift.x};
    const BackendPlane reference(backend(), extent, seed % 2 == 0 ? 0 : -255, 255, seed);
    BackendPlane prediction(backend(), {extent.rows + pad, extent.cols + 2 * pad});
    const CompensationGeometry geometry{test::grid_for(luma, log2_block, split > 0 ? 1 : 0), shift.y, shift.x,
                                        overlap};
    BackendVectors vectors(backend(), geometry.grid);
    test::Random random(seed + 1);
    MotionVector v{};
    for (int r = 0; r < geometry.grid.rows; ++r) {
      for (int c = 0; c < geometry.grid.cols; ++c) {
        // Neighbours are often equal, wholly or in one component.
        if (random.between(0, 2) == 0) v.y = static_cast<int16_t>(random.between(-reach, reach));
        if (random.between(0, 2) == 0) v.x = static_cast<int16_t>(random.between(-reach, reach));
        vectors.set(r, c, v);
      }
    }
    for (int r = 0; split > 0 && r < geometry.grid.rows; r += 2) {
      for (int c = 0; c < geometry.grid.cols; c += 2) {
        if (random.between(1, split) == 1) continue;
        for (int k = 1; k < 4; ++k) vectors.set(r + k / 2, c + k % 2, vectors.get(r, c));
      }
    }
    vectors.upload();
    ASSERT_TRUE(
        ok(backend().compensate(reference.const_view(), vectors.device(), geometry, prediction.view())));
    prediction.download();
    EXPECT_TRUE(prediction.intact());
    const auto at =
        reference::clamped([&](int r, int c) { return reference.at(r, c); }, extent.rows, extent.cols);
    const std::vector<MotionVector> all = vectors.all();
    for (int r = 0; r < prediction.rows(); ++r) {
      for (int c = 0; c < prediction.cols(); ++c) {
        ASSERT_EQ(prediction.at(r, c), reference::compensated(at, all, geometry, r, c))
            << "at " << r << ", " << c;
      }
    }
  }
};

TEST_P(Compensate, AgreesWithTheDefinition) {
  for (const Extent extent : test::odd_extents()) {
    for (const bool overlap : {false, true}) {
      SCOPED_TRACE(testing::Message() << extent.rows << "x" << extent.cols << " overlap " << overlap);
      check(extent, 4, {0, 0}, 3, overlap, 40, 1);
      check(extent, 4, {1, 1}, 3, overlap, 40, 2);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Compensate, AgreesForEveryBlockAndShift) {
  for (int log2_block = 3; log2_block <= 5; ++log2_block) {
    for (const ChromaShift shift :
         {ChromaShift{0, 0}, {0, 1}, {1, 1}, {2, 2}, {2, 3}, {3, 3}, {4, 5}, {6, 6}}) {
      for (const bool overlap : {false, true}) {
        SCOPED_TRACE(testing::Message() << "block " << log2_block << " shift " << shift.y << "," << shift.x
                                        << " overlap " << overlap);
        check({97, 131}, log2_block, shift, 1, overlap, 60, 3);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Compensate, AgreesWhereBlocksAreSplit) {
  for (const Extent extent : test::odd_extents()) {
    for (const bool overlap : {false, true}) {
      for (const int split : {1, 6, 1000}) {
        SCOPED_TRACE(testing::Message()
                     << extent.rows << "x" << extent.cols << " overlap " << overlap << " one in " << split);
        check(extent, 4, {0, 0}, 3, overlap, 40, 1, split);
        check(extent, 4, {1, 1}, 3, overlap, 40, 2, split);
        if (HasFatalFailure()) return;
      }
    }
  }
  for (int log2_block = 4; log2_block <= 5; ++log2_block) {
    for (const ChromaShift shift :
         {ChromaShift{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 2}, {2, 3}, {3, 3}, {4, 4}, {4, 5}, {6, 6}}) {
      for (const bool overlap : {false, true}) {
        SCOPED_TRACE(testing::Message() << "block " << log2_block << " shift " << shift.y << "," << shift.x
                                        << " overlap " << overlap);
        check({97, 131}, log2_block, shift, 1, overlap, 60, 3, 4);
        check({97, 131}, log2_block, shift, 1, overlap, 32767, 4, 4);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Compensate, TakesAbsurdVectors) {
  for (const bool overlap : {false, true}) {
    check({61, 97}, 4, {0, 0}, 0, overlap, 32767, 4);
    check({61, 97}, 3, {1, 1}, 20, overlap, 32767, 5);
    check({1, 1}, 5, {0, 0}, 40, overlap, 32767, 6);
  }
}

CTV_FOR_EACH_BACKEND(Compensate);

}  // namespace
