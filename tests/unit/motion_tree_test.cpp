// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_tree.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ctv {
namespace {

using Bytes = std::vector<uint8_t>;

class MotionTrees : public testing::Test {
 protected:
  static constexpr MotionGrid kGrid{kLog2Cell, 11, 13};

  bool decode(const Bytes& bytes) {
    CodedFrameBuffers frame;
    frame.side = {vectors_.data(), skips_.data()};
    return MotionTree(kGrid, 0, 3, true).decode(bytes, frame);
  }
  Bytes encode() {
    CodedFrame frame;
    const SideInfo side{vectors_.data(), skips_.data()};
    frame.side = side;
    Growing<uint8_t> out;
    const size_t size = MotionTree(kGrid, 0, 3, true).encode(frame, out);
    return {out.data(), out.data() + size};
  }
  std::vector<MotionVector> vectors_ = std::vector<MotionVector>(kGrid.size());
  std::vector<uint8_t> skips_ = std::vector<uint8_t>(kGrid.size());
};

// The greatest differences: 16 bits, and modulo 2^16.
TEST_F(MotionTrees, ExtremeVectorsComeBack) {
  for (size_t i = 0; i < vectors_.size(); ++i) {
    vectors_[i] = i % 3 == 0   ? MotionVector{-32768, 32767}
                  : i % 3 == 1 ? MotionVector{32767, -32768}
                               : MotionVector{0, -1};
    skips_[i] = i % 5 == 0;
  }
  const auto vectors = vectors_;
  const auto skips = skips_;
  const Bytes bytes = encode();
  std::fill(vectors_.begin(), vectors_.end(), MotionVector{});
  std::fill(skips_.begin(), skips_.end(), uint8_t{2});
  ASSERT_TRUE(decode(bytes));
  EXPECT_EQ(vectors_, vectors);
  EXPECT_EQ(skips_, skips);
}

TEST_F(MotionTrees, SaysWhichPlanesAreFiltered) {
  for (const int planes : {1, 3}) {
    for (int mask = 0; mask < 1 << planes; ++mask) {
      std::array<int64_t, kMostPlanes> changes{};
      for (size_t p = 0; p < changes.size(); ++p) changes[p] = (mask >> p & 1) != 0 ? -7 : 5;
      CodedFrame frame;
      frame.side = SideInfo{vectors_.data(), skips_.data(), nullptr, changes.data()};
      Growing<uint8_t> out;
      const size_t size = MotionTree(kGrid, 0, 3, true, planes).encode(frame, out);
      std::array<int64_t, kMostPlanes> decoded = {9, 9, 9};
      CodedFrameBuffers buffers;
      buffers.side = {vectors_.data(), skips_.data(), nullptr, decoded.data()};
      ASSERT_TRUE(MotionTree(kGrid, 0, 3, true, planes).decode({out.data(), size}, buffers));
      for (size_t p = 0; p < changes.size(); ++p) {
        const int64_t expected = p >= static_cast<size_t>(planes) ? 9 : ((mask >> p & 1) != 0 ? -1 : 0);
        EXPECT_EQ(decoded[p], expected);
      }
    }
  }
}

TEST_F(MotionTrees, NoBytesDecodeToZeroVectorsWithoutSkips) {
  std::fill(vectors_.begin(), vectors_.end(), MotionVector{1, 2});
  std::fill(skips_.begin(), skips_.end(), uint8_t{1});
  ASSERT_TRUE(decode({}));
  EXPECT_EQ(vectors_, std::vector<MotionVector>(kGrid.size()));
  EXPECT_EQ(skips_, std::vector<uint8_t>(kGrid.size()));
}

TEST_F(MotionTrees, RefusesWhatNoEncoderWrites) {
  vectors_[5] = {8, -24};
  Bytes bytes = encode();
  ASSERT_TRUE(decode(bytes));
  bytes.push_back(0);
  EXPECT_FALSE(decode(bytes)) << "the last byte is 0";
  bytes.insert(bytes.end(), 300, 1);
  EXPECT_FALSE(decode(bytes)) << "bytes are left";
  EXPECT_FALSE(decode({255, 255, 255, 255})) << "out of range";
}

}  // namespace
}  // namespace ctv
