// SPDX-License-Identifier: BSD-3-Clause
// What is told of repeated measurements.
#pragma once

#include <algorithm>
#include <vector>

namespace ctv::tools {

/// The value that `share` (0..1) of the values do not exceed, by linear interpolation. 0 for none.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

/// Middle value; mean of the two middle ones. 0 for none.
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

}  // namespace ctv::tools
