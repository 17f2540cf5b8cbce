// SPDX-License-Identifier: BSD-3-Clause
#include "io/channels.h"

namespace ctv::tools {

std::vector<Channel> channels(const ctv_picture& p) {
  const auto bytes = [&](int plane) { return static_cast<const uint8_t*>(p.data[plane]); };
  std::vector<Channel> list;
  if (is_rgb(p.format)) {
    const bool turned = p.format == CTV_FORMAT_BGR8 || p.format == CTV_FORMAT_BGRA8;
    const ptrdiff_t step = p.format == CTV_FORMAT_RGB8 || p.format == CTV_FORMAT_BGR8 ? 3 : 4;
    const char* const names[3] = {"R", "G", "B"};
    for (int i = 0; i < 3; ++i)
      list.push_back({names[i], bytes(0) + (turned ? 2 - i : i), p.stride[0], step, p.width, p.height});
    return list;
  }
  const int32_t half_width = (p.width + 1) / 2;
  const bool uyvy = p.format == CTV_FORMAT_UYVY;
  if (uyvy || p.format == CTV_FORMAT_YUY2) {
    list.push_back({"Y", bytes(0) + (uyvy ? 1 : 0), p.stride[0], 2, p.width, p.height});
    for (const int i : {0, 1})
      list.push_back(
          {i == 0 ? "U" : "V", bytes(0) + 2 * i + (uyvy ? 0 : 1), p.stride[0], 4, half_width, p.height});
    return list;
  }
  const int32_t bits = ctv_format_bits(p.format);
  const ptrdiff_t size = bits > 8 ? 2 : 1;
  const int32_t unused = p.format == CTV_FORMAT_P010 ? 6 : 0;
  list.push_back({"Y", bytes(0), p.stride[0], size, p.width, p.height, bits, unused});
  const auto rows = static_cast<int32_t>(ctv_plane_rows(p.format, p.height, 1));
  if (rows == 0) return list;
  const bool pairs = ctv_plane_rows(p.format, p.height, 2) == 0;
  const ptrdiff_t step = pairs ? 2 * size : size;
  const ptrdiff_t second = p.format == CTV_FORMAT_NV21 ? 0 : size;  // of a pair: V
  const auto cols =
      static_cast<int32_t>(ctv_plane_row_bytes(p.format, p.width, 1)) / static_cast<int32_t>(step);
  list.push_back(
      {"U", pairs ? bytes(1) + (size - second) : bytes(1), p.stride[1], step, cols, rows, bits, unused});
  list.push_back(
      {"V", pairs ? bytes(1) + second : bytes(2), p.stride[pairs ? 1 : 2], step, cols, rows, bits, unused});
  return list;
}

}  // namespace ctv::tools
