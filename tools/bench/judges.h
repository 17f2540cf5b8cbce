// SPDX-License-Identifier: BSD-3-Clause
// What a viewer of a call sees. Programs that agree with viewers better than PSNR judge pictures of the
// second half of a clip, because rate control has settled there.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "bench/coding.h"
#include "bench/process.h"

namespace ctv::tools {

class Judges {
 public:
  /// Looks for SSIMULACRA2 (libjxl's ssimulacra2, or ssymulacra2 from PyPI) and libjxl's butteraugli_main.
  Judges();
  /// Names of those that are not installed.
  std::vector<std::string> missing() const;
  /// Compares two pictures of one shape: "ssimulacra2" (100 is best) and "butteraugli" (norm 3, 0 is best),
  /// of those installed. Throws Failure(kFile) with the program's last line if it fails.
  Json judge(const Frame& source, const ctv_picture& decoded) const;

 private:
  struct Judge {
    const char* name;
    std::vector<const char*> programs;
    std::string program;  // the one installed, or ""
  };
  std::array<Judge, 2> judges_;
  ScratchFolder scratch_;
};

/// Means over the second half of a clip: of PSNR over all its frames, of judges over some.
class SecondHalf {
 public:
  static constexpr size_t kJudged = 8;
  SecondHalf(const Judges& judges, const Clip& clip) : judges_(judges), clip_(clip) {}
  /// The first frame of the second half of `frames`.
  static size_t first(size_t frames) { return frames / 2; }
  /// Sum of the frames' bytes from first() on.
  static uint64_t bytes(const std::vector<uint64_t>& frame_bytes);
  /// Call it with every decoded frame.
  void see(size_t frame, const ctv_picture& decoded);
  /// "bytes", "kilobits_per_second", "psnr", "ssim", and the judges' means.
  Json json(const std::vector<uint64_t>& frame_bytes) const;

 private:
  const Judges& judges_;
  const Clip& clip_;
  Meter meter_;
  std::vector<Json> judged_;
};

}  // namespace ctv::tools
