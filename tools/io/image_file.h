// SPDX-License-Identifier: BSD-3-Clause
// One image in memory: PNG and JPEG (stb_image, after checks), PNM and BMP (read here; BMP with 24 or 32 bits
// per pixel, uncompressed). 8 bits per sample.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/frame.h"

namespace ctv::tools {

/// Decodes a whole image file. The format in `frame`, if set, is the result's: RGB8 or GRAY8; otherwise grey
/// images become GRAY8 and others RGB8. Alpha is dropped, with a note in video().dropped. Throws Failure:
/// kFile if it is no image, truncated or damaged, kLimit above max_pixels.
void read_image(std::span<const uint8_t> file, const std::string& name, uint64_t max_pixels, Frame& frame);

}  // namespace ctv::tools
