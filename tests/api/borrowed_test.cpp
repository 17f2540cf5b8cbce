// SPDX-License-Identifier: BSD-3-Clause
// Memory for pictures, and pictures that are borrowed: the bytes are those of copied ones, and the library
// does not read a picture after its packet was received.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <thread>

#include "tests/support/borrowing.hpp"
#include "tests/support/fallback.hpp"

namespace ctv::test {
namespace {

TEST(HostMemory, IsThereWithAndWithoutADevice) {
  for (const ctv_backend backend : {CTV_BACKEND_AUTO, CTV_BACKEND_CPU, CTV_BACKEND_CUDA}) {
    for (const int32_t device : {0, -1, 1000}) {
      for (const size_t size : {size_t{0}, size_t{1}, size_t{4096}, size_t{3110400}}) {
        void* data = nullptr;
        ASSERT_EQ(ctv_host_alloc(size, backend, device, &data), CTV_OK) << ctv_last_error();
        ASSERT_NE(data, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 256, 0U);
        std::memset(data, 0xa5, size);
        ctv_host_free(data);
      }
    }
  }
}

TEST(HostMemory, IsFreedByAnyThreadInAnyOrder) {
  std::vector<void*> pieces;
  for (size_t i = 0; i < 12; ++i) {
    void* data = nullptr;
    ASSERT_EQ(ctv_host_alloc(i * 1000, i % 2 == 0 ? CTV_BACKEND_AUTO : CTV_BACKEND_CPU, 0, &data), CTV_OK);
    std::memset(data, static_cast<int>(i), i * 1000);
    pieces.push_back(data);
  }
  std::sort(pieces.begin(), pieces.end());
  EXPECT_EQ(std::unique(pieces.begin(), pieces.end()), pieces.end());
  std::thread([&] {
    for (void* data : pieces) ctv_host_free(data);
  }).join();
}

TEST(HostMemory, TooMuchIsAnErrorWithWords) {
  for (const size_t size : {SIZE_MAX, SIZE_MAX - 256, static_cast<size_t>(PTRDIFF_MAX)}) {
    void* data = &data;
    EXPECT_EQ(ctv_host_alloc(size, CTV_BACKEND_AUTO, 0, &data), CTV_ERROR_MEMORY);
    EXPECT_EQ(data, nullptr);
    EXPECT_NE(std::string(ctv_last_error()).find("memory"), std::string::npos);
  }
  EXPECT_THROW(HostMemory(SIZE_MAX), Error);
}

struct Case {
  const char* preset;
  ctv_format format;
  int frames_in_flight;
  int64_t bitrate = 0;
};

class Borrowed : public testing::TestWithParam<Case> {
 protected:
  std::vector<Frame> clip() const { return moving_clip(GetParam().format, 53, 35, 7); }
  Config config(const std::vector<Frame>& clip) const {
    Config c = config_for(clip[0], GetParam().preset);
    c.key_interval = 4;
    c.frames_in_flight = GetParam().frames_in_flight;
    c.bitrate = GetParam().bitrate;
    return c;
  }
};

TEST_P(Borrowed, PicturesGiveTheBytesOfCopiedOnes) {
  const auto frames = clip();
  Config c = config(frames);
  const Stream expected = encode(frames, c);
  for (const Lending& how : {Lending{}, Lending{CTV_BACKEND_AUTO, 3}, Lending{CTV_BACKEND_CPU, 0, true}}) {
    c.backend = CTV_BACKEND_CPU;
    EXPECT_EQ(encode_borrowed(frames, c, how), expected);
    c.backend = CTV_BACKEND_AUTO;
    EXPECT_EQ(encode_borrowed(frames, c, how), expected);
  }
}

// Whatever a device that fails had not finished is coded again from the borrowed pictures. With one frame in
// flight the calls are counted in the same order, so that the streams are equal at every call.
TEST_P(Borrowed, PicturesAreReadWhereTheyLieWhenADeviceFails) {
  const auto frames = clip();
  Config c = config(frames);
  const Stream expected = encode(frames, c);
  const bool lossless = c.lossless != 0;
  c.backend = CTV_BACKEND_CUDA;
  const int whole = for_each_failure(1, [&](long n) {
    const Stream stream = encode_borrowed(frames, c);
    expect_key_frame_at_switch(stream, expected);
    if (lossless) {
      EXPECT_EQ(decode(stream), frames);
    }
    if (c.frames_in_flight > 1 || DeviceThatFails::calls() < n) return;
    const DeviceThatFails again(n);
    EXPECT_EQ(stream, encode(frames, c));
  });
  EXPECT_GT(whole, 20);
}

INSTANTIATE_TEST_SUITE_P(Pictures, Borrowed,
                         testing::Values(Case{"default", CTV_FORMAT_I420, 1},
                                         Case{"default", CTV_FORMAT_NV12, 3},
                                         Case{"default", CTV_FORMAT_I420, 3, 100000},
                                         Case{"paper", CTV_FORMAT_RGB8, 1}, Case{"paper", CTV_FORMAT_I420, 3},
                                         Case{"lossless", CTV_FORMAT_GRAY8, 2}),
                         [](const auto& i) {
                           return std::string(i.param.preset) + std::to_string(i.param.frames_in_flight) +
                                  (i.param.bitrate > 0 ? "_limited" : "");
                         });

TEST(LentField, IsZeroInReceivedPictures) {
  const auto frames = moving_clip(CTV_FORMAT_I420, 48, 32, 1);
  const Stream stream = encode(frames, config_for(frames[0], "default"));
  Decoder decoder{decoder_config()};
  ASSERT_TRUE(decoder.send(stream.header));
  ASSERT_TRUE(decoder.send(stream.packets[0]));
  ctv_picture picture{};
  picture.struct_size = sizeof picture;
  picture.borrowed = 5;
  ASSERT_EQ(ctv_decoder_receive(decoder.get(), &picture), CTV_OK);
  EXPECT_EQ(picture.borrowed, 0);
}

TEST(BorrowedPictures, AreTheCallersAgainWhenTheEncoderIsClosed) {
  const auto frames = moving_clip(CTV_FORMAT_I420, 96, 64, 4);
  for (const bool flush : {false, true}) {
    Config c = config_for(frames[0], "default");
    c.backend = CTV_BACKEND_AUTO;
    c.frames_in_flight = 4;
    std::vector<std::unique_ptr<BorrowedPicture>> borrowed;
    auto encoder = std::make_unique<Encoder>(c);
    for (const Frame& frame : frames) {
      borrowed.push_back(std::make_unique<BorrowedPicture>(frame, Lending{}));
      ASSERT_TRUE(encoder->send(borrowed.back()->get()));
    }
    if (flush) encoder->flush();
    encoder.reset();
    for (const auto& picture : borrowed) picture->spoil();
  }
}

}  // namespace
}  // namespace ctv::test
