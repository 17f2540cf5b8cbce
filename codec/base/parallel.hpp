// SPDX-License-Identifier: BSD-3-Clause
// A loop over independent tasks on the CPU's threads. Results never depend on the number of threads: tasks
// write disjoint places and nothing is reduced in arrival order.
#pragma once

#include <algorithm>

namespace ctv {

/// Runs body(i) for i in [0, count) on at most `threads` threads, in no order.
template <typename Body>
void parallel_for(int threads, int count, Body&& body) {
  const int team = std::min(threads, count);
  if (team <= 1) {
    for (int i = 0; i < count; ++i) body(i);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
  for (int i = 0; i < count; ++i) body(i);
}

/// Runs body(begin, end) over [0, count) cut into a few ranges a thread, each a multiple of `grain` long.
template <typename Body>
void parallel_ranges(int threads, int count, int grain, Body&& body) {
  if (threads <= 1 || count <= grain) {
    if (count > 0) body(0, count);
    return;
  }
  const int pieces = std::min(threads * 4, (count + grain - 1) / grain);
  const int length = ((count + pieces - 1) / pieces + grain - 1) / grain * grain;
  parallel_for(threads, (count + length - 1) / length,
               [&](int i) { body(i * length, std::min(count, (i + 1) * length)); });
}

}  // namespace ctv
