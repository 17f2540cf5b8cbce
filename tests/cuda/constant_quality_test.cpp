// SPDX-License-Identifier: BSD-3-Clause
// Constant quality: decisions on errors that a device measures, recorded frames included, are the CPU's.
#include "tests/cuda/equality.hpp"
#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

using CudaConstantQuality = CudaEquality;

TEST_F(CudaConstantQuality, GivesTheBytesOfTheCpu) {
  const Extent extent = only_small() ? Extent{64, 96} : Extent{240, 320};
  const int frames = only_small() ? 8 : 24;
  int number = 0;
  for (const ctv_format format : {CTV_FORMAT_I420, CTV_FORMAT_RGB8, CTV_FORMAT_GRAY8}) {
    const auto clip = moving_clip(format, extent.cols, extent.rows, frames);
    for (const int key_interval : {7, 0}) {
      Config config = config_for(clip[0], "default");
      config.key_interval = key_interval;
      config.crf = 27;
      // As it comes, and with packets that are made, and their sizes known, before the call returns.
      for (const int64_t max_frame_bytes : {int64_t{0}, int64_t{1} << 30}) {
        if (left_out(number)) continue;
        config.max_frame_bytes = max_frame_bytes;
        config.backend = CTV_BACKEND_CPU;
        config.frames_in_flight = 1;
        const Stream expected = encode(clip, config);
        config.backend = CTV_BACKEND_CUDA;
        for (const int in_flight : {1, 2, 8}) {
          config.frames_in_flight = in_flight;
          EXPECT_EQ(encode(clip, config), expected)
              << "format " << format << " interval " << key_interval << ", " << in_flight
              << " in flight, at most " << max_frame_bytes;
        }
      }
    }
  }
}

}  // namespace
}  // namespace ctv::test
