// SPDX-License-Identifier: BSD-3-Clause
#include "cli/quality.h"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "io/channels.h"

namespace ctv::tools {
namespace {

struct Sums {
  int64_t a = 0, b = 0, squares = 0, product = 0;
  Sums& operator+=(const Sums& o) {
    a += o.a, b += o.b, squares += o.squares, product += o.product;
    return *this;
  }
};

Sums window_sums(const uint16_t* a, const uint16_t* b, int32_t stride, int32_t width, int32_t height) {
  Sums s;
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      const int32_t p = a[y * stride + x], q = b[y * stride + x];
      s.a += p, s.b += q, s.squares += p * p + q * q, s.product += p * q;
    }
  }
  return s;
}

/// Wang et al. 2004 with K1 = 0.01, K2 = 0.03 and the sample variance, as in x264.
double index_of(const Sums& s, double n, double peak) {
  const double c1 = 0.01 * 0.01 * peak * peak * n * n, c2 = 0.03 * 0.03 * peak * peak * n * (n - 1);
  const auto a = static_cast<double>(s.a), b = static_cast<double>(s.b);
  const double variances = n * static_cast<double>(s.squares) - a * a - b * b;
  const double covariance = n * static_cast<double>(s.product) - a * b;
  return (2 * a * b + c1) * (2 * covariance + c2) / ((a * a + b * b + c1) * (variances + c2));
}

/// Luma without gaps: the first channel, or a sum of RGB with BT.601's weights.
std::vector<uint16_t> luma(const ctv_picture& picture) {
  const std::vector<Channel> c = channels(picture);
  std::vector<uint16_t> samples;
  samples.reserve(static_cast<size_t>(picture.width) * static_cast<size_t>(picture.height));
  for (int32_t y = 0; y < picture.height; ++y) {
    for (int32_t x = 0; x < picture.width; ++x) {
      const int sample = is_rgb(picture.format)
                             ? (77 * c[0].at(x, y) + 150 * c[1].at(x, y) + 29 * c[2].at(x, y) + 128) >> 8
                             : c[0].at(x, y);
      samples.push_back(static_cast<uint16_t>(sample));
    }
  }
  return samples;
}

}  // namespace

double psnr(const ChannelError& error) {
  if (error.squared == 0) return std::numeric_limits<double>::infinity();
  const double peak = (1 << error.bits) - 1;
  return 10 *
         std::log10(peak * peak * static_cast<double>(error.samples) / static_cast<double>(error.squared));
}

double ssim(const uint16_t* a, const uint16_t* b, int32_t width, int32_t height, int32_t bits) {
  const double peak = (1 << bits) - 1;
  const int32_t columns = width / 4 - 1, rows = height / 4 - 1;  // of 8x8 windows
  if (columns < 1 || rows < 1) {                                 // a tiny picture is one window
    const double n = static_cast<double>(width) * height;
    return n < 2 ? (a[0] == b[0] ? 1.0 : 0.0) : index_of(window_sums(a, b, width, width, height), n, peak);
  }
  // Sums of 4x4 blocks, two rows of blocks at a time; a window is 2x2 blocks.
  std::array<std::vector<Sums>, 2> block_rows;
  double total = 0;
  for (int32_t y = 0; y <= rows; ++y) {
    std::vector<Sums>& current = block_rows[static_cast<size_t>(y % 2)];
    const std::vector<Sums>& above = block_rows[static_cast<size_t>((y + 1) % 2)];
    current.clear();
    for (int32_t x = 0; x <= columns; ++x) {
      const ptrdiff_t at = ptrdiff_t{4} * y * width + 4 * x;
      current.push_back(window_sums(a + at, b + at, width, 4, 4));
    }
    if (y == 0) continue;
    for (size_t x = 0; x < static_cast<size_t>(columns); ++x) {
      Sums s = current[x];
      s += current[x + 1];
      s += above[x];
      s += above[x + 1];
      total += index_of(s, 64, peak);
    }
  }
  return total / (static_cast<double>(columns) * rows);
}

void Quality::add(const ctv_picture& source, const ctv_picture& decoded, bool with_ssim) {
  const std::vector<Channel> from = ctv::tools::channels(source);
  const std::vector<Channel> to = ctv::tools::channels(decoded);
  if (from.size() != to.size() || from[0].bits != to[0].bits || source.width != decoded.width ||
      source.height != decoded.height)
    throw std::invalid_argument("pictures of different shapes are not comparable");
  channels_.resize(from.size());
  for (size_t c = 0; c < from.size(); ++c) {
    ChannelError& error = channels_[c];
    error.name = from[c].name;
    error.bits = from[c].bits;
    for (int32_t y = 0; y < from[c].height; ++y) {
      uint64_t sum = 0;
      for (int32_t x = 0; x < from[c].width; ++x) {
        const int32_t d = from[c].at(x, y) - to[c].at(x, y);
        sum += static_cast<uint64_t>(d * d);
      }
      error.squared += sum;
    }
    error.samples += static_cast<uint64_t>(from[c].width) * static_cast<uint64_t>(from[c].height);
  }
  if (!with_ssim) return;
  ssim_sum_ +=
      ctv::tools::ssim(luma(source).data(), luma(decoded).data(), source.width, source.height, from[0].bits);
  ++ssim_count_;
}

double Quality::weighted_psnr() const {
  if (channels_.size() < 3) return channels_.empty() ? 0 : psnr(channels_[0]);
  const double a = psnr(channels_[0]), b = psnr(channels_[1]), c = psnr(channels_[2]);
  return std::string_view(channels_[0].name) == "Y" ? (6 * a + b + c) / 8 : (a + b + c) / 3;
}

std::optional<double> Quality::ssim() const {
  if (ssim_count_ == 0) return std::nullopt;
  return ssim_sum_ / static_cast<double>(ssim_count_);
}

void Quality::merge(const Quality& other) {
  if (channels_.empty()) channels_.resize(other.channels_.size());
  for (size_t i = 0; i < channels_.size() && i < other.channels_.size(); ++i) {
    channels_[i].name = other.channels_[i].name;
    channels_[i].bits = other.channels_[i].bits;
    channels_[i].squared += other.channels_[i].squared;
    channels_[i].samples += other.channels_[i].samples;
  }
  ssim_sum_ += other.ssim_sum_;
  ssim_count_ += other.ssim_count_;
}

double luma_psnr(const ctv_picture& source, const ctv_picture& decoded) {
  Quality quality;
  quality.add(source, decoded, false);
  return std::min(100.0, psnr(quality.channels().front()));
}

}  // namespace ctv::tools
