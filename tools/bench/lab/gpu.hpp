// SPDX-License-Identifier: BSD-3-Clause
// The lab's CUDA kernels. Every call opens device 0, runs, checks nothing, and returns what the kernels wrote
// and how long they took. In a build without CUDA they fail with CTV_ERROR_DEVICE.
#pragma once

#include <string>
#include <vector>

#include "bench/lab/dct8x8/dct8x8.hpp"
#include "bench/lab/h264_idct/h264_idct.hpp"
#include "bench/lab/h264_tq/h264_tq.hpp"
#include "codec/util/status.hpp"

namespace ctv::lab {

/// Milliseconds by the GPU's own clock, medians. Copies are to and from pinned memory.
struct GpuTimes {
  double upload = 0, kernel = 0, download = 0;
  double sum() const { return upload + kernel + download; }
};

/// The device's name, or why none can be used.
Result<std::string> gpu_name();

/// Paper: Obukhov and Kharlamov 2008.
Status dct8x8_on_gpu(DctVariant variant, const GrayImage& image, GrayImage& result);

/// Paper: Wang, Alvarez-Mesa, Chi and Juurlink 2013.
Status idct_baseline(const MacroblockFrame& frame, int runs, std::vector<int16_t>& residuals,
                     GpuTimes& times);
/// size: 4 or 8; blocks [count][size][size].
Status idct_compacted(IdctStep step, int size, const std::vector<int16_t>& blocks, int runs,
                      std::vector<int16_t>& residuals, GpuTimes& times);

/// Paper: Husemann, Giacomolli, Lenz, Schwingel and Roesler 2011.
Status transform_quantise_on_gpu(const YuvFrame& frame, int qp, int runs, std::vector<int16_t>& levels,
                                 GpuTimes& times);

}  // namespace ctv::lab
