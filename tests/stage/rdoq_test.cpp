// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "codec/control/rdo_quantise.hpp"
#include "tests/reference/rdoq.hpp"
#include "tests/support/backend_plane.hpp"
#include "tests/support/guarded_plane.hpp"
#include "tests/support/transform_cases.hpp"

namespace ctv::test {
namespace {

class Rdoq : public BackendTest {
 protected:
  void check(const TransformParameters& transform, Extent extent, int limit,
             std::span<const SubbandQuantiser> quantisers, const SubbandLayout& layout) {
    SCOPED_TRACE(name_of({transform, extent}) + " limit " + std::to_string(limit));
    const Extent line{1, static_cast<int>(layout.num_coefficients)};
    // Neither array begins where a word of memory does.
    const BackendPlane in(backend(), {1, line.cols + skew_}, limit > INT16_MAX ? INT16_MIN : -limit,
                          std::min(limit, INT16_MAX), 5);
    BackendPlane out(backend(), line);
    ASSERT_TRUE(ok(backend().quantise(layout, quantisers, in.view().data + skew_, out.view().data)));
    out.download();
    EXPECT_TRUE(out.intact());
    std::vector<Coefficient> coefficients;
    std::vector<Level> levels;
    for (int i = 0; i < line.cols; ++i) {
      coefficients.push_back(in.at(0, i + skew_));
      levels.push_back(out.at(0, i));
    }
    ASSERT_EQ(levels, reference::quantise_rdo(layout, quantisers, coefficients));
    skew_ = (skew_ + 1) % 8;
  }
  int skew_ = 0;  // coefficients before the first one
};

TEST_P(Rdoq, AgreesWithTheDefinition) {
  for (const Extent extent : odd_extents()) {
    for (const Pyramid pyramid : kAllPyramids) {
      for (const int directions : {0, 1, 2, 4}) {
        const TransformParameters t = transform_of(pyramid, 2, {directions, 0});
        const SubbandLayout layout = make_layout(t, extent);
        for (const int limit : {60, 150, 400}) check(t, extent, limit, lossy(layout, 1000), layout);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Rdoq, CrossesPiecesAndSlicesOfLongRows) {
  const TransformParameters t = transform_of(Pyramid::kWavelet9_7, 1, {0});
  for (const Extent extent : {Extent{40, 4102}, Extent{2200, 6}}) {
    const SubbandLayout layout = make_layout(t, extent);
    check(t, extent, 90, lossy(layout, 1000), layout);
  }
}

TEST_P(Rdoq, TakesEveryCoefficientAndStep) {
  const TransformParameters t = transform_of(Pyramid::kWavelet9_7, 3, {0});
  const Extent extent{61, 97};
  const SubbandLayout layout = make_layout(t, extent);
  check(t, extent, 32768, lossy(layout, kMinStep + 1), layout);
  check(t, extent, 32768, lossy(layout, kMaxStep / 2), layout);
  check(t, extent, 32768, lossless(layout), layout);
}

CTV_FOR_EACH_BACKEND(Rdoq);

}  // namespace
}  // namespace ctv::test
