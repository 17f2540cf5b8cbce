// SPDX-License-Identifier: BSD-3-Clause
// One image in memory: PNG and JPEG (stb_image, behind checks), PNM and BMP (read here; BMP with 24 or 32
// bits a pixel, uncompressed). 8 bits a sample.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/frame.h"

namespace ctv::tools {

/// Decodes a whole image file. `frame`, and the format in it if there is one already, say what comes out:
/// RGB8 or GRAY8; without a format, grey images become GRAY8 and others RGB8. Alpha is dropped, which
/// video().dropped says. Throws Failure: kFile for what is no image, cut or damaged, kLimit above max_pixels.
void read_image(std::span<const uint8_t> file, const std::string& name, uint64_t max_pixels, Frame& frame);

}  // namespace ctv::tools
