// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/motion_field.hpp"
#include "tests/support/backend_plane.hpp"
#include "tests/support/guarded_plane.hpp"

namespace {

using namespace ctv;
using test::BackendPlane;
using test::BackendVectors;
using test::ok;

class MotionSearch : public test::BackendTest {
 protected:
  /// one_still: one of every n cells is not still; 0: none is still.
  void check(const BackendPlane& current, const BackendPlane& reference, MotionParameters p, uint32_t lambda,
             int one_still = 0) {
    p.grid = test::grid_for({current.rows(), current.cols()}, p.grid.log2_block);
    test::Random random(static_cast<uint64_t>(one_still));
    std::vector<uint8_t> still(one_still == 0 ? 0 : p.grid.size());
    for (uint8_t& s : still) s = random.between(1, one_still) == 1 ? 0 : 1;
    Result<Memory> device = backend().allocate(std::max<size_t>(1, still.size()));
    ASSERT_TRUE(ok(device));
    ASSERT_TRUE(ok(backend().upload(device->data(), still.data(), still.size())));
    auto estimator = backend().make_motion(p, {reference.rows(), reference.cols()});
    ASSERT_TRUE(ok(estimator));
    BackendVectors vectors(backend(), p.grid);
    ASSERT_TRUE(ok((*estimator)
                       ->search(current.const_view(), reference.const_view(), lambda,
                                still.empty() ? nullptr : static_cast<const uint8_t*>(device->data()),
                                vectors.device())));
    vectors.download();
    EXPECT_TRUE(vectors.intact());
    const auto now =
        reference::clamped([&](int r, int c) { return current.at(r, c); }, current.rows(), current.cols());
    const auto before = reference::clamped([&](int r, int c) { return reference.at(r, c); }, reference.rows(),
                                           reference.cols());
    const std::vector<MotionVector> expected = reference::search_all(
        reference::as_bytes(now, p.depth_shift), {current.rows(), current.cols()},
        reference::as_bytes(before, p.depth_shift), {reference.rows(), reference.cols()}, p, lambda, still);
    const int side = 1 << (p.log2_block - p.grid.log2_block);
    const int finest = kVectorUnit >> p.subpel;  // no other vector can be coded
    split_ = 0;
    for (int r = 0; r < p.grid.rows; ++r) {
      for (int c = 0; c < p.grid.cols; ++c) {
        ASSERT_EQ(vectors.get(r, c), expected[static_cast<size_t>(r * p.grid.cols + c)])
            << "vector " << r << ", " << c;
        ASSERT_EQ(vectors.get(r, c).y % finest, 0) << "vector " << r << ", " << c;
        ASSERT_EQ(vectors.get(r, c).x % finest, 0) << "vector " << r << ", " << c;
        if (!(vectors.get(r, c) == vectors.get(r / side * side, c / side * side))) ++split_;
      }
    }
  }
  int split_ = 0;  // cells of the last check whose vector is not that of their block
  static MotionParameters parameters(int log2_block, int range, int subpel, int split = 0) {
    MotionParameters p;
    p.grid.log2_block = kLog2Cell;
    p.log2_block = log2_block;
    p.split = split;
    p.range = range;
    p.subpel = subpel;
    return p;
  }
  static MotionParameters quick(int log2_block, int range, int subpel) {
    MotionParameters p = parameters(log2_block, range, subpel);
    p.effort = MotionEffort::kQuick;
    return p;
  }
  static MotionParameters thorough(int log2_block, int range, int subpel) {
    MotionParameters p = parameters(log2_block, range, subpel, 1);
    p.effort = MotionEffort::kThorough;
    return p;
  }
  /// A smooth scene with a little noise, moved by (y, x) eighths of a sample.
  BackendPlane scene(Extent extent, double y, double x, uint64_t seed) {
    BackendPlane plane(backend(), extent);
    test::Random random(seed);
    for (int r = 0; r < extent.rows; ++r) {
      for (int c = 0; c < extent.cols; ++c) {
        const double v =
            128 + 60 * std::sin(0.21 * (r + y / 8) + 0.1 * (c + x / 8)) + 50 * std::cos(0.17 * (c + x / 8));
        plane.at(r, c) =
            static_cast<int16_t>(std::clamp(static_cast<int>(v) + random.between(-4, 4), 0, 255));
      }
    }
    plane.upload();
    return plane;
  }
};

TEST_P(MotionSearch, AgreesOnNoise) {
  for (const Extent extent : {Extent{1, 1}, {3, 5}, {16, 16}, {17, 33}, {61, 97}}) {
    const BackendPlane current(backend(), {extent.rows + 2, extent.cols + 5}, 0, 255, 1);
    const BackendPlane reference(backend(), extent, 0, 255, 2);
    for (int log2_block = 3; log2_block <= 5; ++log2_block) {
      SCOPED_TRACE(testing::Message() << extent.rows << "x" << extent.cols << " block " << log2_block);
      check(current, reference, parameters(log2_block, 3, 3), 0);
      check(current, reference, parameters(log2_block, 2, 0), 40);
      check(current, reference, quick(log2_block, 3, 3), 40);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(MotionSearch, AgreesOnMovedScenes) {
  for (int log2_block = 3; log2_block <= 5; ++log2_block) {
    for (const uint32_t lambda : {0U, 16U, 300U, 1U << 24}) {
      SCOPED_TRACE(testing::Message() << "block " << log2_block << " lambda " << lambda);
      const BackendPlane current = scene({64, 96}, 19, -26, 3);
      const BackendPlane reference = scene({61, 93}, 0, 0, 4);
      check(current, reference, parameters(log2_block, 5, 3), lambda);
      check(current, reference, parameters(log2_block, 5, 2), lambda);
      check(current, reference, parameters(log2_block, 5, 1), lambda);
      for (int subpel = 0; subpel <= kMaxSubpel; ++subpel)
        check(current, reference, quick(log2_block, 5, subpel), lambda);
      if (HasFatalFailure()) return;
    }
  }
}

// Steps end at the border of the range, which is a multiple of every step.
TEST_P(MotionSearch, AgreesWhereMotionLeavesTheRange) {
  const BackendPlane current = scene({48, 64}, 31, -30, 3);
  const BackendPlane reference = scene({48, 64}, 0, 0, 3);
  for (int subpel = 0; subpel <= kMaxSubpel; ++subpel) {
    for (const int range : {1, 3}) {
      SCOPED_TRACE(testing::Message() << "subpel " << subpel << " range " << range);
      check(current, reference, parameters(4, range, subpel, 1), 0);
      if (HasFatalFailure()) return;
    }
  }
}

// The left part of the picture moves otherwise than the right, and so does its upper half.
TEST_P(MotionSearch, AgreesWhereBlocksAreSplit) {
  for (int log2_block = 4; log2_block <= 5; ++log2_block) {
    BackendPlane current = scene({80, 104}, 19, -26, 3);
    const BackendPlane left = scene({80, 104}, -9, 13, 3);
    for (int r = 0; r < 80; ++r) {
      for (int c = 0; c < (r < 40 ? 40 : 72); ++c) current.at(r, c) = left.at(r, c);
    }
    current.upload();
    const BackendPlane reference = scene({77, 101}, 0, 0, 3);
    for (const uint32_t lambda : {0U, 16U, 100U, 1U << 24}) {
      for (int subpel = 0; subpel <= kMaxSubpel; ++subpel) {
        SCOPED_TRACE(testing::Message()
                     << "block " << log2_block << " lambda " << lambda << " subpel " << subpel);
        check(current, reference, parameters(log2_block, 5, subpel, 1), lambda);
        check(current, reference, thorough(log2_block, 5, subpel), lambda);
        if (HasFatalFailure()) return;
        if (lambda <= 16) {
          EXPECT_GT(split_, 0);
        } else if (lambda > 1000) {
          EXPECT_EQ(split_, 0);
        }
      }
    }
    const BackendPlane noise(backend(), {33, 70}, 0, 255, 1);
    check(noise, reference, parameters(log2_block, 3, 3, 1), 40);
    check(noise, reference, thorough(log2_block, 3, 3), 40);
    check(BackendPlane(backend(), {1, 1}, 0, 255, 1), reference, parameters(log2_block, 64, 3, 1), 0);
  }
}

TEST_P(MotionSearch, LeavesStillBlocksWhereTheyAre) {
  const BackendPlane current = scene({35, 68}, 19, -26, 3);
  const BackendPlane reference = scene({35, 68}, 0, 0, 4);
  for (int log2_block = 3; log2_block <= 5; ++log2_block) {
    for (const int one : {3, 30}) {
      SCOPED_TRACE(testing::Message() << "block " << log2_block << " one in " << one);
      check(current, reference, parameters(log2_block, 2, 2, log2_block > 3 ? 1 : 0), 16, one);
      if (HasFatalFailure()) return;
    }
  }
}

// The grid of vectors may be that of the blocks, or between.
TEST_P(MotionSearch, WritesToEveryGrid) {
  const BackendPlane current = scene({35, 68}, 19, -26, 3);
  const BackendPlane reference = scene({35, 68}, 0, 0, 4);
  for (int log2_block = 3; log2_block <= 5; ++log2_block) {
    for (int log2 = 3; log2 <= log2_block; ++log2) {
      MotionParameters p = parameters(log2_block, 2, 1);
      p.grid.log2_block = log2;
      check(current, reference, p, 0);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(MotionSearch, BreaksTies) {
  BackendPlane flat(backend(), {48, 48}, 7, 7, 1);
  check(flat, flat, parameters(4, 8, 3), 0);
  BackendPlane stripes(backend(), {48, 48});
  for (int r = 0; r < 48; ++r) {
    for (int c = 0; c < 48; ++c) stripes.at(r, c) = c % 4 < 2 ? 0 : 255;  // equal costs 4 columns apart
  }
  stripes.upload();
  BackendPlane moved(backend(), {48, 48});
  for (int r = 0; r < 48; ++r) {
    for (int c = 0; c < 48; ++c) moved.at(r, c) = (c + 2) % 4 < 2 ? 0 : 255;
  }
  moved.upload();
  check(stripes, moved, parameters(4, 8, 0), 0);
  check(stripes, moved, parameters(3, 8, 3), 0);
  check(stripes, moved, parameters(4, 8, 3, 1), 0);
}

TEST_P(MotionSearch, ReadsDeepSamplesAs8Bits) {
  for (const int depth_shift : {2, 4}) {
    const int most = (256 << depth_shift) - 1;
    const BackendPlane current(backend(), {35, 68}, 0, most, 5);
    const BackendPlane reference(backend(), {35, 68}, 0, most, 6);
    MotionParameters p = parameters(4, 3, 3, 1);
    p.far_range = 20;
    p.depth_shift = depth_shift;
    check(current, reference, p, 5);
  }
}

TEST_P(MotionSearch, AgreesForEveryRange) {
  const BackendPlane current(backend(), {17, 40}, 0, 255, 5);
  const BackendPlane reference(backend(), {17, 40}, 0, 255, 6);
  for (const int range : {0, 1, 16, 64}) check(current, reference, parameters(3, range, 1), 5);
}

// Each half of the picture moves far, one of them beyond the range.
TEST_P(MotionSearch, AgreesWhereMotionIsFar) {
  for (const Extent extent : {Extent{1, 1}, {35, 68}, {77, 150}}) {
    const BackendPlane reference(backend(), extent, 0, 255, 7);
    BackendPlane current(backend(), {round_up(extent.rows, 8), round_up(extent.cols, 8)});
    for (int r = 0; r < current.rows(); ++r) {
      for (int c = 0; c < current.cols(); ++c) {
        const bool left = c < current.cols() / 2;
        current.at(r, c) = reference.at(std::clamp(r + (left ? 13 : -9), 0, extent.rows - 1),
                                        std::clamp(c + (left ? 27 : -22), 0, extent.cols - 1));
      }
    }
    current.upload();
    for (int log2_block = 3; log2_block <= 5; ++log2_block) {
      for (const int far_range : {4, 20, kMaxFarRange}) {
        SCOPED_TRACE(testing::Message() << extent.rows << "x" << extent.cols << " block " << log2_block
                                        << " far range " << far_range);
        MotionParameters p = parameters(log2_block, 3, 3, log2_block > 3 ? 1 : 0);
        p.far_range = far_range;
        check(current, reference, p, 20);
        check(current, reference, p, 1 << 20, 5);
        p.range = 0;
        check(current, reference, p, 20, 5);
        p.range = 12;
        p.subpel = 0;
        check(current, reference, p, 0, 60);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(MotionSearch, AgreesOnBlackAndWhite) {
  const BackendPlane black(backend(), {33, 70}, 0, 0, 0);
  const BackendPlane white(backend(), {33, 70}, 255, 255, 0);
  for (int log2_block = 3; log2_block <= 5; ++log2_block)
    check(black, white, parameters(log2_block, 2, 3), 1000);
}

TEST_P(MotionSearch, ReadsBytesAsItReadsSamples) {
  const Extent extent{61, 97};  // of the bytes; samples go on beyond
  const BackendPlane reference = scene(extent, 0, 0, 1);
  const BackendPlane moved = scene(extent, 21, -40, 2);
  BackendPlane current(backend(), {extent.rows + 7, extent.cols + 5});
  for (int r = 0; r < current.rows(); ++r) {
    for (int c = 0; c < current.cols(); ++c)
      current.at(r, c) = moved.at(std::min(r, extent.rows - 1), std::min(c, extent.cols - 1));
  }
  current.upload();
  MotionParameters p = parameters(4, 0, 3, 1);
  p.far_range = 20;
  p.grid = test::grid_for({current.rows(), current.cols()}, kLog2Cell);
  const auto find = [&](PlaneView<const uint8_t> bytes) {
    auto estimator = backend().make_motion(p, extent);
    EXPECT_TRUE(ok(estimator));
    BackendVectors vectors(backend(), p.grid);
    EXPECT_TRUE(ok((*estimator)->read_reference(reference.const_view())));
    EXPECT_TRUE(ok((*estimator)->read_current(bytes, current.const_view())));
    EXPECT_TRUE(ok((*estimator)->prepare(20)));
    EXPECT_TRUE(ok((*estimator)->find(nullptr, vectors.device())));
    vectors.download();
    return vectors.all();
  };
  const std::vector<MotionVector> expected = find({});
  for (const ptrdiff_t stride : {97, 100, 128, -97, -100}) {
    std::vector<uint8_t> rows(static_cast<size_t>(std::abs(stride) * extent.rows));
    uint8_t* const first = stride > 0 ? rows.data() : rows.data() - stride * (extent.rows - 1);
    for (int r = 0; r < extent.rows; ++r) {
      for (int c = 0; c < extent.cols; ++c) first[r * stride + c] = static_cast<uint8_t>(moved.at(r, c));
    }
    Result<Memory> memory = backend().allocate(rows.size());
    ASSERT_TRUE(ok(memory));
    ASSERT_TRUE(ok(backend().upload(memory->data(), rows.data(), rows.size())));
    const auto* const there = static_cast<const uint8_t*>(memory->data()) + (first - rows.data());
    EXPECT_EQ(find({there, extent.rows, extent.cols, stride}), expected) << "stride " << stride;
  }
}

CTV_FOR_EACH_BACKEND(MotionSearch);

}  // namespace
