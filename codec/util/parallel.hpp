// SPDX-License-Identifier: BSD-3-Clause
// A loop over independent tasks on the CPU's threads. Results never depend on the number of threads: tasks
// write disjoint memory, and no reduction depends on the order of completion.
//
// The threads are the process's own team, or OpenMP's with CTV_OPENMP_THREADS. The team is the default
// because its idle threads soon sleep. Those of libgomp spin: next to another busy program a frame took up to
// 50 times as long (docs/backends.md).
#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <type_traits>

namespace ctv {
namespace detail {

/// Runs task(context, i) for i in [0, count) on the calling thread and at most threads - 1 others, which also
/// help loops inside the tasks. count and threads are at least 2. The range is divided into `parts`; tasks of
/// a part start in order, and each thread starts with another part. Rethrows the first exception after all
/// tasks have ended.
void run_on_team(int threads, int count, int parts, void (*task)(void*, int), void* context);
void expect_on_team(int threads, std::chrono::microseconds soon);

/// Before fork(): makes the team, if no loop has. In the child: makes a new one, because the threads and the
/// loops of the old one are in the parent.
void prepare_team();
void renew_team();

}  // namespace detail

/// Tells the team that a loop for `threads` threads starts within this time. Sleeping threads wake up at once
/// and poll for it, which saves 50 to 100 us.
inline void expect_loop(int threads, std::chrono::microseconds soon) {
#if defined(CTV_OPENMP_THREADS)
  static_cast<void>(threads);
  static_cast<void>(soon);
#else
  if (threads > 1) detail::expect_on_team(threads, soon);
#endif
}

namespace detail {

template <typename Body>
void parallel_parts(int threads, int count, int parts, Body&& body) {
  if (threads <= 1 || count <= 1) {
    for (int i = 0; i < count; ++i) body(i);
    return;
  }
#if defined(CTV_OPENMP_THREADS)
  static_cast<void>(parts);
  std::exception_ptr failure;
#pragma omp parallel for schedule(monotonic : dynamic, 1) num_threads(std::min(threads, count))
  for (int i = 0; i < count; ++i) {
    try {
      body(i);
    } catch (...) {  // exceptions must not leave OpenMP's loop
#pragma omp critical
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
#else
  using Plain = std::remove_reference_t<Body>;
  const auto call = [](void* context, int i) { (*static_cast<Plain*>(context))(i); };
  run_on_team(threads, count, parts, call, const_cast<std::remove_const_t<Plain>*>(std::addressof(body)));
#endif
}

}  // namespace detail

/// Runs body(i) for i in [0, count) on at most `threads` threads, in any order. A thread starts at the same
/// position of the range in all loops: if tasks follow the rows of a picture, its cache holds samples of the
/// previous loop. Rethrows an exception after all started bodies have ended; other bodies may not run.
template <typename Body>
void parallel_for(int threads, int count, Body&& body) {
  detail::parallel_parts(threads, count, threads, body);
}

/// As parallel_for(), but bodies start in order: for tasks that wait for earlier ones, or if the longest is
/// first.
template <typename Body>
void parallel_in_order(int threads, int count, Body&& body) {
  detail::parallel_parts(threads, count, 1, body);
}

/// As parallel_for() for a few bodies that are loops themselves. They start in order, and helpers join the
/// first one first. With OpenMP, whose inner loops have one thread, they run one after the other.
template <typename Body>
void parallel_nested(int threads, int count, Body&& body) {
#if defined(CTV_OPENMP_THREADS)
  threads = 1;
#endif
  parallel_in_order(threads, count, body);
}

/// Runs body(row, begin, end) for the columns [0, cols) of all rows. A few rows are divided at multiples of
/// `grain`, because the last tasks of few long ones leave threads idle.
template <typename Body>
void parallel_rows(int threads, int rows, int cols, int grain, Body&& body) {
  constexpr int kTasksOfAThread = 8;
  if (rows <= 0 || cols <= 0) return;
  const int most = threads <= 1 ? 1 : (kTasksOfAThread * threads + rows - 1) / rows;
  const int length = ((cols + most - 1) / most + grain - 1) / grain * grain;
  const int pieces = (cols + length - 1) / length;
  parallel_for(threads, rows * pieces, [&](int i) {
    const int begin = i % pieces * length;
    body(i / pieces, begin, std::min(cols, begin + length));
  });
}

/// Runs body(begin, end) over [0, count), divided into a few ranges per thread, each a multiple of `grain`
/// long.
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
