// SPDX-License-Identifier: BSD-3-Clause
// Pictures in memory and small moving clips, equal on every machine: no floating point, no files.
#pragma once

#include <ctv/ctv.h>

#include <array>
#include <cstdint>
#include <vector>

namespace ctv::test {

/// Bytes per row and rows of each plane of a format; 0 past the last. Independent of the library's functions.
struct PlaneShape {
  size_t row_bytes = 0;
  size_t rows = 0;
};
std::array<PlaneShape, 4> plane_shapes(ctv_format format, int width, int height);

/// The format of 8 bits with the same planes, and the bits of a sample.
ctv_format with_8_bits(ctv_format format);
int bits_of(ctv_format format);

/// A picture that owns its samples, without gaps between rows.
struct Frame {
  ctv_format format = CTV_FORMAT_NONE;
  int width = 0;
  int height = 0;
  std::array<std::vector<uint8_t>, 4> planes;
  bool key_frame = false;
  int64_t number = 0;

  friend bool operator==(const Frame& a, const Frame& b) {
    return a.format == b.format && a.width == b.width && a.height == b.height && a.planes == b.planes;
  }
};
Frame make_frame(ctv_format format, int width, int height);

/// Returns a descriptor of the frame's samples.
ctv_picture picture_of(const Frame& frame);
/// Copies the samples of a picture in host memory.
Frame copy_of(const ctv_picture& picture);

/// Texture that pans by fractions of a sample, a disc with another motion, a little noise.
Frame moving_frame(ctv_format format, int width, int height, int number, uint32_t seed = 1);
std::vector<Frame> moving_clip(ctv_format format, int width, int height, int frames, uint32_t seed = 1);
/// Uniform noise: the worst case for compression.
Frame noise_frame(ctv_format format, int width, int height, uint64_t seed);

/// PSNR of one plane, or of all samples; 99 if equal.
double psnr(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b);
double psnr(const Frame& a, const Frame& b);

/// FNV-1a hash of the samples.
uint64_t digest(const Frame& frame);

}  // namespace ctv::test
