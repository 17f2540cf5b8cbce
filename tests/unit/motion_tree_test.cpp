// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_tree.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace ctv {
namespace {

using Bytes = std::vector<uint8_t>;

class MotionTrees : public testing::Test {
 protected:
  static constexpr MotionGrid kGrid{kLog2Cell, 11, 13};

  /// A tree of the whole grid.
  std::unique_ptr<MotionTree> tree(bool filter = false) {
    auto tree = std::make_unique<MotionTree>(kGrid, 3, kind_, filter);
    EXPECT_EQ(tree->take({0, 0, kGrid.root_rows(), kGrid.root_cols()}, leaves_.data()), kGrid.size());
    return tree;
  }
  bool decode(const Bytes& bytes) {
    CodedFrameBuffers frame;
    frame.side = {vectors_.data(), skips_.data()};
    return tree()->decode(bytes, frame);
  }
  Bytes encode() {
    CodedFrame frame;
    const SideInfo side{vectors_.data(), skips_.data()};
    frame.side = side;
    Growing<uint8_t> out;
    const size_t size = tree()->encode(frame, out);
    return {out.data(), out.data() + size};
  }
  MotionSkips kind_ = MotionSkips::kAny;
  std::vector<MotionLeaf> leaves_ = std::vector<MotionLeaf>(kGrid.size());
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

TEST_F(MotionTrees, StillLeavesHaveNoVector) {
  kind_ = MotionSkips::kStill;
  for (size_t i = 0; i < vectors_.size(); ++i) {
    skips_[i] = i % 3 == 0;
    if (i % 3 != 0) vectors_[i] = {static_cast<int16_t>(8 * (i % 7)), -16};
  }
  const auto vectors = vectors_;
  const auto skips = skips_;
  const Bytes bytes = encode();
  std::fill(vectors_.begin(), vectors_.end(), MotionVector{1, 2});
  std::fill(skips_.begin(), skips_.end(), uint8_t{2});
  ASSERT_TRUE(decode(bytes));
  EXPECT_EQ(vectors_, vectors);
  EXPECT_EQ(skips_, skips);
}

TEST_F(MotionTrees, SaysWhichRootsAreFiltered) {
  ASSERT_EQ(kGrid.roots(), 4U);
  for (int mask = 0; mask < 16; ++mask) {
    std::vector<int64_t> changes, expected;
    for (int root = 0; root < 4; ++root) {
      changes.push_back((mask >> root & 1) != 0 ? -7 : 5);
      expected.push_back((mask >> root & 1) != 0 ? -1 : 0);
    }
    CodedFrame frame;
    frame.side = SideInfo{vectors_.data(), skips_.data(), nullptr, changes.data()};
    Growing<uint8_t> out;
    const size_t size = tree(true)->encode(frame, out);
    std::vector<int64_t> decoded(4, 9);
    CodedFrameBuffers buffers;
    buffers.side = {vectors_.data(), skips_.data(), nullptr, decoded.data()};
    ASSERT_TRUE(tree(true)->decode({out.data(), size}, buffers));
    EXPECT_EQ(decoded, expected) << "mask " << mask;
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
