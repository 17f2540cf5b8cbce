// SPDX-License-Identifier: BSD-3-Clause
// Recordings that an error cuts short, and what other objects do meanwhile.
#include <gtest/gtest.h>

#include "cuda/runtime/device.hpp"
#include "tests/support/backends.hpp"

namespace ctv::test {
namespace {

class CudaRecorder : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::cuda_tuning().graphs) GTEST_SKIP() << "CTV_CUDA_GRAPH=0";
    auto opened = cuda::Device::open(0);
    if (!opened.ok()) GTEST_SKIP() << "no CUDA device on this machine";
    device_ = *opened;
    device_->begin_stream(2);
    ASSERT_TRUE(ok(memory_.allocate(*device_, 64)));
  }

  /// Begins a frame on two streams, as far as an error.
  void begin_frame() {
    const Result<bool> repeated = device_->begin_frame(FrameCalls{});
    ASSERT_TRUE(ok(repeated));
    EXPECT_FALSE(*repeated);
    ASSERT_TRUE(device_->records_frame());
    ASSERT_TRUE(ok(device_->on_plane(1)));
    fill(1);
    ASSERT_TRUE(ok(device_->afterwards([this]() -> Status {
      ++followed_;
      return {};
    })));
  }
  void end_frame() {
    ASSERT_TRUE(ok(device_->on_plane(-1)));
    ASSERT_TRUE(ok(device_->end_frame()));
  }
  void fill(int value) {
    EXPECT_EQ(cudaMemsetAsync(memory_.data(), value, 64, device_->stream()), cudaSuccess);
  }
  int first_byte() {
    uint8_t byte = 0;
    EXPECT_EQ(cudaMemcpyAsync(&byte, memory_.data(), 1, cudaMemcpyDeviceToHost, device_->stream()),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(device_->stream()), cudaSuccess);
    return byte;
  }
  void expect_that_frames_go_on() {
    followed_ = 0;
    fill(7);
    EXPECT_EQ(first_byte(), 7);
    begin_frame();
    end_frame();
    EXPECT_EQ(followed_, 1);
    EXPECT_EQ(first_byte(), 1);
    EXPECT_FALSE(device_->dead());
  }

  std::shared_ptr<cuda::Device> device_;
  cuda::DeviceArray<uint8_t> memory_;
  int followed_ = 0;
};

TEST_F(CudaRecorder, AFrameThatWasCutShortIsGivenUpByTheNext) {
  begin_frame();
  expect_that_frames_go_on();
}
TEST_F(CudaRecorder, AFrameThatWasCutShortIsGivenUpByAStream) {
  begin_frame();
  device_->begin_stream(2);
  EXPECT_FALSE(device_->records_frame());
  expect_that_frames_go_on();
}
TEST_F(CudaRecorder, AFrameThatWasCutShortIsGivenUpByAWait) {
  begin_frame();
  EXPECT_TRUE(ok(device_->synchronize()));
  EXPECT_FALSE(device_->records_frame());
  expect_that_frames_go_on();
}

}  // namespace
}  // namespace ctv::test
