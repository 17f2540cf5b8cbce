// SPDX-License-Identifier: BSD-3-Clause
// Times of single frames, for percentiles: the mean hides delays that a live viewer notices.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ctv::tools {

class Latency {
 public:
  void add(double seconds) { seconds_.push_back(static_cast<float>(seconds)); }
  bool empty() const { return seconds_.empty(); }
  /// Separate, because the first frame includes the creation of contexts and plans.
  double first() const { return seconds_.empty() ? 0 : static_cast<double>(seconds_.front()); }
  /// The smallest time that `share` (0..1) of the frames do not exceed; nearest rank, without the first
  /// frame.
  double percentile(double share) const {
    std::vector<float> sorted(seconds_.size() > 1 ? seconds_.begin() + 1 : seconds_.begin(), seconds_.end());
    if (sorted.empty()) return 0;
    std::sort(sorted.begin(), sorted.end());
    const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return static_cast<double>(sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1]);
  }

 private:
  std::vector<float> seconds_;
};

}  // namespace ctv::tools
