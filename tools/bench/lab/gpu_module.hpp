// SPDX-License-Identifier: BSD-3-Clause
// The lab's CUDA kernels as a module, libctv_lab_cuda.so, so that ctbench starts where there is neither CUDA
// nor a driver. Every call opens device 0, runs, checks nothing and returns what the kernels wrote and how
// long they took.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/lab/dct8x8/dct8x8.hpp"
#include "bench/lab/h264_idct/h264_idct.hpp"
#include "bench/lab/h264_tq/h264_tq.hpp"
#include "codec/util/status.hpp"

namespace ctv::lab {

/// Counted up whenever anything that crosses the module's border changes.
inline constexpr uint32_t kGpuModuleStamp = 2;

struct GpuModule {
  uint32_t stamp;
  /// The device's name, or why none can be used.
  Result<std::string> (*device_name)();
  /// Paper: Obukhov and Kharlamov 2008.
  Status (*dct8x8)(DctVariant variant, const GrayImage& image, int runs, GrayImage& result, DctTimes& times);
  /// Papers: Wang, Alvarez-Mesa, Chi and Juurlink 2013.
  Status (*idct_baseline)(const MacroblockFrame& frame, int runs, std::vector<int16_t>& residuals,
                          GpuTimes& times);
  /// size: 4 or 8; blocks [count][size][size].
  Status (*idct_compacted)(IdctStep step, int size, const std::vector<int16_t>& blocks, int runs,
                           std::vector<int16_t>& residuals, GpuTimes& times);
  /// Upload, kernel and download of both block sizes: one after the other, or at the same time.
  Status (*idct_complete)(const CompactedFrame& frame, bool overlapped, int runs, CompactedFrame& residuals,
                          double& ms);
  /// Paper: Husemann, Giacomolli, Lenz, Schwingel and Roesler 2011.
  Status (*transform_quantise)(TqVariant variant, const YuvFrame& frame, int qp, int runs,
                               std::vector<int16_t>& levels, GpuTimes& times);
};

/// The module, loaded once; null with the reason in `why` if it, a driver or a device is missing.
const GpuModule* gpu_module(std::string& why);

}  // namespace ctv::lab

/// The module's only symbol.
extern "C" CTV_API const ctv::lab::GpuModule* ctv_lab_cuda_module(void);
