// SPDX-License-Identifier: BSD-3-Clause
// The caller's limits hold before anything is allocated.
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>

#include "codec/format/bytes.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/repair.hpp"

namespace ctv::test {
namespace {

// Bytes the C library has handed out. Sanitizers replace its allocator and make this 0.
size_t allocated() {
  const struct mallinfo2 m = mallinfo2();
  return m.uordblks + m.hblkhd;
}

Stream small_stream(const char* preset, int width = 64, int height = 48) {
  const auto clip = moving_clip(CTV_FORMAT_I420, width, height, 3);
  return encode(clip, config_for(clip[0], preset, 1));
}

ctv_status send_header(const ctv_limits& limits, const Bytes& header) {
  DecoderConfig c = decoder_config(1);
  c.limits = limits;
  Decoder decoder(c);
  return ctv_decoder_send(decoder.get(), header.data(), header.size());
}

constexpr ctv_limits kAmple = {uint64_t{1} << 40, uint64_t{1} << 40, uint64_t{1} << 30};

// No packet of the refused frame reaches the decoder, so none may refer to it.
TEST(Limits, AfterAFrameThatIsTooLargeTheNextOneDecodes) {
  for (const int slots : {1, 3}) {
    for (const size_t bad : {size_t{0}, size_t{3}}) {
      const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, 8);
      Config config = config_for(clip[0], "default", 1);
      config.key_interval = 0;
      config.min_key_distance = 30;
      config.slots = slots;
      config.max_frame_bytes = bad == 0 ? 1 : 1 << 20;
      Encoder encoder(config);
      Decoder decoder(decoder_config(1));
      EXPECT_TRUE(decoder.send(encoder.header().bytes()));
      for (size_t i = 0; i < clip.size(); ++i) {
        EXPECT_EQ(ctv_encoder_set_bitrate(encoder.get(), 0, i == bad ? 1 : 1 << 20), CTV_OK);
        EXPECT_TRUE(encoder.send(picture_of(clip[i])));
        if (i == bad) {
          EXPECT_THROW((void)encoder.receive(), Error);
          continue;
        }
        const auto unit = encoder.receive();
        ASSERT_TRUE(unit);
        EXPECT_TRUE(decoder.send(unit->bytes())) << i;
        EXPECT_TRUE(decoder.receive()) << i;
      }
    }
  }
}

TEST(Limits, PixelsAreCountedBeforeAnythingIsAllocated) {
  const Stream stream = small_stream("default");
  ctv_limits limits = kAmple;
  limits.max_pixels = 64 * 48;
  EXPECT_EQ(send_header(limits, stream.header), CTV_OK);
  limits.max_pixels = 64 * 48 - 1;
  EXPECT_EQ(send_header(limits, stream.header), CTV_ERROR_LIMIT);
  EXPECT_NE(std::string(ctv_last_error()).find("pixels"), std::string::npos) << ctv_last_error();
}

// A row is padded to as many rows as the coarsest scale has columns of samples.
TEST(Limits, PaddingIsBounded) {
  Config config("default");
  config.width = 8192;
  config.height = 1;
  config.format = CTV_FORMAT_GRAY8;
  config.scales = 8;
  config.threads = 1;
  config.backend = CTV_BACKEND_CPU;
  Encoder encoder(config);
  const auto unit = encoder.header().bytes();
  const Bytes header(unit.begin(), unit.end());
  constexpr uint64_t kPadded = 8192 * 256;
  ctv_limits limits = kAmple;
  limits.max_pixels = (kPadded - 65536) / 4;
  EXPECT_EQ(send_header(limits, header), CTV_OK);
  limits.max_pixels = (kPadded - 65536) / 4 - 1;
  EXPECT_EQ(send_header(limits, header), CTV_ERROR_LIMIT);
  EXPECT_NE(std::string(ctv_last_error()).find("padding"), std::string::npos) << ctv_last_error();
}

// Where it is allocated: for the header, or for the first packet. What was made until then is given back.
TEST(Limits, MemoryIsRefusedWhereItIsAllocated) {
  const Stream stream = small_stream("default", 320, 240);
  const auto decodes = [&](ctv_backend backend, uint64_t most) {
    DecoderConfig c = decoder_config(1);
    c.backend = backend;
    c.limits.max_memory = most;
    Decoder decoder(c);
    ctv_status status = ctv_decoder_send(decoder.get(), stream.header.data(), stream.header.size());
    const Bytes& packet = stream.packets[0];
    if (status == CTV_OK) status = ctv_decoder_send(decoder.get(), packet.data(), packet.size());
    if (status == CTV_OK) return true;
    EXPECT_EQ(status, CTV_ERROR_LIMIT);
    EXPECT_EQ(ctv_last_error(),
              "limits.max_memory: the decoder needs more than " + std::to_string(most) + " bytes");
    return false;
  };
  for (const ctv_backend backend : built_backends()) {
    if (backend == CTV_BACKEND_CUDA && ctv_device_count() <= 0) continue;
    uint64_t too_little = 1 << 20, enough = 1 << 28;
    ASSERT_TRUE(decodes(backend, enough)) << backend;
    while (enough - too_little > 1) {
      const uint64_t middle = (too_little + enough) / 2;
      (decodes(backend, middle) ? enough : too_little) = middle;
    }
    // Levels, two pictures of 16 bits, one of bytes; 1 MiB that is not counted.
    EXPECT_GT(enough, uint64_t{320} * 240 * 3 / 2 * 7 + (1 << 20)) << backend;
    const size_t before = allocated();
    EXPECT_FALSE(decodes(backend, enough - 1)) << backend;
    EXPECT_LE(allocated(), before + (1U << 16)) << backend;
  }
}

TEST(Limits, TheLargestPictureIsRefusedWithoutAllocating) {
  for (const char* preset : {"paper", "default"}) {
    const Bytes header = resized(small_stream(preset).header, 65535, 65535);
    ctv_limits limits = kAmple;
    limits.max_memory = uint64_t{8} << 30;
    const size_t before = allocated();
    EXPECT_EQ(send_header(limits, header), CTV_ERROR_LIMIT) << preset;
    EXPECT_LE(allocated(), before + (1U << 20));
    ctv_decoder_config defaults;
    ASSERT_EQ(ctv_decoder_config_init(&defaults), CTV_OK);
    EXPECT_EQ(send_header(defaults.limits, header), CTV_ERROR_LIMIT) << preset;
  }
}

TEST(Limits, PacketsLargerThanAllowedAreRefused) {
  const Stream stream = small_stream("default");
  DecoderConfig c = decoder_config(1);
  c.limits.max_packet_size = stream.packets[0].size() - 1;
  Decoder decoder(c);
  ASSERT_TRUE(decoder.send(stream.header));
  EXPECT_EQ(ctv_decoder_send(decoder.get(), stream.packets[0].data(), stream.packets[0].size()),
            CTV_ERROR_LIMIT);
}

TEST(Limits, MemoryStaysFlat) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 96, 64, 40);
  for (const char* preset : {"paper", "default"}) {
    Config c = config_for(clip[0], preset, 1);
    c.key_interval = 8;
    const Stream stream = encode(clip, c);
    if (allocated() == 0) GTEST_SKIP() << "the C library's counters are not in use";
    Decoder decoder(decoder_config(1));
    ASSERT_TRUE(decoder.send(stream.header));
    // Buffers have the size of the largest packet so far, so only packets that were decoded before need no
    // more.
    size_t settled[3] = {};
    for (size_t& after : settled) {
      for (const auto& packet : stream.packets) {
        ASSERT_TRUE(decoder.send(packet));
        ASSERT_TRUE(decoder.receive().has_value());
      }
      after = allocated();
    }
    EXPECT_LE(settled[2], settled[1]) << preset << ": memory grows from frame to frame";
  }
}

}  // namespace
}  // namespace ctv::test
