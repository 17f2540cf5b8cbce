// SPDX-License-Identifier: BSD-3-Clause
// A picture in memory that the tools own: planes one after another without gaps, as files hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ctv/ctv.hpp>

namespace ctv::tools {

/// What a file says of its pictures for those who show them.
struct Description {
  std::pair<int32_t, int32_t> aspect{};  // of a sample, width and height; 0: unspecified
  ctv_range range = CTV_RANGE_UNSPECIFIED;
  ctv_siting siting = CTV_SITING_UNSPECIFIED;
  ctv_interlace interlace = CTV_INTERLACE_NONE;
  int32_t primaries = 2, transfer = 2, matrix = 2;  // of ITU-T H.273; 2: unspecified

  friend bool operator==(const Description&, const Description&) = default;
};

/// What a video's pictures are like.
struct VideoFormat {
  ctv_format format = CTV_FORMAT_NONE;
  int32_t width = 0, height = 0;
  int32_t fps_num = 25, fps_den = 1;
  Description description{};
  std::string dropped{};  // in words: what the input says and a stream cannot hold; "" for nothing

  double rate() const { return static_cast<double>(fps_num) / fps_den; }
  /// Bytes of one picture without gaps.
  size_t frame_bytes() const;
};

/// Throws Failure: kFile for an extent outside 1..65535, kLimit above max_pixels. `name` is for the message.
void check_extent(const std::string& name, int64_t width, int64_t height, uint64_t max_pixels);

/// The tools' own ceiling, the same as the library's for decoding.
constexpr uint64_t kMaxPixels = uint64_t{1} << 28;

/// Where samples lie: in memory that a device reads by itself (ctv_host_alloc), or in any.
template <typename T>
struct SampleAllocator {
  using value_type = T;
  ctv_backend backend = CTV_BACKEND_CPU;
  int32_t device = 0;

  T* allocate(size_t count) {
    void* data = nullptr;
    check(ctv_host_alloc(count * sizeof(T), backend, device, &data));
    return static_cast<T*>(data);
  }
  void deallocate(T* data, size_t) { ctv_host_free(data); }
  friend bool operator==(const SampleAllocator&, const SampleAllocator&) { return true; }
};
using Samples = std::vector<uint8_t, SampleAllocator<uint8_t>>;

class Frame {
 public:
  Frame() = default;
  /// Its samples, and those of its copies, lie in memory for borrowed pictures of that backend.
  Frame(ctv_backend backend, int32_t device) : bytes_(SampleAllocator<uint8_t>{backend, device}) {}
  /// Shapes the frame and allocates it.
  void reset(const VideoFormat& video);
  /// Shapes it without allocating; the caller fills bytes() with video.frame_bytes() bytes.
  void describe(const VideoFormat& video) { video_ = video; }

  /// When it is shown and how long, in units of 1 / fps_num seconds. Without it: after the frame before it.
  void set_time(int64_t timestamp, int64_t duration) { timestamp_ = timestamp, duration_ = duration; }

  const VideoFormat& video() const { return video_; }
  Samples& bytes() { return bytes_; }
  const Samples& bytes() const { return bytes_; }

  uint8_t* plane(int i) { return bytes_.data() + offset(i); }
  size_t stride(int i) const { return ctv_plane_row_bytes(video_.format, video_.width, i); }
  size_t rows(int i) const { return ctv_plane_rows(video_.format, video_.height, i); }
  /// For the library; valid while the frame lives and is not reshaped.
  ctv_picture picture() const;
  /// The same, borrowed: the frame stays as it is until its packet has been received.
  ctv_picture borrowed_picture() const;

 private:
  size_t offset(int plane) const;
  VideoFormat video_;
  Samples bytes_;
  int64_t timestamp_ = 0, duration_ = 0;  // as in ctv_picture
};

/// Copies a picture in host memory, whatever its strides.
void copy_picture(const ctv_picture& from, Frame& to);
/// The first sample that differs, as words; "" if all are equal. Alpha is not looked at.
std::string first_difference(const ctv_picture& a, const ctv_picture& b);

}  // namespace ctv::tools
