// SPDX-License-Identifier: BSD-3-Clause
// Statistics of repeated measurements, and timing on the CPU.
#pragma once

#include <algorithm>
#include <chrono>
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

/// Milliseconds that body() takes.
template <typename Body>
double time_ms(Body&& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  return taken.count();
}

/// The median of `runs` after one to warm up.
template <typename Body>
double median_ms(int runs, Body&& body) {
  std::vector<double> times;
  for (int i = -1; i < runs; ++i) {
    const double taken = time_ms(body);
    if (i >= 0) times.push_back(taken);
  }
  return median(std::move(times));
}

}  // namespace ctv::tools
