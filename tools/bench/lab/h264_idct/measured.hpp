// SPDX-License-Identifier: BSD-3-Clause
// The figures that the paper on H.264's inverse transform reports.
#pragma once

#include <array>
#include <span>
#include <string>

#include "bench/lab/gpu.hpp"
#include "bench/lab/report.hpp"

namespace ctv::lab {

/// One resolution and mode. Pairs are of 4x4 and 8x8 blocks; milliseconds, 0 where nothing was measured.
struct IdctCase {
  std::string name;
  int paper_row = -1;  // of Table 3, if the mode is one of the paper's
  double share = 0;    // of all coefficients, those in blocks that are not zero
  std::array<double, 2> scalar{}, simd{}, parallel{};
  GpuTimes baseline;
  std::array<std::array<GpuTimes, 2>, std::size(kIdctSteps)> steps{};
  double sequential = 0, overlapped = 0;  // complete, by the host's clock
};

/// The paper's tables 3 and 4 and figures 4 and 5. Cases: the three modes of 1080p, then those of 2160p if
/// they were measured.
void add_idct_tables(const LabSettings& settings, std::span<const IdctCase> cases, LabReport& report);

}  // namespace ctv::lab
