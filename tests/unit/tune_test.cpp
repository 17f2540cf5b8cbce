// SPDX-License-Identifier: BSD-3-Clause
// Weights in the header with tuning for SSIM.
#include <gtest/gtest.h>

#include "codec/config/presets.hpp"

namespace ctv {
namespace {

SequenceHeader header_of(int levels, ctv_tune tune) {
  ctv_config c{};
  EXPECT_TRUE(apply_preset("default", c));
  c.width = 64;
  c.height = 48;
  c.format = CTV_FORMAT_I420;
  c.scales = levels;
  c.directions[0] = 4;
  c.tune = tune;
  const auto header = make_sequence_header(c);
  EXPECT_TRUE(header.ok());
  return header.ok() ? *header : SequenceHeader{};
}

TEST(Tune, SsimTakesFromTheLowpassAndTheFinestDetailOfLuma) {
  for (const int levels : {1, 2, 4}) {
    const SequenceHeader psnr = header_of(levels, CTV_TUNE_PSNR);
    const SequenceHeader ssim = header_of(levels, CTV_TUNE_SSIM);
    const SubbandLayout layout = make_layout(psnr.transform, {48, 64});
    EXPECT_EQ(ssim.weights[1], psnr.weights[1]);
    for (size_t i = 0; i < layout.subbands.size(); ++i) {
      const int layer = layout.subbands[i].layer;
      const double factor = layer == 0 ? 1.6 : layer == levels ? 1.2 : 1.0;
      EXPECT_NEAR(ssim.weights[0][i], factor * psnr.weights[0][i], 0.5) << levels << " levels, subband " << i;
    }
  }
}

}  // namespace
}  // namespace ctv
