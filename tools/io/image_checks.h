// SPDX-License-Identifier: BSD-3-Clause
// Checks that an image file is complete, and no larger than it says, before stb_image decodes it: stb fills
// in missing data, trusts sizes without data, and is not meant for files of unknown origin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ctv::tools {

/// The defect of a PNG file, nullptr if none: truncated, a wrong checksum, more or fewer samples than its
/// header says.
const char* png_defect(std::span<const uint8_t> file);
/// The PNG file with its palette extended by black to 256 colours, because samples may point beyond a shorter
/// one. Empty if it has no palette. The file must have no defect.
std::vector<uint8_t> png_with_full_palette(std::span<const uint8_t> file);
/// The defect of a JPEG file: truncated, an invalid table, too few bytes for its size.
const char* jpeg_defect(std::span<const uint8_t> file);

}  // namespace ctv::tools
