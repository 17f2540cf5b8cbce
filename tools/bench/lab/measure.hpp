// SPDX-License-Identifier: BSD-3-Clause
// Times of what runs on the CPU.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace ctv::lab {

/// Middle value, of an even number the higher one of the two; values must not be empty.
inline double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

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
  return middle_of(times);
}

}  // namespace ctv::lab
