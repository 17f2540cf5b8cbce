// SPDX-License-Identifier: BSD-3-Clause
// Rate and distortion: every clip through every codec at several qualities, and what that says about bits. A
// curve is a JSON object with "codec" and "points", as in the documents of `ctbench rd`.
#pragma once

#include <string>

#include "bench/bd_rate.h"
#include "bench/machine.h"

namespace ctv::tools {

/// What BD-rates are taken over.
struct Comparison {
  std::string anchor = "x264-ultrafast";
  bool mean_psnr = false;      // curves over the mean of the frames' PSNRs
  QualityRange range{30, 44};  // of PSNR; SSIM: all that curves share
};

/// Gives every curve of a clip its "bd_rate" against the anchor's over "y", "yuv" (6:1:1) and "ssim"
/// (-10 log10(1 - SSIM)): "percent", "from", "to", or null.
void compare_with_anchor(Json& clip, const Comparison& comparison);

}  // namespace ctv::tools
