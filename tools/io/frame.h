// SPDX-License-Identifier: BSD-3-Clause
// A picture in memory that the tools own: contiguous planes without gaps, as in files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ctv/ctv.hpp>

namespace ctv::tools {

/// A file's description of its pictures for players.
struct Description {
  std::pair<int32_t, int32_t> aspect{};  // of a sample, width and height; 0: unspecified
  ctv_range range = CTV_RANGE_UNSPECIFIED;
  ctv_siting siting = CTV_SITING_UNSPECIFIED;
  ctv_interlace interlace = CTV_INTERLACE_NONE;
  int32_t primaries = 2, transfer = 2, matrix = 2;  // of ITU-T H.273; 2: unspecified

  friend bool operator==(const Description&, const Description&) = default;
};

struct VideoFormat {
  ctv_format format = CTV_FORMAT_NONE;
  int32_t width = 0, height = 0;
  int32_t fps_num = 25, fps_den = 1;
  Description description{};
  std::string dropped{};  // properties of the input that a stream cannot hold, as text; "": none

  double rate() const { return static_cast<double>(fps_num) / fps_den; }
  /// Bytes of one picture without gaps.
  size_t frame_bytes() const;
};

/// Throws Failure: kFile for an extent outside 1..65535, kLimit above max_pixels. `name` is for the message.
void check_extent(const std::string& name, int64_t width, int64_t height, uint64_t max_pixels);

/// The tools' limit, equal to the library's default for decoding.
constexpr uint64_t kMaxPixels = uint64_t{1} << 28;

/// Allocates samples in memory that a device reads directly (ctv_host_alloc), or in pageable memory.
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
  /// Its samples, and those of its copies, are in memory for borrowed pictures of that backend.
  Frame(ctv_backend backend, int32_t device) : bytes_(SampleAllocator<uint8_t>{backend, device}) {}
  /// Sets the format and allocates the samples.
  void reset(const VideoFormat& video);
  /// Sets the format without allocating; the caller fills bytes() with video.frame_bytes() bytes.
  void describe(const VideoFormat& video) { video_ = video; }

  /// Time and duration in units of 1 / fps_num seconds. If not set, the frame follows the previous one.
  void set_time(int64_t timestamp, int64_t duration) { timestamp_ = timestamp, duration_ = duration; }

  const VideoFormat& video() const { return video_; }
  Samples& bytes() { return bytes_; }
  const Samples& bytes() const { return bytes_; }

  uint8_t* plane(int i) { return bytes_.data() + offset(i); }
  size_t stride(int i) const { return ctv_plane_row_bytes(video_.format, video_.width, i); }
  size_t rows(int i) const { return ctv_plane_rows(video_.format, video_.height, i); }
  /// For the library; valid while the frame exists with this format.
  ctv_picture picture() const;
  /// The same, borrowed: the frame must not change until its packet is received.
  ctv_picture borrowed_picture() const;

 private:
  size_t offset(int plane) const;
  VideoFormat video_;
  Samples bytes_;
  int64_t timestamp_ = 0, duration_ = 0;  // as in ctv_picture
};

/// Copies a picture in host memory, with any strides.
void copy_picture(const ctv_picture& from, Frame& to);
/// Text about the first sample that differs; "" if all are equal. Ignores alpha.
std::string first_difference(const ctv_picture& a, const ctv_picture& b);

}  // namespace ctv::tools
