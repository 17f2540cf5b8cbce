// SPDX-License-Identifier: BSD-3-Clause
#include "codec/util/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv {
namespace {

// OpenMP: concurrent loops run one after the other, with their own threads.
#if defined(CTV_OPENMP_THREADS)
constexpr bool kOpenMp = true;
#else
constexpr bool kOpenMp = false;
#endif

TEST(ParallelFor, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 5, 64}) {
    for (const int count : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(count));
      parallel_for(threads, count, [&](int i) { ++runs[static_cast<size_t>(i)]; });
      for (const auto& r : runs) EXPECT_EQ(r.load(), 1);
    }
  }
}

// So a task may wait for those before it. Each other thread has taken one task more at most.
TEST(ParallelInOrder, TasksBeginInOrder) {
  for (int i = 0; i < 50; ++i) {
    const int threads = 2 + i % 5;
    std::array<std::atomic<bool>, 64> done{};
    std::atomic<int> begun = 0;
    parallel_in_order(threads, 64, [&](int task) {
      EXPECT_GE(begun++, task - (threads - 1));
      const auto t = static_cast<size_t>(task);
      if (t >= 32) done[t - 32].wait(false);
      done[t] = true;
      done[t].notify_all();
    });
  }
}

// Every task waits for all others, so each loop needs a thread besides its caller.
TEST(ParallelFor, LoopsAtTheSameTimeHaveThreadsOfTheirOwn) {
  const int loops = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4);
  std::mutex mutex;
  std::condition_variable all_here;
  int here = 0;
  std::atomic<int> met = 0;
  const auto meet = [&](int) {
    std::unique_lock lock(mutex);
    if (++here == 2 * loops) all_here.notify_all();
    if (all_here.wait_for(lock, std::chrono::seconds(20), [&] { return here == 2 * loops; })) ++met;
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < loops; ++i) callers.emplace_back([&] { parallel_for(2, 2, meet); });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(met.load(), 2 * loops);
}

// From several callers, in the middle of others' loops and after threads have gone to sleep.
TEST(ParallelFor, ManyShortLoopsEndWithAllTheirTasks) {
  constexpr int kCallers = 4;
  std::atomic<int64_t> sum = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < kCallers; ++c) {
    callers.emplace_back([&sum, c] {
      for (int loop = 0; loop < 2000; ++loop) {
        if (loop % 500 == 499) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (loop % 100 == c) expect_loop(3, std::chrono::microseconds(100));
        parallel_for(2 + loop % 4, 1 + loop % 9, [&](int i) {
          if (loop % 50 == 0) parallel_for(2, 3, [&](int) { ++sum; });
          sum += i;
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  int64_t expected = 0;
  for (int loop = 0; loop < 2000; ++loop) {
    const int count = 1 + loop % 9;
    expected += kCallers * (count * (count - 1) / 2 + (loop % 50 == 0 ? 3 * count : 0));
  }
  EXPECT_EQ(sum.load(), expected);
}

// The inner loop's tasks wait for each other, so it needs the threads that had the other outer tasks.
TEST(ParallelBeside, LoopsInsideATaskAreHelped) {
  const int threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 3, 4);
  std::mutex mutex;
  std::condition_variable all_here;
  int here = 0;
  std::atomic<int> met = 0;
  parallel_nested(threads, 2, [&](int task) {
    if (task != 0) return;
    parallel_for(threads, threads - 1, [&](int) {
      std::unique_lock lock(mutex);
      if (++here == threads - 1) all_here.notify_all();
      if (all_here.wait_for(lock, std::chrono::seconds(20), [&] { return here == threads - 1; })) ++met;
    });
  });
  if (!kOpenMp) {
    EXPECT_EQ(met.load(), threads - 1);
  }
}

// However many loops are inside, and other threads there are.
TEST(ParallelBeside, LoopsInsideHaveNoThreadsOfTheirOwn) {
  parallel_for(8, 8, [](int) {});
  for (const int threads : {2, 3}) {
    std::atomic<int> running = 0;
    std::atomic<int> most = 0;
    std::atomic<int> ran = 0;
    for (int i = 0; i < 20; ++i) {
      parallel_nested(threads, 4, [&](int) {
        for (int loop = 0; loop < 3; ++loop) {
          parallel_for(8, 5, [&](int) {
            const int now = ++running;
            for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
            }
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            --running;
            ++ran;
          });
        }
      });
    }
    EXPECT_EQ(ran.load(), 20 * 4 * 3 * 5);
    if (!kOpenMp) {
      EXPECT_LE(most.load(), threads);
    }
  }
}

TEST(ParallelRows, CoverEveryColumnOnce) {
  for (const int threads : {1, 2, 64}) {
    for (const int rows : {1, 17, 136}) {
      for (const int cols : {1, 2, 7, 240}) {
        for (const int grain : {1, 2, 8}) {
          std::vector<std::atomic<int>> runs(static_cast<size_t>(rows * cols));
          std::atomic<int> odd_starts = 0;
          parallel_rows(threads, rows, cols, grain, [&](int row, int begin, int end) {
            if (begin % grain != 0) ++odd_starts;
            for (int i = begin; i < end; ++i) ++runs[static_cast<size_t>(row * cols + i)];
          });
          EXPECT_EQ(odd_starts.load(), 0);
          for (const auto& r : runs) ASSERT_EQ(r.load(), 1) << threads << " " << rows << " " << cols;
        }
      }
    }
  }
}

TEST(ParallelFor, ThrowsWhatATaskThrew) {
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> ended = 0;
    EXPECT_THROW(parallel_for(4, 8,
                              [&](int task) {
                                if (task == i % 8) throw std::bad_alloc();
                                ++ended;
                              }),
                 std::bad_alloc);
    EXPECT_LE(ended.load(), 7);
  }
}

TEST(ParallelRanges, CoverEverythingOnceInMultiplesOfTheGrain) {
  for (const int threads : {1, 2, 5, 64}) {
    for (const int count : {0, 1, 15, 16, 17, 270, 1088}) {
      for (const int grain : {1, 2, 16}) {
        std::vector<std::atomic<int>> runs(static_cast<size_t>(count));
        std::atomic<int> odd_starts = 0;
        parallel_ranges(threads, count, grain, [&](int begin, int end) {
          if (begin % grain != 0) ++odd_starts;
          for (int i = begin; i < end; ++i) ++runs[static_cast<size_t>(i)];
        });
        EXPECT_EQ(odd_starts.load(), 0);
        for (const auto& r : runs) ASSERT_EQ(r.load(), 1) << threads << " " << count << " " << grain;
      }
    }
  }
}

Result<int> half(int v) {
  if (v % 2 != 0) return {CTV_ERROR_ARGUMENT, "odd"};
  return v / 2;
}
Status quarter(int v, int& out) {
  CTV_ASSIGN_OR_RETURN(const int once, half(v));
  CTV_ASSIGN_OR_RETURN(out, half(once));
  return {};
}

TEST(Status, TravelsUpWithItsWords) {
  int out = 0;
  EXPECT_TRUE(quarter(12, out).ok());
  EXPECT_EQ(out, 3);
  const Status failed = quarter(6, out);
  EXPECT_EQ(failed.code(), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(failed.message(), "odd");
}

}  // namespace
}  // namespace ctv
