// SPDX-License-Identifier: BSD-3-Clause
// The stages of luma of 1920x1080, for their times: CTV_TIMES=1 ctv_stage_tests --gtest_filter='*Times*'.
// Other tests of the stages are timed in the same way. Results are not compared here.
#include <gtest/gtest.h>

#include "tests/support/backend_side.hpp"
#include "tests/support/transform_cases.hpp"

namespace ctv::test {
namespace {

class Times : public BackendTest {
 protected:
  static constexpr Extent kExtent{1080, 1920};
  static constexpr int kRuns = 10;

  void SetUp() override {
    if (!wants_times()) GTEST_SKIP() << "CTV_TIMES=1 prints times";
    BackendTest::SetUp();
  }
  void time_transform(const TransformParameters& parameters) {
    const SubbandLayout layout = make_layout(parameters, kExtent);
    auto coder = backend().make_transform(layout, Engine::kDirect);
    ASSERT_TRUE(ok(coder));
    const BackendPlane samples(backend(), layout.padded, -255, 255, 1);
    BackendPlane result(backend(), layout.padded);
    const BackendPlane levels(backend(), {1, static_cast<int>(layout.num_coefficients)});
    const auto quantisers = lossy(layout, 1000);
    for (int i = 0; i < kRuns; ++i) {
      ASSERT_TRUE(ok((*coder)->forward(samples.const_view(), {}, 0, quantisers, levels.view().data)));
      ASSERT_TRUE(
          ok((*coder)->inverse(levels.view().data, quantisers, {}, 0, {-255, 255}, 0, result.view())));
    }
  }
};

TEST_P(Times, Wavelet) { time_transform(transform_of(Pyramid::kWavelet9_7, 4, {0, 0, 0, 0}, 2)); }
TEST_P(Times, Contourlet) { time_transform(transform_of(Pyramid::kLaplacian, 2, {2, 0}, 8)); }

TEST_P(Times, Rdoq) {
  const SubbandLayout layout = make_layout(transform_of(Pyramid::kWavelet9_7, 4, {0, 0, 0, 0}, 2), kExtent);
  const Extent line{1, static_cast<int>(layout.num_coefficients)};
  const BackendPlane coefficients(backend(), line, -150, 150, 5);
  const BackendPlane levels(backend(), line);
  for (int i = 0; i < kRuns; ++i)
    ASSERT_TRUE(ok(backend().quantise(layout, lossy(layout, 1000), FrameType::kPredicted,
                                      coefficients.view().data, levels.view().data)));
}

TEST_P(Times, Motion) {
  MotionParameters p;
  p.split = 1;
  p.subpel = kMaxSubpel;
  const Extent padded{round_up(kExtent.rows, 16), kExtent.cols};
  p.grid = grid_for(padded, kLog2Cell);
  const BackendPlane current(backend(), padded, 0, 255, 1);
  const BackendPlane reference(backend(), kExtent, 0, 255, 2);
  BackendPlane prediction(backend(), padded);
  BackendSide side(backend(), p.grid);
  draw_side(p.grid, 8 * p.range, 4, 3, side);
  auto estimator = backend().make_motion(p, kExtent);
  ASSERT_TRUE(ok(estimator));
  auto meter = backend().make_distortion_meter();
  ASSERT_TRUE(ok(meter));
  const CompensationGeometry geometry{p.grid, 0, 0, true, {0, 255}};
  for (int i = 0; i < kRuns; ++i) {
    uint64_t sum = 0;
    ASSERT_TRUE(ok(backend().compensate(reference.const_view(), side.device(), geometry, prediction.view())));
    ASSERT_TRUE(ok((*meter)->measure(current.const_view(), prediction.const_view())));
    ASSERT_TRUE(ok((*meter)->finish(sum)));
    ASSERT_TRUE(
        ok((*estimator)
               ->search(current.const_view(), reference.const_view(), 64, nullptr, side.device().vectors)));
  }
}

CTV_FOR_EACH_BACKEND(Times);

}  // namespace
}  // namespace ctv::test
