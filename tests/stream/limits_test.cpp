// SPDX-License-Identifier: BSD-3-Clause
// The caller's limits hold before anything is allocated, and the stated memory is the truth.
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>

#include "codec/format/bytes.hpp"
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

// A sound header of the same stream with another extent.
Bytes resized(Bytes header, int width, int height) {
  header[9] = static_cast<uint8_t>(width);
  header[10] = static_cast<uint8_t>(width >> 8);
  header[11] = static_cast<uint8_t>(height);
  header[12] = static_cast<uint8_t>(height >> 8);
  repair_header(header);
  return header;
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

TEST(Limits, MemoryIsCountedBeforeAnythingIsAllocated) {
  const Stream stream = small_stream("default");
  ctv_stream_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(ctv_stream_info_parse(stream.header.data(), stream.header.size(), &info), CTV_OK);
  ctv_limits limits = kAmple;
  limits.max_memory = info.decoder_memory;
  EXPECT_EQ(send_header(limits, stream.header), CTV_OK);
  limits.max_memory = info.decoder_memory - 1;
  EXPECT_EQ(send_header(limits, stream.header), CTV_ERROR_LIMIT);
  EXPECT_NE(std::string(ctv_last_error()).find("memory"), std::string::npos) << ctv_last_error();
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

TEST(Limits, NarrowPicturesPadWithinTheFormula) {
  // One row of 65535 samples under eight levels: padding makes it thousands of rows, and the formula says so.
  const Bytes header = resized(small_stream("default").header, 65535, 1);
  ctv_stream_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(ctv_stream_info_parse(header.data(), header.size(), &info), CTV_OK);
  EXPECT_GT(info.decoder_memory, uint64_t{65535} * 32);
}

TEST(Limits, TheDecoderStaysWithinTheStatedMemory) {
  for (const char* preset : {"paper", "default"}) {
    const Stream stream = small_stream(preset, 320, 240);
    ctv_stream_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(ctv_stream_info_parse(stream.header.data(), stream.header.size(), &info), CTV_OK);
    if (allocated() == 0) GTEST_SKIP() << "the C library's counters are not in use";
    const size_t before = allocated();
    Decoder decoder(decoder_config(1));
    ASSERT_TRUE(decoder.send(stream.header));
    size_t most = allocated();
    for (const Bytes& packet : stream.packets) {
      ASSERT_TRUE(decoder.send(packet));
      ASSERT_TRUE(decoder.receive().has_value());
      most = std::max(most, allocated());
    }
    EXPECT_LE(most - before, info.decoder_memory) << preset;
    EXPECT_GE(most - before, info.decoder_memory / 4) << preset << ": the formula is far from the truth";
  }
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
