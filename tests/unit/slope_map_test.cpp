// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/slope_map.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/random.hpp"

namespace ctv {
namespace {

using Bytes = std::vector<uint8_t>;
using Slopes = std::vector<int8_t>;

class SlopeMaps : public testing::Test {
 protected:
  static SlopeGrid grid_of(Extent extent, int scales = 4) {
    TransformParameters t;
    t.pyramid = Pyramid::kWavelet9_7;
    t.scales = scales;
    t.directional_lifting = true;
    return make_slope_grid(make_layout(t, extent));
  }
  static Bytes encode(const SlopeGrid& grid, const Slopes& slopes) {
    Growing<uint8_t> out;
    const size_t size = SlopeMap(grid).encode(slopes.data(), out);
    return {out.data(), out.data() + size};
  }
};

TEST_F(SlopeMaps, CoverThePaddedScales) {
  const SlopeGrid grid = grid_of({97, 61});
  EXPECT_EQ(grid.scales, 3);
  EXPECT_EQ(grid.extent(1), (Extent{7, 4}));
  EXPECT_EQ(grid.extent(2), (Extent{4, 2}));
  EXPECT_EQ(grid.extent(3), (Extent{2, 1}));
  EXPECT_EQ(grid.size(), size_t{3 + 2 + 28 + 8 + 2});
  EXPECT_EQ(grid_of({97, 61}, 2).scales, 2);
  EXPECT_TRUE(grid_of({97, 61}, 2).directed);
  EXPECT_FALSE(grid_of({97, 61}, 1).directed);  // bands may have odd extents
}

TEST_F(SlopeMaps, ComeBack) {
  for (const Extent extent : {Extent{1, 1}, Extent{97, 61}, Extent{270, 480}}) {
    const SlopeGrid grid = grid_of(extent);
    for (const int used : {0, 1, 5, 7}) {
      test::Random random(static_cast<uint64_t>(extent.cols + used));
      Slopes slopes(grid.size());
      for (int scale = 1; scale <= grid.scales; ++scale) {
        if ((used >> (scale - 1) & 1) == 0) continue;
        slopes[static_cast<size_t>(scale - 1)] = 1;
        for (size_t i = 0; i < grid.extent(scale).area(); ++i)
          slopes[grid.offset(scale) + i] = static_cast<int8_t>(random.between(0, kSlopeCount - 1));
      }
      for (size_t i = kSlopedScales; used > 1 && i < SlopeGrid::kHead; ++i)
        slopes[i] = static_cast<int8_t>(random.between(0, kDirectedDepth));
      const Bytes bytes = encode(grid, slopes);
      EXPECT_EQ(bytes.empty(), used == 0);
      Slopes decoded(grid.size(), 99);
      ASSERT_TRUE(SlopeMap(grid).decode(bytes, decoded.data()));
      EXPECT_EQ(decoded, slopes);
    }
  }
}

TEST_F(SlopeMaps, BringEveryPairOfDirections) {
  const SlopeGrid grid = grid_of({97, 61});
  for (int8_t first = 0; first <= kDirectedDepth; ++first) {
    for (int8_t second = 0; second <= kDirectedDepth; ++second) {
      Slopes slopes(grid.size());
      slopes[kSlopedScales] = first;
      slopes[kSlopedScales + 1] = second;
      Slopes decoded(grid.size(), 99);
      ASSERT_TRUE(SlopeMap(grid).decode(encode(grid, slopes), decoded.data()));
      EXPECT_EQ(decoded, slopes);
    }
  }
}

TEST_F(SlopeMaps, RefuseWhatNoEncoderWrites) {
  const SlopeGrid grid = grid_of({97, 61});
  Slopes slopes(grid.size());
  slopes[0] = 1;
  slopes[grid.offset(1) + 5] = kSlopeCount - 1;
  Bytes bytes = encode(grid, slopes);
  const SlopeMap map(grid);
  ASSERT_TRUE(map.decode(bytes, slopes.data()));
  bytes.push_back(0);
  EXPECT_FALSE(map.decode(bytes, slopes.data())) << "the last byte is 0";
  bytes.insert(bytes.end(), 300, 1);
  EXPECT_FALSE(map.decode(bytes, slopes.data())) << "bytes are left";
  EXPECT_FALSE(map.decode(Bytes{255, 255, 255, 255}, slopes.data())) << "out of range";
}

TEST_F(SlopeMaps, OfStreamsWithoutSlopesHaveNoBytes) {
  const SlopeMap map{SlopeGrid{}};
  Growing<uint8_t> out;
  EXPECT_EQ(map.encode(nullptr, out), 0U);
  EXPECT_TRUE(map.decode({}, nullptr));
  EXPECT_FALSE(map.decode(Bytes{1}, nullptr));
}

// Any bytes decode to slopes in range, and to the same ones every time.
TEST_F(SlopeMaps, StayInRangeWhateverTheBytes) {
  const SlopeGrid grid = grid_of({97, 61});
  test::Random random(4);
  for (int i = 0; i < 200; ++i) {
    Bytes bytes(static_cast<size_t>(random.between(0, 40)));
    for (uint8_t& byte : bytes) byte = random.byte();
    Slopes slopes(grid.size(), 99);
    (void)SlopeMap(grid).decode(bytes, slopes.data());
    for (size_t k = 0; k < slopes.size(); ++k) {
      ASSERT_LT(slopes[k], k < kSlopedScales ? 2 : (k < SlopeGrid::kHead ? 3 : kSlopeCount));
      ASSERT_GE(slopes[k], 0);
    }
  }
}

}  // namespace
}  // namespace ctv
