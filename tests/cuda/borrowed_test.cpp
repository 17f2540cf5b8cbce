// SPDX-License-Identifier: BSD-3-Clause
// Borrowed pictures over the public interface: whether the device reads them itself, row by row or at once,
// or the host copies them, their packets are those of copied pictures on the CPU.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "tests/cuda/equality.hpp"
#include "tests/support/borrowing.hpp"

namespace ctv::test {
namespace {

constexpr ctv_format kFormats[] = {CTV_FORMAT_GRAY8, CTV_FORMAT_I420,    CTV_FORMAT_I422,  CTV_FORMAT_I444,
                                   CTV_FORMAT_RGB8,  CTV_FORMAT_RGBA8,   CTV_FORMAT_NV12,  CTV_FORMAT_I420_10,
                                   CTV_FORMAT_P010,  CTV_FORMAT_I422_12, CTV_FORMAT_GRAY12};
constexpr Lending kLendings[] = {
    {},                           // page-locked, without gaps: one copy
    {CTV_BACKEND_CUDA, 3},        // page-locked, rows at odd distances
    {CTV_BACKEND_CUDA, 1024},     // and at large ones
    {CTV_BACKEND_CUDA, 5, true},  // page-locked, bottom up: copied by the host
    {CTV_BACKEND_CPU},            // not page-locked: copied by the host
    {CTV_BACKEND_CPU, 7, true},
};

class CudaBorrowedPictures : public CudaEquality {
 protected:
  void compare(ctv_format format, Extent extent, const std::string& preset, int in_flight) {
    const std::vector<Frame> clip = moving_clip(format, extent.cols, extent.rows, smallness() > 1 ? 2 : 6);
    Config config = config_for(clip[0], preset);
    config.key_interval = 4;
    const Stream expected = encode(clip, config);
    config.backend = CTV_BACKEND_CUDA;
    config.frames_in_flight = in_flight;
    for (const Lending& how : kLendings) {
      SCOPED_TRACE("format " + std::to_string(format) + " " + text(extent) + " " + preset + ", in flight " +
                   std::to_string(in_flight) + ", memory " + std::to_string(how.memory) + ", gap " +
                   std::to_string(how.gap) + (how.bottom_up ? ", bottom up" : ""));
      EXPECT_TRUE(encode_borrowed(clip, config, how) == expected);
    }
  }
};

cudaMemoryType type_of(const void* data) {
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, data), cudaSuccess);
  return attributes.type;
}

TEST_F(CudaBorrowedPictures, LieInMemoryThatTheDeviceReads) {
  for (const size_t size : {size_t{1}, size_t{3110400}, size_t{100} << 20}) {
    const HostMemory locked(size, CTV_BACKEND_CUDA);
    const HostMemory chosen(size);
    const HostMemory plain(size, CTV_BACKEND_CPU);
    EXPECT_EQ(type_of(locked.data()), cudaMemoryTypeHost);
    EXPECT_EQ(type_of(locked.data() + size - 1), cudaMemoryTypeHost);
    EXPECT_EQ(type_of(chosen.data()), cudaMemoryTypeHost);
    EXPECT_EQ(type_of(plain.data()), cudaMemoryTypeUnregistered);
  }
}
TEST_F(CudaBorrowedPictures, EveryFormat) {
  for (const ctv_format format : kFormats) {
    if (smallness() > 1) continue;
    compare(format, {35, 53}, "default", 1);
  }
}
TEST_F(CudaBorrowedPictures, OddExtents) {
  for (const Extent extent : small_extents()) compare(CTV_FORMAT_NV12, extent, "default", 1);
}
TEST_F(CudaBorrowedPictures, FramesInFlight) {
  for (const int in_flight : {2, 5}) {
    if (smallness() > 1 && in_flight != 2) continue;
    compare(CTV_FORMAT_RGB8, {64, 96}, "default", in_flight);
    compare(CTV_FORMAT_I420, {64, 96}, "paper", in_flight);
  }
}
TEST_F(CudaBorrowedPictures, Large) {
  if (!only_small()) compare(CTV_FORMAT_I420, {1080, 1920}, "default", 4);
}

// Half of a picture's rows in locked memory, half not: no copy engine takes that at once.
TEST_F(CudaBorrowedPictures, PartlyLockedOnesAreCopied) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_GRAY8, 256, 512, 3);
  Config config = config_for(clip[0], "default");
  const Stream expected = encode(clip, config);
  config.backend = CTV_BACKEND_CUDA;
  Encoder encoder(config);
  const size_t half = size_t{256} * 256;
  for (size_t i = 0; i < clip.size(); ++i) {
    BorrowedPicture picture(clip[i], {CTV_BACKEND_CPU});
    auto* rows = static_cast<uint8_t*>(picture.get().data[0]);
    const bool first = i != 1;
    ASSERT_EQ(cudaHostRegister(first ? rows : rows + half, half, cudaHostRegisterDefault), cudaSuccess);
    EXPECT_TRUE(encoder.send(picture.get()));
    const auto unit = encoder.receive();
    ASSERT_TRUE(unit.has_value());
    EXPECT_EQ(Bytes(unit->bytes().begin(), unit->bytes().end()), expected.packets[i]);
    ASSERT_EQ(cudaHostUnregister(first ? rows : rows + half), cudaSuccess);
  }
}

TEST_F(CudaBorrowedPictures, AreTheCallersAgainWhenTheEncoderIsClosed) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 640, 360, 8);
  Config config = config_for(clip[0], "default");
  config.backend = CTV_BACKEND_CUDA;
  config.frames_in_flight = 8;
  for (int round = 0; round < (only_small() ? 1 : 10); ++round) {
    std::vector<BorrowedPicture> borrowed;
    {
      Encoder encoder(config);
      for (const Frame& frame : clip) {
        borrowed.emplace_back(frame, Lending{});
        EXPECT_TRUE(encoder.send(borrowed.back().get()));
      }
    }
    for (BorrowedPicture& picture : borrowed) picture.spoil();
  }
}

}  // namespace
}  // namespace ctv::test
