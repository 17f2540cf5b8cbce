// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's JPEG codec as a separate module, libctv_nvjpeg.so, so that ctbench and the lab's kernels start
// where the toolkit has no nvJPEG.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv::lab {

/// Counted up whenever anything that crosses the module's border changes.
inline constexpr uint32_t kNvjpegModuleStamp = 1;

/// Frames of Y, Cb and Cr without gaps, chroma (width + 1) / 2 x (height + 1) / 2. The samples are JPEG's as
/// they are: no conversion, no change of range.
struct JpegClip {
  int width = 0, height = 0;
  std::vector<const uint8_t*> frames;
};

struct JpegRun {
  uint64_t bytes = 0;            // of all frames
  std::vector<uint8_t> decoded;  // all frames, as the clip's
  // Milliseconds a frame, one for each run, from and to pinned host memory, one frame after the other.
  std::vector<double> encode_ms, decode_ms;                // by the host's clock
  std::vector<double> encode_device_ms, decode_device_ms;  // between two events on the stream
};

struct NvjpegModule {
  uint32_t stamp;
  /// The device's name, or why none can be used.
  Result<std::string> (*device_name)();
  /// Encodes and decodes every frame with device 0, `runs` times after one to warm up. quality: 1..100.
  Status (*code)(const JpegClip& clip, int quality, bool optimised_huffman, int runs, JpegRun& run);
};

/// The module, loaded once; null with the reason in `why` if it, a driver or a device is missing.
const NvjpegModule* nvjpeg_module(std::string& why);

}  // namespace ctv::lab

/// The module's only symbol.
extern "C" CTV_API const ctv::lab::NvjpegModule* ctv_nvjpeg_module(void);
