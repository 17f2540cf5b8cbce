// SPDX-License-Identifier: BSD-3-Clause
// Times of what runs on the CPU.
#pragma once

#include <chrono>
#include <vector>

#include "bench/statistics.h"

namespace ctv::lab {

using tools::median;

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

}  // namespace ctv::lab
