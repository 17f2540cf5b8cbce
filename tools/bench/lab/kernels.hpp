// SPDX-License-Identifier: BSD-3-Clause
// What the module's table holds; lab/gpu_module.hpp says what each does.
#pragma once

#include "bench/lab/gpu_module.hpp"

namespace ctv::lab {

Status dct8x8(DctVariant variant, const GrayImage& image, int runs, GrayImage& result, DctTimes& times);
Status idct_baseline(const MacroblockFrame& frame, int runs, std::vector<int16_t>& residuals,
                     GpuTimes& times);
Status idct_compacted(IdctStep step, int size, const std::vector<int16_t>& blocks, int runs,
                      std::vector<int16_t>& residuals, GpuTimes& times);
Status idct_complete(const CompactedFrame& frame, bool overlapped, int runs, CompactedFrame& residuals,
                     double& ms);
Status transform_quantise(TqVariant variant, const YuvFrame& frame, int qp, int runs,
                          std::vector<int16_t>& levels, GpuTimes& times);

}  // namespace ctv::lab
