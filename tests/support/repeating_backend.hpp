// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for a device that repeats frames: the CPU's stages, the CUDA backend's name. The calls of a
// frame are kept with their arguments, and made again when a frame comes that the pipeline says is equal.
#pragma once

namespace ctv::test {

/// While it lives, "CUDA" is the stand-in.
class DeviceThatRepeats {
 public:
  DeviceThatRepeats();
  ~DeviceThatRepeats();
  DeviceThatRepeats(const DeviceThatRepeats&) = delete;
  DeviceThatRepeats& operator=(const DeviceThatRepeats&) = delete;
  /// Frames repeated so far.
  static long repeated();
};

}  // namespace ctv::test
