// SPDX-License-Identifier: BSD-3-Clause
// Recordings that an error cuts short, and what other objects do meanwhile.
#include <gtest/gtest.h>

#include "codec/entropy/tile_tables.hpp"
#include "cuda/entropy/run_decoder.hpp"
#include "cuda/entropy/run_encoder.hpp"
#include "cuda/entropy/tile_decoder.hpp"
#include "cuda/entropy/tile_encoder.hpp"
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
  begin_frame();
  end_frame();
  EXPECT_EQ(followed_, 1);
  EXPECT_EQ(first_byte(), 1);
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

// Devices do not answer for each other's errors, nor for the caller's.
TEST_F(CudaRecorder, AnErrorOfAnotherDeviceIsNotThisOnes) {
  EXPECT_NE(cudaSetDevice(1 << 20), cudaSuccess);
  EXPECT_NE(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_TRUE(ok(device_->enter()));
  EXPECT_TRUE(ok(device_->launched("none")));
  expect_that_frames_go_on();
}

// As an encoder does that another thread opens.
TEST_F(CudaRecorder, CodersAreMadeBesideAFrameThatIsRecorded) {
  auto opened = cuda::Device::open(0);
  ASSERT_TRUE(ok(opened));
  cuda::Device& other = **opened;
  CodingPlan plan;
  plan.tables = tile_tables().symbols.data();
  plan.components = {{TileSet{.rows = 40, .cols = 50, .bands = 1, .lowpass = true}}};
  plan.runs = {{{{0, 0, 5000}}, false}};
  const auto make = [&]<typename Coder>(const auto& of) {
    begin_frame();
    Coder coder;
    EXPECT_TRUE(ok(coder.initialise(other, of)));
    end_frame();
    EXPECT_EQ(first_byte(), 1);
  };
  make.template operator()<cuda::TileEncoder>(plan);
  make.template operator()<cuda::TileDecoder>(plan);
  make.template operator()<cuda::RunEncoder>(plan.runs);
  make.template operator()<cuda::RunDecoder>(plan.runs);
  EXPECT_FALSE(other.dead());
  EXPECT_FALSE(device_->dead());
}

}  // namespace
}  // namespace ctv::test
