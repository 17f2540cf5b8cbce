// SPDX-License-Identifier: BSD-3-Clause
#include "io/image_file.h"

#include <cstring>
#include <memory>
#include <optional>

#include "cli/exit.h"
#include "io/image_checks.h"
#include "io/stb.h"

namespace ctv::tools {
namespace {

/// Sets the frame's format for an image with this number of channels.
void shape(const std::string& name, Frame& frame, int32_t width, int32_t height, int channels) {
  VideoFormat video = frame.video();
  if (video.format == CTV_FORMAT_GRAY8 && channels > 2)
    throw Failure(Exit::kFile, name + " has colours, and the first image has none");
  if (video.format == CTV_FORMAT_NONE) video.format = channels <= 2 ? CTV_FORMAT_GRAY8 : CTV_FORMAT_RGB8;
  video.width = width;
  video.height = height;
  video.dropped = channels % 2 == 0 ? "its alpha" : "";
  frame.reset(video);
}

/// The next number of a PNM header, after blanks and comments.
std::optional<int64_t> pnm_number(std::span<const uint8_t>& file) {
  size_t at = 0;
  const auto blank = [&] { return file[at] == ' ' || (file[at] >= '\t' && file[at] <= '\r'); };
  while (at < file.size() && (blank() || file[at] == '#')) {
    if (file[at] == '#')
      while (at < file.size() && file[at] != '\n') ++at;
    if (at < file.size()) ++at;
  }
  int64_t number = 0;
  const size_t begin = at;
  while (at < file.size() && at - begin < 9 && file[at] >= '0' && file[at] <= '9')
    number = number * 10 + (file[at++] - '0');
  if (at == begin) return std::nullopt;
  file = file.subspan(at);
  return number;
}

void read_pnm(std::span<const uint8_t> file, const std::string& name, uint64_t max_pixels, Frame& frame) {
  const int channels = file[1] == '5' ? 1 : 3;
  file = file.subspan(2);
  const auto width = pnm_number(file), height = pnm_number(file), maximum = pnm_number(file);
  if (!width || !height || !maximum || file.empty())
    throw Failure(Exit::kFile, name + ": the PNM header is damaged");
  check_extent(name, *width, *height, max_pixels);
  if (*maximum < 1 || *maximum > 255)
    throw Failure(Exit::kFile, name + " has more than 8 bits a sample", "convert it to 8 bits first");
  file = file.subspan(1);  // the single blank before the samples
  const auto size = static_cast<size_t>(*width * *height * channels);
  if (file.size() < size) throw Failure(Exit::kFile, name + ": the file is cut");
  shape(name, frame, static_cast<int32_t>(*width), static_cast<int32_t>(*height), channels);
  const int wanted = frame.video().format == CTV_FORMAT_GRAY8 ? 1 : 3;
  const auto scaled = [&](uint8_t sample) {
    return static_cast<uint8_t>((std::min<int64_t>(sample, *maximum) * 255 + *maximum / 2) / *maximum);
  };
  uint8_t* out = frame.bytes().data();
  for (size_t i = 0; i < size; ++i)
    for (int copy = 0; copy < wanted / channels; ++copy) *out++ = scaled(file[i]);
}

void read_bmp(std::span<const uint8_t> file, const std::string& name, uint64_t max_pixels, Frame& frame) {
  const auto number = [&](size_t at, size_t bytes) {
    uint32_t value = 0;
    for (size_t i = bytes; i-- > 0;) value = value << 8 | file[at + i];
    return value;
  };
  if (file.size() < 34) throw Failure(Exit::kFile, name + ": the file is cut");
  const uint32_t bits = number(28, 2);
  if (number(14, 4) < 40 || (bits != 24 && bits != 32) || number(30, 4) != 0)
    throw Failure(Exit::kFile, name + ": only uncompressed BMP of 24 or 32 bits is read",
                  "convert it to PNG");
  const auto width = static_cast<int32_t>(number(18, 4));
  const int64_t signed_height = static_cast<int32_t>(number(22, 4));  // negative: the top row comes first
  const int64_t height = signed_height < 0 ? -signed_height : signed_height;
  check_extent(name, width, height, max_pixels);
  const size_t step = bits / 8, row = (static_cast<size_t>(width) * step + 3) / 4 * 4, offset = number(10, 4);
  if (offset > file.size() || row * static_cast<size_t>(height) > file.size() - offset)
    throw Failure(Exit::kFile, name + ": the file is cut");
  shape(name, frame, width, static_cast<int32_t>(height), 3);
  uint8_t* out = frame.bytes().data();
  for (int64_t y = 0; y < height; ++y) {
    const auto from = static_cast<size_t>(signed_height < 0 ? y : height - 1 - y);
    const uint8_t* pixel = file.data() + offset + from * row;
    for (int32_t x = 0; x < width; ++x, pixel += step)
      for (size_t channel = 3; channel-- > 0;) *out++ = pixel[channel];
  }
}

/// Turns samples as EXIF's orientation says.
void turn(int orientation, int channels, int width, int height, const uint8_t* from, uint8_t* to) {
  const bool swapped = orientation >= 5;
  for (int y = 0; y < (swapped ? width : height); ++y) {
    for (int x = 0; x < (swapped ? height : width); ++x) {
      int column = swapped ? y : x;
      int row = swapped ? x : y;
      if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8)
        column = width - 1 - column;
      if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7)
        row = height - 1 - row;
      to = std::copy_n(from + (ptrdiff_t{row} * width + column) * channels, channels, to);
    }
  }
}

