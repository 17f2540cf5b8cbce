// SPDX-License-Identifier: BSD-3-Clause
// What is tried again, and on which backend, after each kind of failure.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/pipeline/fallback_backend.hpp"
#include "tests/support/failing_backend.hpp"

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
  std::function<Status(const Status&)> rebuild(FallbackBackend& device) {
    return [this, &device](const Status& failure) {
      return device.replace(failure, [this] {
        calls_.emplace_back("rebuild");
        return Status();
      });
    };
  }

  const test::DeviceThatFails stand_in_{0};  // "CUDA" is a device that does not fail
  Calls calls_;
};

TEST_F(Fallback, MemoryThatLacksIsAskedForOnceMore) {
  FallbackBackend device = open(CTV_BACKEND_CUDA);
  EXPECT_TRUE(device.run(work(device, {kLacksMemory}), rebuild(device)).ok());
  EXPECT_EQ(calls_, (Calls{"device", "device"}));
  EXPECT_EQ(device->kind(), CTV_BACKEND_CUDA);
}

TEST_F(Fallback, TheCpuGoesOnAfterAFailure) {
  FallbackBackend device = open(CTV_BACKEND_CUDA);
  EXPECT_TRUE(device.run(work(device, {kDeviceFails}), rebuild(device)).ok());
  EXPECT_EQ(calls_, (Calls{"device", "rebuild", "cpu"}));
  calls_.clear();
  FallbackBackend small = open(CTV_BACKEND_CUDA);
  EXPECT_TRUE(small.run(work(small, {kLacksMemory, kLacksMemory}), rebuild(small)).ok());
  EXPECT_EQ(calls_, (Calls{"device", "device", "rebuild", "cpu"}));
}

TEST_F(Fallback, OtherErrorsAreReturned) {
  const Status wrong(CTV_ERROR_STREAM, "stream");
  FallbackBackend device = open(CTV_BACKEND_CUDA);
  EXPECT_EQ(device.run(work(device, {wrong}), rebuild(device)).code(), CTV_ERROR_STREAM);
  EXPECT_EQ(calls_, Calls{"device"});
  FallbackBackend cpu = open(CTV_BACKEND_CPU);
  EXPECT_EQ(cpu.run(work(cpu, {kLacksMemory}), rebuild(cpu)).code(), CTV_ERROR_MEMORY);
  EXPECT_EQ(calls_, (Calls{"device", "cpu"}));
}

TEST_F(Fallback, ACallerWhoNeedsTheDeviceGetsItsFailure) {
  FallbackBackend device = open(CTV_BACKEND_CUDA, false);
  EXPECT_EQ(device.run(work(device, {kDeviceFails}), rebuild(device)).code(), CTV_ERROR_DEVICE);
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

TEST_F(Fallback, PacketsAreKeptWhileTheBackendCanFail) {
  const std::vector<uint8_t> packet(10);
  FallbackBackend device = open(CTV_BACKEND_CUDA);
  FallbackBackend cpu = open(CTV_BACKEND_CPU);
  const auto frame_of = [](uint64_t frame) {
    return FrameParameters{.number = static_cast<uint32_t>(frame),
                           .type = frame % 4 == 0 ? FrameType::kKey : FrameType::kPredicted};
  };
  for (uint64_t frame = 0; frame < 9; ++frame) {
    device.remember(packet, frame, frame_of(frame), frame == 0 ? 0 : frame - 1);
    cpu.remember(packet, frame, frame_of(frame), frame);
  }
  EXPECT_FALSE(cpu.history().whole());
  ASSERT_EQ(device.history().entries().size(), 5U);  // from the key frame before frame 7
  EXPECT_EQ(device.history().entries().front().frame, 4U);
  device.forget();
  EXPECT_FALSE(device.history().whole());
  device.remember(packet, 9, frame_of(9), 9);  // no key frame leads to it
  EXPECT_FALSE(device.history().whole());
}

// A frame that a slot holds may be referred to at any time, so all that leads to it stays.
TEST(PacketHistory, ReachesBackToTheOldestFrameThatASlotHolds) {
  const std::vector<uint8_t> packet(10);
  History history;
  const auto append = [&](uint32_t number, FrameType type, uint8_t reference, uint8_t slot) {
    history.append(packet, number, {.number = number, .type = type, .reference = reference, .slot = slot},
                   {});
    history.trim(number);
    return history.entries().front().frame;
  };
  EXPECT_EQ(append(0, FrameType::kKey, 0, 0), 0U);
  EXPECT_EQ(append(1, FrameType::kPredicted, 1, 2), 0U);
  EXPECT_EQ(append(2, FrameType::kKey, 0, 0), 0U) << "frame 1 is held";
  EXPECT_EQ(append(3, FrameType::kPredicted, 2, 1), 0U) << "it refers to frame 1";
  EXPECT_EQ(append(4, FrameType::kPredicted, 2, 2), 0U) << "frame 3 is held";
  EXPECT_EQ(append(5, FrameType::kPredicted, 1, 1), 2U);
  EXPECT_EQ(history.entries().size(), 4U);
  history.append(packet, 6, {.number = 6, .type = FrameType::kPredicted, .reference = 6}, {});
  EXPECT_FALSE(history.whole()) << "frame 0 is not held";
}

}  // namespace
}  // namespace ctv
