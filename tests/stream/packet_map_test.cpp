// SPDX-License-Identifier: BSD-3-Clause
// The maps of vectors, skips and bits that tools/dev/ctmaps draws.
#include <gtest/gtest.h>

#include <numeric>

#include "dev/packet_map.h"
#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

constexpr int kWidth = 120;
constexpr int kHeight = 88;

// Texture on the left half only, which moves by two columns and one row in each frame. Grey elsewhere.
std::vector<Frame> moving_texture(int frames) {
  std::vector<Frame> clip;
  for (int n = 0; n < frames; ++n) {
    Frame frame = make_frame(CTV_FORMAT_GRAY8, kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const unsigned u = static_cast<unsigned>(x - 2 * n + 64), v = static_cast<unsigned>(y - n + 64);
        const unsigned texture = 100 + (u / 3 * 37 + v / 3 * 59 + u / 3 * (v / 3) * 13) % 64;
        frame.planes[0][static_cast<size_t>(y * kWidth + x)] =
            static_cast<uint8_t>(x < kWidth / 2 ? texture : 128);
      }
    clip.push_back(std::move(frame));
  }
  return clip;
}

Stream coded(const char* preset) {
  const std::vector<Frame> clip = moving_texture(2);
  return encode(clip, config_for(clip.front(), preset));
}

double bits_of_levels(const Stream& stream, size_t packet) {
  const Bytes& unit = stream.packets[packet];
  ctv_packet_info info;
  ctv_packet_info_init(&info);
  check(ctv_packet_info_parse(stream.header.data(), stream.header.size(), unit.data(), unit.size(), &info,
                              nullptr, 0));
  return 8.0 * static_cast<double>(unit.size() - info.header_size - info.side_size);
}

class PacketMap : public testing::TestWithParam<const char*> {};

TEST_P(PacketMap, SharesOutAllBitsOfTheLevels) {
  const Stream stream = coded(GetParam());
  for (size_t i = 0; i < 2; ++i) {
    const tools::PacketMap map = tools::read_packet_map(stream.header, stream.packets[i]);
    EXPECT_EQ(map.key, i == 0);
    EXPECT_EQ(map.cols, 15);
    EXPECT_EQ(map.rows, 11);
    const double sum = std::accumulate(map.bits.begin(), map.bits.end(), 0.0);
    EXPECT_NEAR(sum, bits_of_levels(stream, i), 1e-6 * sum);
  }
}

TEST_P(PacketMap, BitsAreWhereTheTextureIs) {
  const Stream stream = coded(GetParam());
  const tools::PacketMap map = tools::read_packet_map(stream.header, stream.packets[0]);
  double left = 0, right = 0;
  for (int row = 0; row < map.rows; ++row)
    for (int col = 0; col < map.cols; ++col)
      (col < 8 ? left : right) += map.bits[static_cast<size_t>(row * map.cols + col)];
  EXPECT_GT(left, 8 * right);
}

TEST_P(PacketMap, VectorsPointToWhereTheTextureWas) {
  const Stream stream = coded(GetParam());
  const tools::PacketMap map = tools::read_packet_map(stream.header, stream.packets[1]);
  for (int row = 3; row < 8; ++row) {
    for (int col = 2; col < 6; ++col) {
      const MotionVector v = map.vectors[static_cast<size_t>(row * map.cols + col)];
      EXPECT_EQ(v, (MotionVector{-8, -16})) << row << ' ' << col << ": " << v.y << ' ' << v.x;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, PacketMap, testing::Values("default", "fastest", "paper"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(PacketMapOfPredictedFrames, SkipsWhatDoesNotChange) {
  Frame frame = make_frame(CTV_FORMAT_GRAY8, kWidth, kHeight);
  for (size_t i = 0; i < frame.planes[0].size(); ++i) frame.planes[0][i] = static_cast<uint8_t>(i % kWidth);
  const Stream stream = encode({frame, frame}, config_for(frame, "default"));
  const tools::PacketMap map = tools::read_packet_map(stream.header, stream.packets[1]);
  EXPECT_EQ(map.skips, std::vector<uint8_t>(map.skips.size(), 1));
}

}  // namespace
}  // namespace ctv::test
