// SPDX-License-Identifier: BSD-3-Clause
// Text drawn into a picture.
#pragma once

#include <string>

#include "io/frame.h"

namespace ctv::tools {

/// Writes one line of ASCII into an RGB8 picture, its left upper corner at (x, y): white letters of 5x7 dots
/// on black, a dot being scale x scale samples. What does not fit is cut.
void draw_label(Frame& frame, const std::string& words, int32_t x, int32_t y, int32_t scale);
/// Samples that a line is high.
inline int32_t label_height(int32_t scale) { return 11 * scale; }

}  // namespace ctv::tools
