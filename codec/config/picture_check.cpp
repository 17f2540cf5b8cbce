// SPDX-License-Identifier: BSD-3-Clause
#include "codec/config/picture_check.hpp"

#include <cstdint>
#include <string>

#include "codec/config/capture_formats.hpp"

namespace ctv {
namespace {

Status bad(const std::string& what) { return {CTV_ERROR_ARGUMENT, "picture." + what}; }

}  // namespace

Status check_picture_for(const PictureLayout& layout, const ctv_picture& picture, ctv_backend backend) {
  const int planes = format_planes(picture.format);
  if (planes == 0) return bad("format: " + std::to_string(picture.format) + " is unknown");
  if (source_format(picture.format) != layout.source || picture_format(picture.format).bits != layout.bits)
    return bad("format: differs from the configuration's");
  if (picture.width != layout.width || picture.height != layout.height) {
    return bad("width, height: " + std::to_string(picture.width) + "x" + std::to_string(picture.height) +
               " differ from the configuration's " + std::to_string(layout.width) + "x" +
               std::to_string(layout.height));
  }
  if (picture.memory != CTV_MEMORY_HOST &&
      (picture.memory != CTV_MEMORY_CUDA || backend != CTV_BACKEND_CUDA)) {
    return bad("memory: device memory needs the CUDA backend");
  }
  if (picture.memory != CTV_MEMORY_HOST && plain_format(picture.format) != picture.format)
    return bad("format: this one is read in host memory only");
  if (picture.duration < 0 || picture.duration > INT32_MAX) {
    return bad("duration: " + std::to_string(picture.duration) + " is outside 0.." +
               std::to_string(INT32_MAX));
  }
  for (int p = 0; p < planes; ++p) {
    const std::string index = "[" + std::to_string(p) + "]";
    if (picture.data[p] == nullptr) return bad("data" + index + ": is null");
    const size_t row = plane_row_bytes(picture.format, picture.width, p);
    const ptrdiff_t stride = picture.stride[p];
    const size_t distance = stride < 0 ? 0 - static_cast<size_t>(stride) : static_cast<size_t>(stride);
    if (distance < row || (stride < 0 && picture.memory == CTV_MEMORY_CUDA)) {
      return bad("stride" + index + ": " + std::to_string(stride) + " is too small for " +
                 std::to_string(row) + " bytes a row");
    }
    if (distance > PTRDIFF_MAX / static_cast<size_t>(plane_rows(picture.format, picture.height, p))) {
      return bad("stride" + index + ": " + std::to_string(stride) + " is too large");
    }
  }
  return {};
}

}  // namespace ctv