/// Decodes a PNG or JPEG file whose extent has been checked.
std::vector<uint8_t> samples_of(std::span<const uint8_t> file, const std::string& name, int channels) {
  int width = 0, height = 0, own = 0;
  const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
      stbi_load_from_memory(file.data(), static_cast<int>(file.size()), &width, &height, &own, channels),
      stbi_image_free);
  if (!pixels) throw Failure(Exit::kFile, name + ": " + stbi_failure_reason());
  return {pixels.get(), pixels.get() + ptrdiff_t{width} * height * channels};
}

const char* defect_of(std::span<const uint8_t> file) {
  if (std::memcmp(file.data(), "\x89PNG", 4) == 0) return png_defect(file);
  if (std::memcmp(file.data(), "\xff\xd8\xff", 3) == 0) return jpeg_defect(file);
  return "this is no PNG, JPEG, PPM, PGM or BMP image";
}

}  // namespace

void read_image(std::span<const uint8_t> file, const std::string& name, uint64_t max_pixels, Frame& frame) {
  if (file.size() < 8) throw Failure(Exit::kFile, name + ": the file is cut");
  if (file[0] == 'P' && (file[1] == '5' || file[1] == '6')) return read_pnm(file, name, max_pixels, frame);
  if (file[0] == 'B' && file[1] == 'M') return read_bmp(file, name, max_pixels, frame);
  const char* const cut = defect_of(file);
  std::vector<uint8_t> full, other;
  if (cut == nullptr && file[0] == 0x89) full = png_with_full_palette(file);
  if (cut != nullptr) {  // perhaps only the end marker is missing
    if (file[0] == 0xff) full = jpeg_with_end(file, 0), other = jpeg_with_end(file, 0x55);
    if (full.empty() || jpeg_defect(full) != nullptr || jpeg_defect(other) != nullptr)
      throw Failure(Exit::kFile, name + ": " + cut);
  }
  if (!full.empty()) file = full;
  const auto size = static_cast<int>(file.size());
  int width = 0, height = 0, channels = 0;
  // First the header only: extents are checked before anything is allocated for them.
  if (stbi_info_from_memory(file.data(), size, &width, &height, &channels) == 0)
    throw Failure(Exit::kFile, name + ": " + (cut != nullptr ? cut : stbi_failure_reason()));
  check_extent(name, width, height, max_pixels);
  if (stbi_is_16_bit_from_memory(file.data(), size) != 0)
    throw Failure(Exit::kFile, name + " has 16 bits a sample", "convert it to 8 bits first");
  const ImageNotes notes = notes_of(file);
  const bool swapped = notes.orientation >= 5;
  shape(name, frame, swapped ? height : width, swapped ? width : height, channels);
  VideoFormat video = frame.video();
  if (notes.transparent) video.dropped = "its alpha";
  if (notes.animated)
    video.dropped += std::string(video.dropped.empty() ? "" : ", ") + "its further pictures";
  frame.describe(video);
  const int wanted = video.format == CTV_FORMAT_GRAY8 ? 1 : 3;
  const std::vector<uint8_t> samples = samples_of(file, name, wanted);
  if (cut != nullptr && samples != samples_of(other, name, wanted))
    throw Failure(Exit::kFile, name + ": " + cut);
  turn(notes.orientation, wanted, width, height, samples.data(), frame.bytes().data());
}

}  // namespace ctv::tools
