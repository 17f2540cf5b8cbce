// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/backend_plane.hpp"
#include "tests/support/guarded_plane.hpp"

namespace {

using namespace ctv;
using test::BackendPlane;
using test::ok;

class SquaredError : public test::BackendTest {
 protected:
  // By definition, over the true extent of planes that are larger.
  void check(DistortionMeter& meter, Extent extent, int pad, int lo, int hi, uint64_t seed) {
    const Extent padded{extent.rows + pad, extent.cols + 2 * pad};
    const BackendPlane a(backend(), padded, lo, hi, seed);
    const BackendPlane b(backend(), padded, lo, hi, seed + 1);
    uint64_t expected = 0;
    for (int r = 0; r < extent.rows; ++r) {
      for (int c = 0; c < extent.cols; ++c) {
        const int64_t d = int64_t{a.at(r, c)} - b.at(r, c);
        expected += static_cast<uint64_t>(d * d);
      }
    }
    ASSERT_TRUE(ok(meter.measure(a.const_view().crop(extent.rows, extent.cols),
                                 b.const_view().crop(extent.rows, extent.cols))));
    uint64_t sum = 1;
    ASSERT_TRUE(ok(meter.finish(sum)));
    EXPECT_EQ(sum, expected) << extent.rows << "x" << extent.cols << " pad " << pad;
  }
};

TEST_P(SquaredError, AgreesWithTheDefinition) {
  auto meter = backend().make_distortion_meter();
  ASSERT_TRUE(ok(meter));
  uint64_t seed = 1;
  for (const Extent extent : test::odd_extents()) {
    for (const int pad : {0, 3}) {
      check(**meter, extent, pad, 0, 255, seed += 2);
      check(**meter, extent, pad, -32768, 32767, seed += 2);
    }
  }
}

TEST_P(SquaredError, OfTheFurthestSamplesIsExact) {
  auto meter = backend().make_distortion_meter();
  ASSERT_TRUE(ok(meter));
  const Extent extent{300, 500};
  const BackendPlane low(backend(), extent, -32768, -32768, 1);
  const BackendPlane high(backend(), extent, 32767, 32767, 1);
  for (const auto& [a, b] : {std::pair{&low, &high}, std::pair{&high, &low}}) {
    ASSERT_TRUE(ok((*meter)->measure(a->const_view(), b->const_view())));
    uint64_t sum = 0;
    ASSERT_TRUE(ok((*meter)->finish(sum)));
    EXPECT_EQ(sum, uint64_t{65535} * 65535 * 300 * 500);
  }
}

TEST_P(SquaredError, MetersDoNotDisturbEachOther) {
  const Extent extent{97, 61};
  const BackendPlane a(backend(), extent, 0, 255, 1);
  const BackendPlane b(backend(), extent, 0, 255, 2);
  auto first = backend().make_distortion_meter();
  auto second = backend().make_distortion_meter();
  ASSERT_TRUE(ok(first) && ok(second));
  ASSERT_TRUE(ok((*first)->measure(b.const_view(), b.const_view())));
  ASSERT_TRUE(ok((*first)->measure(a.const_view(), b.const_view())));  // drops the first
  ASSERT_TRUE(ok((*second)->measure(a.const_view(), a.const_view())));
  uint64_t sum = 1;
  ASSERT_TRUE(ok((*second)->finish(sum)));
  EXPECT_EQ(sum, 0U);
  ASSERT_TRUE(ok((*first)->finish(sum)));
  EXPECT_GT(sum, 0U);
}

CTV_FOR_EACH_BACKEND(SquaredError);

}  // namespace
