// SPDX-License-Identifier: BSD-3-Clause
// The search for slopes and directions on every backend: against the definition, and on pictures whose
// contours are known.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/slopes.hpp"
#include "tests/support/backend_slopes.hpp"
#include "tests/support/transform_cases.hpp"

namespace ctv::test {
namespace {

class SlopeSearch : public BackendTest {
 protected:
  static SubbandLayout layout_of(Extent extent, int fraction_bits = 2) {
    return make_layout(sloped(4, fraction_bits), extent);
  }
  static reference::Grid grid_of(const BackendPlane& plane) {
    reference::Grid x(plane.rows(), plane.cols());
    for (int r = 0; r < x.rows; ++r) {
      for (int c = 0; c < x.cols; ++c) x.at(r, c) = plane.at(r, c) - 128;
    }
    return x;
  }
  void check(const SubbandLayout& layout, const BackendPlane& luma, uint32_t step) {
    const std::vector<SubbandQuantiser> quantisers = lossy(layout, step);
    EXPECT_EQ(search_slopes(backend(), layout, luma, quantisers),
              reference::search_slopes(layout, grid_of(luma), quantisers));
  }
  // Waves that lean as `slope` says, so wide that they lean in no other way too.
  BackendPlane stripes(Extent extent, int slope) {
    const int lean = half_columns(slope);
    const double period = lean * lean == 1 ? 8 : (lean * lean > 16 ? 64 : 22);  // half columns
    BackendPlane plane(backend(), extent);
    for (int r = 0; r < extent.rows; ++r) {
      for (int c = 0; c < extent.cols; ++c)
        plane.at(r, c) =
            static_cast<int16_t>(std::lround(120 + 90 * std::cos(6.2832 * (2 * c - lean * r) / period)));
    }
    plane.upload();
    return plane;
  }
  // Fine waves across, or down, that lean to one side and, in the other half of the picture, to the other.
  BackendPlane hatched(Extent extent, bool down) {
    BackendPlane plane(backend(), extent);
    for (int r = 0; r < extent.rows; ++r) {
      for (int c = 0; c < extent.cols; ++c) {
        const double fine = 2.4 * (down ? r : c);
        const double lean = down ? 1.6 * c : 0.9 * r;  // between two slopes
        const double coarse = 2 * c < extent.cols ? lean : -lean;
        plane.at(r, c) = static_cast<int16_t>(std::lround(120 + 90 * std::cos(fine + coarse)));
      }
    }
    plane.upload();
    return plane;
  }
};

TEST_P(SlopeSearch, IsTheReference) {
  for (const Extent extent : {Extent{1, 1}, Extent{17, 33}, Extent{97, 61}, Extent{96, 160}}) {
    for (const int fraction_bits : {0, 2}) {
      const SubbandLayout layout = layout_of(extent, fraction_bits);
      SCOPED_TRACE(std::to_string(extent.rows) + "x" + std::to_string(extent.cols));
      check(layout, BackendPlane(backend(), layout.padded, 0, 255, 5), 70);
      check(layout, BackendPlane(backend(), layout.padded, 120, 136, 6), 16);
      for (const int slope : {0, 1, 4, 9}) check(layout, stripes(layout.padded, slope), 200);
      for (const bool down : {false, true}) check(layout, hatched(layout.padded, down), 200);
    }
  }
}

TEST_P(SlopeSearch, FindsTheSlopeOfStripes) {
  const SubbandLayout layout = layout_of({96, 160});
  const SlopeGrid grid = make_slope_grid(layout);
  for (int slope = 0; slope < kSlopeCount; ++slope) {
    const auto found = search_slopes(backend(), layout, stripes(layout.padded, slope), lossy(layout, 200));
    EXPECT_EQ(found[0], slope == 0 ? 0 : 1) << slope;
    const Extent blocks = grid.extent(1);  // those at borders see the mirrored picture
    for (int r = 1; r + 1 < blocks.rows; ++r) {
      for (int c = 1; c + 1 < blocks.cols; ++c)
        EXPECT_EQ(found[grid.offset(1) + static_cast<size_t>(r * blocks.cols + c)], slope) << r << ' ' << c;
    }
  }
}

TEST_P(SlopeSearch, FindsDirectionsOfHatching) {
  const SubbandLayout layout = layout_of({96, 160});
  for (const bool down : {false, true}) {
    const auto found = search_slopes(backend(), layout, hatched(layout.padded, down), lossy(layout, 200));
    EXPECT_GT(found[kSlopedScales + (down ? 1 : 0)], 0) << down;
  }
}

TEST_P(SlopeSearch, LeavesAFlatPictureAlone) {
  const SubbandLayout layout = layout_of({96, 160});
  const BackendPlane flat(backend(), layout.padded, 90, 90, 1);
  EXPECT_EQ(search_slopes(backend(), layout, flat, lossy(layout, 70)),
            std::vector<int8_t>(make_slope_grid(layout).size()));
}

CTV_FOR_EACH_BACKEND(SlopeSearch);

}  // namespace
}  // namespace ctv::test
