// SPDX-License-Identifier: BSD-3-Clause
// Frames that a device repeats and that need further tries: a frame that is repeated makes no calls, and a
// further try must not take what an earlier frame's calls have left. Bytes are the CPU's.
#include "tests/cuda/equality.hpp"
#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

using CudaRepeatedTries = CudaEquality;

// Two pictures with motion and two with noise besides, in turn: the first try has the step of the last such
// frame, which never fits, and steps come back, so frames are repeated.
std::vector<Frame> alternating_clip(ctv_format format, Extent extent, int key_interval, int intervals) {
  const auto calm = moving_clip(format, extent.cols, extent.rows, key_interval);
  std::vector<Frame> busy = calm;
  for (size_t n = 0; n < busy.size(); ++n) {
    const Frame noise = noise_frame(format, extent.cols, extent.rows, n + 1);
    for (size_t p = 0; p < noise.planes.size(); ++p) {
      for (size_t i = 0; i < noise.planes[p].size(); ++i) {
        uint8_t& sample = busy[n].planes[p][i];
        sample = static_cast<uint8_t>((3 * sample + noise.planes[p][i]) / 4);
      }
    }
  }
  std::vector<Frame> clip;
  for (int i = 0; i < intervals; ++i) {
    const auto& next = i % 2 == 0 ? calm : busy;
    clip.insert(clip.end(), next.begin(), next.end());
  }
  return clip;
}

TEST_F(CudaRepeatedTries, GiveTheBytesOfTheCpu) {
  const Extent extent = only_small() ? Extent{64, 96} : Extent{144, 176};
  const int intervals = only_small() ? 8 : 12;
  for (const int key_interval : {2, 4}) {
    const auto clip = alternating_clip(CTV_FORMAT_I420, extent, key_interval, intervals);
    for (const char* const preset : {"default", "paper"}) {
      Config config = config_for(clip[0], preset);
      config.key_interval = key_interval;
      config.max_frame_bytes = static_cast<int64_t>(packet_bytes(encode(clip, config)) / clip.size() / 2);
      const Stream expected = encode(clip, config);
      config.backend = CTV_BACKEND_CUDA;
      EXPECT_EQ(encode(clip, config), expected) << preset << ", interval " << key_interval;
    }
  }
}

}  // namespace
}  // namespace ctv::test
