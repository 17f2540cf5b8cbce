// SPDX-License-Identifier: BSD-3-Clause
// Scales pictures to half their width and height. Used by encoders only.
#pragma once

#include "codec/pipeline/picture_copy.hpp"

namespace ctv {

constexpr int half_of(int n) { return (n + 1) / 2; }

/// Scales a picture in host memory to half_of() its width and height, in all formats.
void halve_picture(const ctv_picture& picture, int threads, PictureCopy& half);

}  // namespace ctv
