// SPDX-License-Identifier: BSD-3-Clause
// The experiments check themselves: all variants on the CPU, and on the GPU where there is one. Here with
// sizes and densities beyond those of the papers, as they meet partial tiles, empty arrays and full blocks.
#include <gtest/gtest.h>

#include "bench/lab/experiments.hpp"
#include "bench/lab/gpu.hpp"
#include "tests/support/random.hpp"

namespace ctv::lab {
namespace {

class LabPapers : public ::testing::Test {
 protected:
  LabPapers() {
    settings_.runs = 1;
    settings_.threads = 2;
    settings_.quick = true;
    settings_.gpu = gpu_name().ok();
  }
  void expect_checks(size_t least) const {
    EXPECT_GE(report_.checks.size(), least);
    for (const Check& check : report_.checks) EXPECT_TRUE(check.passed) << check.what << " " << check.detail;
  }
  LabSettings settings_;
  LabReport report_;
};

TEST_F(LabPapers, Dct8x8) {
  std::vector<GrayImage> images;
  test::Random random(3);
  for (const auto& [width, height] : {std::pair{8, 8}, {64, 64}, {40, 24}, {136, 72}}) {
    GrayImage& image = images.emplace_back(GrayImage{width, height, {}});
    for (int r = 0; r < height; ++r)
      for (int c = 0; c < width; ++c)
        image.samples.push_back(static_cast<uint8_t>(((r * r / 9 + 3 * c) & 127) + random.between(0, 40)));
  }
  measure_dct8x8(settings_, images, report_);
  expect_checks(settings_.gpu ? 2 * images.size() : 0);
  ASSERT_EQ(report_.tables.size(), 2U);
  for (const PaperTable::Row& row : report_.tables[0].rows) EXPECT_EQ(row.values.size(), images.size());
}

TEST_F(LabPapers, H264Idct) {
  std::vector<IdctMode> modes;
  for (const Densities& d : {Densities{0, 0, 0.5}, {0.5, 0, 0}, {0, 0.5, 1}, {0.1, 0.3, 0.5}, {1, 1, 0.3}})
    modes.push_back({"", {d, d}});
  measure_h264_idct(settings_, modes, report_);
  expect_checks((settings_.gpu ? 4 + 10 + 1 : 4) * modes.size());
}

TEST_F(LabPapers, H264TransformAndQuantiser) {
  test::Random random(9);
  YuvFrame frame = {80, 48, {}, {}, {}};
  for (int i = 0; i < 80 * 48; ++i) frame.luma.push_back(i < 1600 ? (i & 1 ? 255 : 0) : random.byte());
  for (int i = 0; i < 40 * 24; ++i) {
    frame.cb.push_back(random.byte());
    frame.cr.push_back(i < 500 ? 255 : random.byte());
  }
  for (int qp = 0; qp <= 51; ++qp) measure_h264_tq(settings_, std::span(&frame, 1), qp, report_);
  expect_checks(settings_.gpu ? 104 : 52);
}

}  // namespace
}  // namespace ctv::lab
