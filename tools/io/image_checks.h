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
/// A JPEG file that ends inside or after its last scan, continued by 64 bytes of `fill` and an end marker. If
/// two of them decode to the same samples, none is missing. Empty if it ends elsewhere.
std::vector<uint8_t> jpeg_with_end(std::span<const uint8_t> file, uint8_t fill);

/// What the samples of an image do not show.
struct ImageNotes {
  int orientation = 1;       // EXIF's, 1..8
  bool transparent = false;  // a PNG's tRNS
  bool animated = false;     // a PNG of several pictures
};
/// Reads the notes of a PNG or JPEG file without a defect.
ImageNotes notes_of(std::span<const uint8_t> file);

}  // namespace ctv::tools
