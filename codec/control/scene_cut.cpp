// SPDX-License-Identifier: BSD-3-Clause
#include "codec/control/scene_cut.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "codec/format/picture_format.hpp"

namespace ctv {
namespace {

constexpr int kMinDifference = 20;    // mean absolute difference of samples at equal positions
constexpr double kMinDistance = 0.4;  // L1 distance of the normalised histograms, 0..2

}  // namespace

bool SceneCutDetector::is_cut(const ctv_picture& picture) {
  if (picture.memory != CTV_MEMORY_HOST) return false;
  std::swap(samples_, last_);
  samples_.clear();
  // Green approximates luma; it is the second channel of interleaved formats.
  const int bytes = picture_format(picture.format).step;
  const int channel = bytes > 1 ? 1 : 0;
  const int row_step = std::max(1, picture.height / kGrid);
  const int col_step = std::max(1, picture.width / kGrid);
  const auto* data = static_cast<const uint8_t*>(picture.data[0]);
  for (int r = row_step / 2; r < picture.height; r += row_step) {
    const uint8_t* row = data + r * picture.stride[0];
    for (int c = col_step / 2; c < picture.width; c += col_step) samples_.push_back(row[c * bytes + channel]);
  }
  if (last_.size() != samples_.size()) return false;
  int64_t difference = 0;
  std::array<int, kBins> balance{};
  for (size_t i = 0; i < samples_.size(); ++i) {
    difference += std::abs(samples_[i] - last_[i]);
    ++balance[samples_[i] * kBins / 256];
    --balance[last_[i] * kBins / 256];
  }
  int64_t distance = 0;
  for (const int b : balance) distance += std::abs(b);
  const auto count = static_cast<int64_t>(samples_.size());
  return difference >= kMinDifference * count &&
         static_cast<double>(distance) >= kMinDistance * static_cast<double>(count);
}

}  // namespace ctv
