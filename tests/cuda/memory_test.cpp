// SPDX-License-Identifier: BSD-3-Clause
// Arrays whose growth fails, and objects whose events were never made. Needs no device: the memory is the
// host's.
#include "cuda/runtime/memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "cuda/runtime/stage_clock.hpp"
#include "cuda/runtime/streams.hpp"

namespace ctv::test {
namespace {

/// Fails at the `fail_at`-th allocation from now; 0: never.
struct ShortMemory {
  static constexpr const char* kAllocate = "allocate";
  static constexpr const char* kFree = "free";
  static inline int fail_at = 0;
  static inline std::set<void*> held;
  static cudaError_t allocate(void** data, size_t bytes) {
    if (fail_at > 0 && --fail_at == 0) return cudaErrorMemoryAllocation;
    held.insert(*data = std::malloc(bytes));
    return cudaSuccess;
  }
  static cudaError_t free(void* data) {
    EXPECT_EQ(held.erase(data), 1U);
    std::free(data);
    return cudaSuccess;
  }
};
using Bytes = cuda::Array<uint8_t, ShortMemory>;

TEST(CudaMemory, AfterAGrowthThatFailedNothingIsThereAndTheNextOneIsWhole) {
  for (const int failing : {1, 2}) {
    {
      cuda::Context context(0);
      Bytes host, device;
      ASSERT_TRUE(reserve_both(context, host, device, 10, 20).ok());
      EXPECT_EQ(host.size(), 20U);
      EXPECT_EQ(device.size(), 20U);
      uint8_t* const before = host.data();
      ASSERT_TRUE(reserve_both(context, host, device, 20, 40).ok());
      EXPECT_EQ(host.data(), before);

      ShortMemory::fail_at = failing;
      EXPECT_EQ(reserve_both(context, host, device, 30, 60).code(), CTV_ERROR_MEMORY);
      EXPECT_FALSE(context.dead());
      const Bytes& failed = failing == 1 ? host : device;
      EXPECT_EQ(failed.data(), nullptr);
      EXPECT_EQ(failed.size(), 0U);

      // Also where a smaller packet comes next.
      ASSERT_TRUE(reserve_both(context, host, device, 5, 10).ok());
      for (const Bytes* array : {&host, &device}) {
        ASSERT_NE(array->data(), nullptr);
        EXPECT_GE(array->size(), 10U);
        EXPECT_EQ(ShortMemory::held.count(array->data()), 1U);
      }
    }
    EXPECT_TRUE(ShortMemory::held.empty());
  }
}

TEST(CudaMemory, CountsWhatIsHeld) {
  MemoryBudget budget(100, 0);
  cuda::Context context(0);
  {
    const BudgetScope scope(&budget);
    Bytes small, large;
    EXPECT_TRUE(small.reserve(context, 40).ok());
    EXPECT_EQ(large.reserve(context, 61).code(), CTV_ERROR_LIMIT);
    EXPECT_EQ(large.data(), nullptr);
    EXPECT_TRUE(large.reserve(context, 60).ok());
    EXPECT_EQ(small.reserve(context, 41).code(), CTV_ERROR_LIMIT);
  }
  EXPECT_TRUE(budget.take(100).ok()) << "all is given back";
  Bytes uncounted;
  EXPECT_TRUE(uncounted.reserve(context, 1000).ok());
}

// A transfer whose memory has failed is destroyed before its events are made. The next launch in this thread
// must not find an error of that.
TEST(CudaMemory, WhatWasNotMadeLeavesNoError) {
  cudaGetLastError();
  const cudaError_t before = cudaPeekAtLastError();
  {
    cuda::Context context(0);
    const cuda::Event event;
    event.settle();
    const cuda::StageClock clock(context);
  }
  EXPECT_EQ(cudaPeekAtLastError(), before);
}

}  // namespace
}  // namespace ctv::test
