// SPDX-License-Identifier: BSD-3-Clause
// Distance of two pictures. PSNR from the squared error of each channel. SSIM of luma as x264 and ffmpeg
// compute it: windows of 8x8 samples, every 4 samples, with equal weights (not Wang's Gaussian window).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ctv/ctv.h>

namespace ctv::tools {

struct ChannelError {
  const char* name = "";  // "Y", "U", "V", "R", "G", "B"
  uint64_t squared = 0;   // sum of squared differences
  uint64_t samples = 0;
  int32_t bits = 8;  // of a sample; the peak is 2^bits - 1
};

/// Infinite for equal samples.
double psnr(const ChannelError& error);

/// PSNR of luma, or of the first channel; 100 for equal pictures, so that a mean exists.
double luma_psnr(const ctv_picture& source, const ctv_picture& decoded);

class Quality {
 public:
  /// Compares two pictures of one shape in host memory. Throws std::invalid_argument for different shapes.
  void add(const ctv_picture& source, const ctv_picture& decoded, bool with_ssim);
  const std::vector<ChannelError>& channels() const { return channels_; }
  /// (6 Y + U + V) / 8 of the PSNRs; luma's for grey; the mean of R, G and B for RGB.
  double weighted_psnr() const;
  std::optional<double> ssim() const;
  void merge(const Quality& other);

 private:
  std::vector<ChannelError> channels_;
  double ssim_sum_ = 0;
  int64_t ssim_count_ = 0;
};

/// SSIM of two planes of samples of `bits` bits, without gaps between rows.
double ssim(const uint16_t* a, const uint16_t* b, int32_t width, int32_t height, int32_t bits = 8);

}  // namespace ctv::tools
