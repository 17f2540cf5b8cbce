// SPDX-License-Identifier: BSD-3-Clause
#include "io/frame.h"

#include <cstring>

#include "cli/exit.h"
#include "cli/text.h"
#include "io/channels.h"

namespace ctv::tools {

size_t VideoFormat::frame_bytes() const {
  size_t bytes = 0;
  for (int i = 0; i < 4; ++i)
    bytes += ctv_plane_row_bytes(format, width, i) * ctv_plane_rows(format, height, i);
  return bytes;
}

void check_extent(const std::string& name, int64_t width, int64_t height, uint64_t max_pixels) {
  if (width < 1 || height < 1 || width > 65535 || height > 65535) {
    throw Failure(Exit::kFile,
                  text("%s: a picture of %lldx%lld cannot be coded", name.c_str(),
                       static_cast<long long>(width), static_cast<long long>(height)),
                  "each side is 1 to 65535");
  }
  if (static_cast<uint64_t>(width) * static_cast<uint64_t>(height) > max_pixels) {
    throw Failure(Exit::kLimit,
                  text("%s: %lldx%lld is more than %llu pixels", name.c_str(), static_cast<long long>(width),
                       static_cast<long long>(height), static_cast<unsigned long long>(max_pixels)));
  }
}

void Frame::reset(const VideoFormat& video) {
  video_ = video;
  bytes_.resize(video.frame_bytes());
}

size_t Frame::offset(int plane) const {
  size_t bytes = 0;
  for (int i = 0; i < plane; ++i) bytes += stride(i) * rows(i);
  return bytes;
}

ctv_picture Frame::picture() const {
  ctv_picture p = make_picture(video_.format, video_.width, video_.height);
  p.timestamp = timestamp_;
  p.duration = duration_;
  uint8_t* at =
      const_cast<uint8_t*>(bytes_.data());  // the library only reads; one type serves both directions
  for (int i = 0; i < 4 && stride(i) > 0; ++i) {
    p.data[i] = at;
    p.stride[i] = static_cast<ptrdiff_t>(stride(i));
    at += stride(i) * rows(i);
  }
  return p;
}

ctv_picture Frame::borrowed_picture() const {
  ctv_picture p = picture();
  p.borrowed = 1;
  return p;
}

void copy_picture(const ctv_picture& from, Frame& to) {
  VideoFormat video = to.video();
  video.format = from.format;
  video.width = from.width;
  video.height = from.height;
  to.reset(video);
  for (int i = 0; i < 4; ++i) {
    const uint8_t* row = static_cast<const uint8_t*>(from.data[i]);
    for (size_t y = 0; y < to.rows(i); ++y, row += from.stride[i])
      std::memcpy(to.plane(i) + y * to.stride(i), row, to.stride(i));
  }
}

std::string first_difference(const ctv_picture& a, const ctv_picture& b) {
  const std::vector<Channel> of_a = channels(a);
  const std::vector<Channel> of_b = channels(b);
  if (of_a.size() != of_b.size() || a.width != b.width || a.height != b.height)
    return "the pictures' shapes differ";
  for (size_t c = 0; c < of_a.size(); ++c) {
    for (int32_t y = 0; y < of_a[c].height; ++y) {
      for (int32_t x = 0; x < of_a[c].width; ++x) {
        const int va = of_a[c].at(x, y);
        const int vb = of_b[c].at(x, y);
        if (va != vb) return text("%s at column %d, row %d: %d and %d", of_a[c].name, x, y, va, vb);
      }
    }
  }
  return "";
}

}  // namespace ctv::tools
