// SPDX-License-Identifier: BSD-3-Clause
#include "io/channels.h"

namespace ctv::tools {

std::vector<Channel> channels(const ctv_picture& p) {
  const auto bytes = [&](int plane) { return static_cast<const uint8_t*>(p.data[plane]); };
  const int32_t half_width = (p.width + 1) / 2;
  const int32_t half_height = (p.height + 1) / 2;
  std::vector<Channel> list;
  if (is_rgb(p.format)) {
    const ptrdiff_t step = p.format == CTV_FORMAT_RGB8 ? 3 : 4;
    const char* const names[3] = {"R", "G", "B"};
    for (int i = 0; i < 3; ++i)
      list.push_back({names[i], bytes(0) + i, p.stride[0], step, p.width, p.height});
    return list;
  }
  list.push_back({"Y", bytes(0), p.stride[0], 1, p.width, p.height});
  const auto add_chroma = [&](int32_t width, int32_t height) {
    list.push_back({"U", bytes(1), p.stride[1], 1, width, height});
    list.push_back({"V", bytes(2), p.stride[2], 1, width, height});
  };
  switch (p.format) {
    case CTV_FORMAT_I420:
      add_chroma(half_width, half_height);
      break;
    case CTV_FORMAT_I422:
      add_chroma(half_width, p.height);
      break;
    case CTV_FORMAT_I444:
      add_chroma(p.width, p.height);
      break;
    case CTV_FORMAT_NV12:
      list.push_back({"U", bytes(1), p.stride[1], 2, half_width, half_height});
      list.push_back({"V", bytes(1) + 1, p.stride[1], 2, half_width, half_height});
      break;
    default:
      break;
  }
  return list;
}

}  // namespace ctv::tools
