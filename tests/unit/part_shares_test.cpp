// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/part_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "codec/format/packet.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

constexpr size_t kBytes = PartShares::kBytes;

class Shares : public ::testing::Test {
 protected:
  using Bytes = std::vector<uint8_t>;
  void begin(const std::vector<size_t>& sizes, int threads) {
    parts_.clear();
    shares_.begin(sizes.size(), threads);
    for (size_t i = 0; i < sizes.size(); ++i) {
      parts_.emplace_back(sizes[i]);
      for (uint8_t& b : parts_.back()) b = random_.byte();
      shares_.add(i, sizes[i]);
    }
  }
  Random random_{7};
  std::vector<Bytes> parts_;
  PartShares shares_;
};

TEST_F(Shares, CoverEachPartOnceAndAddUpToItsCheckInAnyOrder) {
  for (const int threads : {1, 2, 16}) {
    begin({0, 1, kBytes, kBytes + 1, 5 * kBytes - 1, 300}, threads);
    EXPECT_EQ(shares_.size(), threads == 1 ? 6U : 11U);
    std::vector<size_t> order(shares_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.byte() % i]);
    std::vector<size_t> taken(parts_.size());
    std::vector<int> done(parts_.size());
    for (const size_t i : order) {
      const PartShares::Share& share = shares_[i];
      EXPECT_EQ(share.begin % kBytes, 0U);
      taken[share.part] += share.size;
      const bool last = shares_.take(i, share.of(parts_[share.part]));
      EXPECT_EQ(last, taken[share.part] == parts_[share.part].size()) << i;
      done[share.part] += last ? 1 : 0;
    }
    for (size_t p = 0; p < parts_.size(); ++p) {
      EXPECT_EQ(done[p], 1) << p;
      EXPECT_EQ(shares_.check(p), part_check(parts_[p])) << p;
    }
  }
}

TEST_F(Shares, BeginAnew) {
  begin({3 * kBytes, 10}, 2);
  EXPECT_FALSE(shares_.take(0, shares_[0].of(parts_[0])));  // the frame is given up
  begin({10, 2 * kBytes}, 2);
  ASSERT_EQ(shares_.size(), 3U);
  EXPECT_TRUE(shares_.take(0, parts_[0]));
  EXPECT_FALSE(shares_.take(2, shares_[2].of(parts_[1])));
  EXPECT_TRUE(shares_.take(1, shares_[1].of(parts_[1])));
  EXPECT_EQ(shares_.check(1), part_check(parts_[1]));
}

}  // namespace
}  // namespace ctv::test
