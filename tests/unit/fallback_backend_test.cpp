// SPDX-License-Identifier: BSD-3-Clause
// What is tried again, and on which backend, after each kind of failure.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/pipeline/fallback_backend.hpp"
#include "tests/support/devices.hpp"

namespace ctv {
namespace {

using Calls = std::vector<std::string>;

const Status kLacksMemory(CTV_ERROR_MEMORY, "memory");
const Status kDeviceFails(CTV_ERROR_DEVICE, "device");

class Fallback : public testing::Test {
 protected:
  FallbackBackend open(ctv_backend backend, bool fall_back = true) {
    auto device = FallbackBackend::open({backend, 0, 1, CTV_ENGINE_AUTO, fall_back});
    EXPECT_TRUE(device.ok());
    return std::move(*device);
  }
  /// Work that fails as told, call by call, then succeeds; notes the backend of each call.
  FallbackBackend::Work work(const FallbackBackend& device, const std::vector<Status>& failures) {
    return [this, &device, failures, n = size_t{0}]() mutable -> Status {
      calls_.emplace_back(device->kind() == CTV_BACKEND_CPU ? "cpu" : "device");
      return n < failures.size() ? failures[n++] : Status();
    };
  }
  std::function<Status(const Status&)> go_on(FallbackBackend& device) {
    return [this, &device](const Status& failure) {
      return device.replace(failure, [this] {
        calls_.emplace_back("start");
        return Status();
      });
    };
  }

  const test::DeviceThatFails stand_in_{0};  // "CUDA" is a device that does not fail
  Calls calls_;
};

TEST_F(Fallback, MemoryThatLacksIsAskedForOnceMore) {
  FallbackBackend device = open(CTV_BACKEND_CUDA);
  EXPECT_TRUE(device.run(work(device, {kLacksMemory}), go_on(device)).ok());
  EXPECT_EQ(calls_, (Calls{"device", "device"}));
  EXPECT_EQ(device->kind(), CTV_BACKEND_CUDA);
}

TEST_F(Fallback, TheCpuGoesOnAfterAFailure) {
  FallbackBackend device = open(CTV_BACKEND_CUDA);
  EXPECT_TRUE(device.run(work(device, {kDeviceFails}), go_on(device)).ok());
  EXPECT_EQ(calls_, (Calls{"device", "start", "cpu"}));
  calls_.clear();
  FallbackBackend small = open(CTV_BACKEND_CUDA);
  EXPECT_TRUE(small.run(work(small, {kLacksMemory, kLacksMemory}), go_on(small)).ok());
  EXPECT_EQ(calls_, (Calls{"device", "device", "start", "cpu"}));
}

TEST_F(Fallback, OtherErrorsAreReturned) {
  const Status wrong(CTV_ERROR_STREAM, "stream");
  FallbackBackend device = open(CTV_BACKEND_CUDA);
  EXPECT_EQ(device.run(work(device, {wrong}), go_on(device)).code(), CTV_ERROR_STREAM);
  EXPECT_EQ(calls_, Calls{"device"});
  FallbackBackend cpu = open(CTV_BACKEND_CPU);
  EXPECT_EQ(cpu.run(work(cpu, {kLacksMemory}), go_on(cpu)).code(), CTV_ERROR_MEMORY);
  EXPECT_EQ(calls_, (Calls{"device", "cpu"}));
}

TEST_F(Fallback, ACallerWhoNeedsTheDeviceGetsItsFailure) {
  FallbackBackend device = open(CTV_BACKEND_CUDA, false);
  EXPECT_EQ(device.run(work(device, {kDeviceFails}), go_on(device)).code(), CTV_ERROR_DEVICE);
  EXPECT_EQ(calls_, Calls{"device"});
}

TEST_F(Fallback, ADeviceThatFailsToStartIsLeftUnlessItWasAskedFor) {
  FallbackBackend device = open(CTV_BACKEND_AUTO);
  EXPECT_TRUE(device.start(work(device, {kLacksMemory, kLacksMemory})).ok());
  EXPECT_EQ(calls_, (Calls{"device", "device", "cpu"}));
  calls_.clear();
  FallbackBackend asked_for = open(CTV_BACKEND_CUDA);
  EXPECT_EQ(asked_for.start(work(asked_for, {kDeviceFails})).code(), CTV_ERROR_DEVICE);
  EXPECT_EQ(calls_, Calls{"device"});
}

}  // namespace
}  // namespace ctv
