// SPDX-License-Identifier: BSD-3-Clause
// The lab's CUDA kernels. Every call opens device 0, runs, checks nothing, and returns what the kernels wrote
// and how long they took. A build without CUDA has no_gpu.cpp instead, whose calls fail with
// CTV_ERROR_DEVICE.
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
Status dct8x8_on_gpu(DctVariant variant, const GrayImage& image, int runs, GrayImage& result,
                     DctTimes& times);

/// Paper: Wang, Alvarez-Mesa, Chi and Juurlink 2013.
Status idct_baseline(const MacroblockFrame& frame, int runs, std::vector<int16_t>& residuals,
                     GpuTimes& times);
/// size: 4 or 8; blocks [count][size][size].
Status idct_compacted(IdctStep step, int size, const std::vector<int16_t>& blocks, int runs,
                      std::vector<int16_t>& residuals, GpuTimes& times);
/// Upload, kernel and download of both block sizes: one after the other, or at the same time.
Status idct_complete(const CompactedFrame& frame, bool overlapped, int runs, CompactedFrame& residuals,
                     double& ms);

/// Paper: Husemann, Giacomolli, Lenz, Schwingel and Roesler 2011.
Status transform_quantise_on_gpu(const YuvFrame& frame, int qp, int runs, std::vector<int16_t>& levels,
                                 GpuTimes& times);

/// Frames of Y, Cb and Cr without gaps, chroma (width + 1) / 2 x (height + 1) / 2. The samples are JPEG's as
/// they are: no conversion, no change of range.
struct JpegClip {
  int width = 0, height = 0;
  std::vector<const uint8_t*> frames;
};
struct JpegRun {
  uint64_t bytes = 0;            // of all frames
  std::vector<uint8_t> decoded;  // all frames, as the clip's
  // Milliseconds a frame, one for each run: host to host, one frame after the other.
  std::vector<double> encode_ms, decode_ms;
};
/// nvJPEG encodes and decodes every frame, `runs` times after one to warm up. quality: 1..100.
Status code_nvjpeg(const JpegClip& clip, int quality, int runs, JpegRun& run);

}  // namespace ctv::lab
