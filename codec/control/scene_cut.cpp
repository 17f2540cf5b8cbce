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

// Only addresses depend on the loop counters, so the processor fetches many samples in parallel.
void SceneCutDetector::look_at(const ctv_picture& picture) {
  // Green approximates luma; it is the second channel of interleaved formats.
  const int bytes = picture_format(picture.format).step;
  const int channel = bytes > 1 ? 1 : 0;
  const int row_step = std::max(1, picture.height / kGridRows);
  const int col_step = std::max(1, picture.width / kGridCols);
  const int rows = (picture.height - row_step / 2 + row_step - 1) / row_step;
  const int cols = (picture.width - col_step / 2 + col_step - 1) / col_step;
  samples_.resize(static_cast<size_t>(rows) * static_cast<size_t>(cols));
  uint8_t* sample = samples_.data();
  for (int r = 0; r < rows; ++r) {
    const uint8_t* row = static_cast<const uint8_t*>(picture.data[0]) +
                         (row_step / 2 + r * row_step) * picture.stride[0] + channel;
    for (int c = 0; c < cols; ++c) *sample++ = row[(col_step / 2 + c * col_step) * bytes];
  }
  histogram_ = {};
  for (const uint8_t s : samples_) ++histogram_[s * kBins / 256];
}

bool SceneCutDetector::is_cut(const ctv_picture& picture) {
  if (picture.memory != CTV_MEMORY_HOST) return false;
  std::swap(samples_, last_);
  std::swap(histogram_, last_histogram_);
  look_at(picture);
  if (last_.size() != samples_.size()) return false;
  int difference = 0;
  for (size_t i = 0; i < samples_.size(); ++i) difference += std::abs(samples_[i] - last_[i]);
  int distance = 0;
  for (size_t i = 0; i < kBins; ++i) distance += std::abs(histogram_[i] - last_histogram_[i]);
  const auto count = static_cast<int>(samples_.size());
  return difference >= kMinDifference * count &&
         static_cast<double>(distance) >= kMinDistance * static_cast<double>(count);
}

}  // namespace ctv
