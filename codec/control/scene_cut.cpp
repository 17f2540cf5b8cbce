// SPDX-License-Identifier: BSD-3-Clause
#include "codec/control/scene_cut.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "codec/format/picture_format.hpp"

namespace ctv {
namespace {

constexpr int kMinDifference = 20;    // mean absolute difference of samples at equal positions
constexpr double kMinDistance = 0.4;  // L1 distance of the normalised histograms, 0..2
// Where so much suddenly is new, a smaller distance suffices: a slide of text has the colours of the last
// one.
constexpr double kMinDistanceIfNew = 0.15;
constexpr double kMinNew = 0.25;  // share of runs
constexpr int kMinGrowth = 4;     // of their number since the previous picture
constexpr int kNoise = 4;         // mean absolute difference

constexpr int kCacheLine = 64;

}  // namespace

// In the loop that fetches samples only addresses depend on the counters, so the processor fetches many in
// parallel; those of the next row are too far away for it to guess.
void SceneCutDetector::look_at(const ctv_picture& picture) {
  // Green approximates luma; it is the second channel of interleaved formats.
  const PictureFormat format = picture_format(picture.format);
  const int bytes = format.step;
  const int channel = is_rgb(picture.format) ? 1 : 0;
  const int down = format.bits - 8 + format.unused;
  const auto byte_at = [&](const uint8_t* s) {
    if (format.bits == 8) return *s;
    return static_cast<uint8_t>(std::min((s[0] | s[1] << 8) >> down, 255));
  };
  const int row_step = std::max(1, picture.height / kGridRows);
  const int col_step = std::max(1, picture.width / kGridCols);
  const int last_col = std::max(0, picture.width - kRun);
  const int rows = (picture.height - row_step / 2 + row_step - 1) / row_step;
  const int cols = (picture.width - col_step / 2 + col_step - 1) / col_step;
  const bool adjacent = bytes == 1 && picture.width >= kRun;
  runs_.resize(static_cast<size_t>(rows) * static_cast<size_t>(cols));
  auto run = runs_.begin();
  histogram_ = {};
  for (int r = 0; r < rows; ++r) {
    const uint8_t* row = static_cast<const uint8_t*>(picture.data[0]) +
                         (row_step / 2 + r * row_step) * picture.stride[0] + channel;
    for (int x = 0; r + 1 < rows && x < picture.width * bytes; x += kCacheLine)
      __builtin_prefetch(row + row_step * picture.stride[0] + x);
    for (int c = 0; c < cols; ++c, ++run) {
      const uint8_t* sample = row + std::min(col_step / 2 + c * col_step, last_col) * bytes;
      if (adjacent) {
        std::memcpy(run->data(), sample, kRun);
      } else {
        *run = {};
        for (int i = 0; i < std::min(kRun, picture.width); ++i)
          (*run)[static_cast<size_t>(i)] = byte_at(sample + i * bytes);
      }
    }
  }
  for (const Run& r : runs_) ++histogram_[r[0] * kBins / 256];
}

// A loop that is not unrolled becomes one instruction (psadbw).
int SceneCutDetector::difference_of(const Run& a, const Run& b) {
  int sum = 0;
#pragma GCC unroll 1
  for (size_t i = 0; i < kRun; ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

bool SceneCutDetector::is_cut(const ctv_picture& picture) {
  if (picture.memory != CTV_MEMORY_HOST) return false;
  std::swap(runs_, last_);
  std::swap(histogram_, last_histogram_);
  const int new_before = std::exchange(new_, 0);
  look_at(picture);
  if (last_.size() != runs_.size()) return false;
  int difference = 0;
  for (size_t r = 0; r < runs_.size(); ++r) {
    int sum = 0;
    for (const uint8_t sample : runs_[r]) sum += sample;
    Run mean;
    mean.fill(static_cast<uint8_t>(sum / kRun));
    const int error = difference_of(runs_[r], last_[r]);
    const int activity = difference_of(runs_[r], mean);
    new_ += error > activity && error > kNoise * kRun ? 1 : 0;
    difference += error;
  }
  int distance = 0;
  for (size_t i = 0; i < kBins; ++i) distance += std::abs(histogram_[i] - last_histogram_[i]);
  const auto count = static_cast<int>(runs_.size());
  const bool is_new = new_ >= kMinNew * count && new_ > kMinGrowth * new_before;
  return difference >= kMinDifference * kRun * count &&
         distance >= (is_new ? kMinDistanceIfNew : kMinDistance) * count;
}

}  // namespace ctv
