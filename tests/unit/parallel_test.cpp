// SPDX-License-Identifier: BSD-3-Clause
#include "codec/util/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv {
namespace {

TEST(ParallelFor, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 5, 64}) {
    for (const int count : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(count));
      parallel_for(threads, count, [&](int i) { ++runs[static_cast<size_t>(i)]; });
      for (const auto& r : runs) EXPECT_EQ(r.load(), 1);
    }
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
