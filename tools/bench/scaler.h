// SPDX-License-Identifier: BSD-3-Clause
// One clip in several sizes, so that cost can be compared across them: smaller by the mean of the area,
// larger by bilinear interpolation.
#pragma once

#include "bench/clip.h"

namespace ctv::tools {

/// All planes scaled; the format stays.
Frame scale_frame(const Frame& frame, int32_t width, int32_t height);
/// Y'CbCr (BT.601, limited range) and grey to interleaved RGB; RGB is copied. What the paper's coder starts
/// from.
Frame to_rgb(const Frame& frame);
/// The clip in another size, and as RGB if asked; its digest is made anew.
Clip resized(const Clip& clip, int32_t width, int32_t height, bool rgb);

}  // namespace ctv::tools
