// SPDX-License-Identifier: BSD-3-Clause
// The search for slopes of the CUDA backend finds those of the CPU backend. Inputs are drawn anew in every
// run; CTV_TEST_SEED=n repeats one.
#include <gtest/gtest.h>

#include "tests/cuda/equality.hpp"
#include "tests/support/backend_slopes.hpp"
#include "tests/support/transform_cases.hpp"

namespace ctv::test {
namespace {

class CudaSlopes : public CudaEquality {
 protected:
  // Squares of 40x40 with stripes of different slopes and widths, and some noise.
  static BackendPlane picture(Backend& backend, Extent extent, uint64_t seed) {
    BackendPlane plane(backend, extent);
    Random random(seed);
    const int noise = random.between(0, 40);
    for (int r0 = 0; r0 < extent.rows; r0 += 40) {
      for (int c0 = 0; c0 < extent.cols; c0 += 40) {
        const int lean = half_columns(random.between(0, kSlopeCount - 1));
        const int width = random.between(3, 17);
        for (int r = r0; r < std::min(r0 + 40, extent.rows); ++r) {
          for (int c = c0; c < std::min(c0 + 40, extent.cols); ++c) {
            const int phase = ((2 * c - lean * r) / 2 % width + width) % width;
            plane.at(r, c) = static_cast<int16_t>(
                clamp_to(80 + 90 * phase / width + random.between(-noise, noise), 0, 255));
          }
        }
      }
    }
    plane.upload();
    return plane;
  }
};

TEST_F(CudaSlopes, AreTheCpus) {
  for (const Extent extent : all_extents()) {
    for (const int scales : {1, 4}) {
      for (const int fraction_bits : {0, 2}) {
        const SubbandLayout layout = make_layout(sloped(scales, fraction_bits), extent);
        const uint64_t seed = next_seed();
        SCOPED_TRACE(text(extent) + " scales " + std::to_string(scales) + " seed " + std::to_string(seed));
        const auto quantisers = lossy(layout, static_cast<uint32_t>(between(16, 900)));
        std::array<std::vector<int8_t>, 2> found;
        for (size_t i = 0; i < 2; ++i) {
          found[i] = search_slopes(*both()[i], layout, picture(*both()[i], layout.padded, seed), quantisers);
        }
        ASSERT_EQ(found[0], found[1]);
      }
    }
  }
}

}  // namespace
}  // namespace ctv::test
