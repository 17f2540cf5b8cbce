// SPDX-License-Identifier: BSD-3-Clause
// nvJPEG as ctbench peers runs it: planes arrive where they belong, quality and tables do what they say.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/lab/nvjpeg/nvjpeg.hpp"
#include "tests/support/random.hpp"

namespace ctv::lab {
namespace {

TEST(NvjpegTest, PlanesComeBackAndQualityCostsBytes) {
  std::string why;
  const NvjpegModule* module = nvjpeg_module(why);
  if (module == nullptr) GTEST_SKIP() << why;
  for (const auto& [width, height] : {std::pair{64, 48}, {97, 61}}) {
    const int chroma = (width + 1) / 2 * ((height + 1) / 2);
    std::vector<std::vector<uint8_t>> frames(3);
    JpegClip clip = {width, height, {}};
    test::Random random(5);
    for (std::vector<uint8_t>& frame : frames) {
      for (int i = 0; i < width * height; ++i)
        frame.push_back(static_cast<uint8_t>(60 + i % width + random.between(0, 8)));
      frame.insert(frame.end(), static_cast<size_t>(chroma), 90);
      frame.insert(frame.end(), static_cast<size_t>(chroma), 170);
      clip.frames.push_back(frame.data());
    }
    JpegRun coarse, fine, own;
    for (const auto& [quality, optimised, run] :
         {std::tuple{30, false, &coarse}, {95, false, &fine}, {95, true, &own}}) {
      const Status status = module->code(clip, quality, optimised, 2, *run);
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_EQ(run->decoded.size(), 3 * frames[0].size());
      EXPECT_EQ(run->encode_ms.size(), 2U);
      EXPECT_EQ(run->decode_device_ms.size(), 2U);
    }
    EXPECT_LT(coarse.bytes, fine.bytes);
    EXPECT_LT(own.bytes, fine.bytes);
    EXPECT_EQ(own.decoded, fine.decoded) << "tables change bytes, not samples";
    for (size_t f = 0; f < frames.size(); ++f)
      for (size_t i = 0; i < frames[f].size(); ++i) {
        const int found = fine.decoded[f * frames[f].size() + i];
        ASSERT_NEAR(found, frames[f][i], 12) << width << "x" << height << ", frame " << f << ", byte " << i;
      }
  }
}

}  // namespace
}  // namespace ctv::lab
