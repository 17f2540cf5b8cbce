// SPDX-License-Identifier: BSD-3-Clause
// What a viewer sees: one part of one decoded frame from several codecs, all with about the same number of
// bytes.
#pragma once

#include <string>
#include <vector>

#include "bench/common_options.h"
#include "bench/peers.h"

namespace ctv::tools {

struct PicturesOptions {
  CommonOptions common;
  std::vector<Peer> peers;
  std::vector<Variant> beside = {{"paper", {"--preset", "paper"}}};  // ours, at the bytes of common.variant
  bool transforms = false;  // they differ in the transform alone, and no peers are run
  double qp = 30;           // of our variant, whose bytes the others get
  std::pair<int32_t, int32_t> crop{240, 160};
  int64_t key_interval = 10;
};

struct PictureRow {
  std::string codec, setting;  // "source", ""
  uint64_t bytes = 0;
  double decibels = 0, ssim = 1;  // of luma, of all frames
  std::vector<uint8_t> png;
};

struct PicturesResult {
  std::vector<PictureRow> rows;
  std::vector<std::string> missing;
  bool complete = true;
  std::string clip, digest;
  int64_t frame = 0, frames = 0;
};

/// The default preset's wavelet beside directional filter banks and block transforms, all else being equal;
/// on a clip of cloth and edges unless one is given.
void choose_transforms(PicturesOptions& options);
PicturesResult measure_pictures(const PicturesOptions& options);
Json pictures_json(const PicturesOptions& options, const PicturesResult& result);

/// RFC 4648.
std::string base64(const std::vector<uint8_t>& bytes);
/// The middle of a frame as RGB, no larger than the frame.
Frame middle_of(const Frame& frame, int32_t width, int32_t height);

}  // namespace ctv::tools
