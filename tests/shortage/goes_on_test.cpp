// SPDX-License-Identifier: BSD-3-Clause
// Memory lacks once, at every place in turn. Then there is enough: encoders and decoders go on, and what they
// said meanwhile was true.
#include <ctv/simulcast.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/shortage/shortage.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/devices.hpp"

namespace ctv::test {
namespace {

using EncoderHandle = std::unique_ptr<ctv_encoder, decltype(&ctv_encoder_close)>;
using DecoderHandle = std::unique_ptr<ctv_decoder, decltype(&ctv_decoder_close)>;
EncoderHandle open_encoder(const ctv_config& config) {
  ctv_encoder* encoder = nullptr;
  EXPECT_EQ(ctv_encoder_open(&config, &encoder), CTV_OK);
  return {encoder, ctv_encoder_close};
}
DecoderHandle open_decoder(const ctv_decoder_config& config, const Bytes& header) {
  ctv_decoder* decoder = nullptr;
  EXPECT_EQ(ctv_decoder_open(&config, &decoder), CTV_OK);
  EXPECT_EQ(ctv_decoder_send(decoder, header.data(), header.size()), CTV_OK);
  return {decoder, ctv_decoder_close};
}
ctv_status send(const DecoderHandle& decoder, const Bytes& packet) {
  return ctv_decoder_send(decoder.get(), packet.data(), packet.size());
}
ctv_status receive(const DecoderHandle& decoder, ctv_picture& picture) {
  ctv_picture_init(&picture);
  return ctv_decoder_receive(decoder.get(), &picture);
}
ctv_status receive(ctv_encoder* encoder, ctv_unit& unit) {
  ctv_unit_init(&unit);
  return ctv_encoder_receive(encoder, &unit);
}
std::vector<Frame> clip_of(int frames) { return moving_clip(CTV_FORMAT_I420, 48, 32, frames); }

// Calls code(during) until no allocation of the work that it gives to during() fails any more.
using During = std::function<void(const std::function<void()>&)>;
void for_each_allocation(const std::function<void(const During&)>& code) {
  bool reached = true;
  long n = 0;
  for (; reached && !testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    code([&](const std::function<void()>& work) {
      const FailingAllocations shortage(n, Shortage::kOnce);
      work();
      reached = FailingAllocations::reached();
    });
  }
  EXPECT_GT(n, 1) << "allocations are not counted";
}

TEST(GoesOn, AnEncoderThatCouldNotBeReconfigured) {
  const std::vector<Frame> clip = clip_of(1);
  const Config c = config_for(clip[0], "default", 1);
  const ctv_picture picture = picture_of(clip[0]);
  for_each_allocation([&](const During& during) {
    const EncoderHandle encoder = open_encoder(c);
    during([&] { (void)ctv_encoder_reconfigure(encoder.get(), &c); });
    size_t count = 0;
    EXPECT_EQ(ctv_encoder_stage_times(encoder.get(), nullptr, 0, &count), CTV_OK);
    EXPECT_EQ(ctv_encoder_reconfigure(encoder.get(), &c), CTV_OK);
    EXPECT_EQ(ctv_encoder_send(encoder.get(), &picture), CTV_OK);
    ctv_unit unit;
    EXPECT_EQ(receive(encoder.get(), unit), CTV_OK);
    EXPECT_EQ(unit.key_frame, 1);
  });
}

// The next send makes as many slots as a rate needs.
TEST(GoesOn, AnEncoderThatFoundNoMemoryForSlots) {
  const std::vector<Frame> clip = clip_of(1);
  Config c = config_for(clip[0], "default", 1);
  c.frames_in_flight = 3;
  const ctv_picture picture = picture_of(clip[0]);
  for_each_allocation([&](const During& during) {
    const EncoderHandle encoder = open_encoder(c);
    EXPECT_EQ(ctv_encoder_set_bitrate(encoder.get(), 100000, 0), CTV_OK);
    during([&] { (void)ctv_encoder_send(encoder.get(), &picture); });
    ctv_unit unit;
    (void)receive(encoder.get(), unit);
    EXPECT_EQ(ctv_encoder_send(encoder.get(), &picture), CTV_OK);
    EXPECT_EQ(receive(encoder.get(), unit), CTV_OK);
  });
}

TEST(GoesOn, ASizeOfSimulcastThatIsTurnedOnAgain) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 96, 64, 1);
  const Config c = config_for(clip[0], "default", 1);
  const ctv_picture picture = picture_of(clip[0]);
  for_each_allocation([&](const During& during) {
    ctv_simulcast* opened = nullptr;
    ASSERT_EQ(ctv_simulcast_open(&c, nullptr, 2, &opened), CTV_OK);
    const std::unique_ptr<ctv_simulcast, decltype(&ctv_simulcast_close)> sizes(opened, ctv_simulcast_close);
    const auto packets = [&](int size) {
      int count = 0;
      for (ctv_unit unit; receive(ctv_simulcast_encoder(sizes.get(), size), unit) == CTV_OK;) ++count;
      return count;
    };
    const auto send_all = [&] {
      for (const int size : {0, 1}) (void)packets(size);
      return ctv_simulcast_send(sizes.get(), &picture);
    };
    EXPECT_EQ(send_all(), CTV_OK);
    EXPECT_EQ(ctv_simulcast_set_active(sizes.get(), 0, 0), CTV_OK);
    EXPECT_EQ(send_all(), CTV_OK);
    EXPECT_EQ(ctv_simulcast_set_active(sizes.get(), 0, 1), CTV_OK);
    during([&] { (void)send_all(); });
    EXPECT_EQ(send_all(), CTV_OK);
    for (const int size : {0, 1}) EXPECT_EQ(packets(size), 1) << "size " << size;
  });
}

// If send() fails no packet comes, and none is larger than it may be.
TEST(GoesOn, AnEncoderWhosePacketDoesNotFit) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 192, 160, 1);
  Config c = config_for(clip[0], "default", 1);
  c.max_frame_bytes = 8;
  const ctv_picture picture = picture_of(clip[0]);
  for_each_allocation([&](const During& during) {
    const EncoderHandle encoder = open_encoder(c);
    ctv_status sent = CTV_OK;
    during([&] { sent = ctv_encoder_send(encoder.get(), &picture); });
    ctv_unit unit;
    const ctv_status received = receive(encoder.get(), unit);
    if (sent < 0) {
      EXPECT_EQ(received, CTV_AGAIN);
    } else {
      EXPECT_TRUE(received == CTV_ERROR_LIMIT || received == CTV_ERROR_MEMORY) << received;
    }
  });
}

// A packet that found no memory may follow again.
TEST(GoesOn, ADecoderThatIsSentAPacketAgain) {
  const Stream stream = encode(clip_of(2), config_for(clip_of(1)[0], "default", 1));
  for (const ctv_backend backend : {CTV_BACKEND_CPU, CTV_BACKEND_CUDA}) {
    for (const size_t again : {0, 1}) {
      for_each_allocation([&](const During& during) {
        const DeviceThatFails never(0);
        DecoderConfig d = decoder_config(1);
        d.backend = backend;
        const DecoderHandle decoder = open_decoder(d, stream.header);
        ctv_picture picture;
        if (again > 0) {
          EXPECT_EQ(send(decoder, stream.packets[0]), CTV_OK);
          EXPECT_EQ(receive(decoder, picture), CTV_OK);
        }
        ctv_status sent = CTV_OK;
        during([&] { sent = send(decoder, stream.packets[again]); });
        if (sent < 0) {
          EXPECT_EQ(send(decoder, stream.packets[again]), CTV_OK);
        }
        EXPECT_EQ(receive(decoder, picture), CTV_OK);
        EXPECT_EQ(picture.frame_number, static_cast<int64_t>(again));
      });
    }
  }
}

// The header need not come again.
TEST(GoesOn, ADecoderWhoseFallBackFoundNoMemory) {
  const Stream stream = encode(clip_of(3), config_for(clip_of(1)[0], "default", 1));
  const std::vector<Frame> expected = decode(stream);
  for (const int in_flight : {1, 3}) {
    for_each_allocation([&](const During& during) {
      const DeviceThatFails device(30);
      DecoderConfig d = decoder_config(1);
      d.backend = CTV_BACKEND_AUTO;
      d.frames_in_flight = in_flight;
      const DecoderHandle decoder = open_decoder(d, stream.header);
      ctv_picture picture;
      during([&] {
        for (const Bytes& packet : stream.packets) {
          (void)send(decoder, packet);
          (void)receive(decoder, picture);
        }
      });
      bool shown = false;
      for (int i = 0; i < 20 && !shown; ++i) {  // the device may only fail now
        (void)send(decoder, stream.packets[0]);
        shown = receive(decoder, picture) == CTV_OK && picture.frame_number == 0 &&
                copy_of(picture) == expected[0];
      }
      EXPECT_TRUE(shown);
    });
  }
}

// What is repeated for a lost packet was shown before. A discardable frame's place is the next one's.
TEST(GoesOn, ADecoderThatRepeatsPictures) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 96, 64, 4);
  for (const ctv_backend backend : {CTV_BACKEND_CPU, CTV_BACKEND_CUDA}) {
    for (const int layers : {1, 2}) {
      Config c = config_for(clip[0], "default", 1);
      c.temporal_layers = layers;
      const Stream stream = encode(clip, c);
      const std::vector<Frame> expected = decode(stream);
      for_each_allocation([&](const During& during) {
        const DeviceThatFails never(0);
        DecoderConfig d = decoder_config(1);
        d.conceal = 1;
        d.backend = backend;
        const DecoderHandle decoder = open_decoder(d, stream.header);
        ctv_picture picture;
        for (const size_t i : {0, 1}) {
          EXPECT_EQ(send(decoder, stream.packets[i]), CTV_OK);
          EXPECT_EQ(receive(decoder, picture), CTV_OK);
        }
        ctv_status sent = CTV_OK;
        during([&] { sent = send(decoder, stream.packets[2]); });
        if (sent == CTV_OK) {
          EXPECT_EQ(receive(decoder, picture), CTV_OK);
        }
        ctv_unit lost;
        ctv_unit_init(&lost);
        lost.frame_number = 3;
        const uint8_t missing = 1;
        const ctv_status repeated = ctv_decoder_send_damaged(decoder.get(), &lost, &missing, 1);
        if (repeated != CTV_OK) {
          EXPECT_EQ(repeated, CTV_ERROR_REFERENCE);
          EXPECT_EQ(layers, 2);
          return;
        }
        EXPECT_EQ(receive(decoder, picture), CTV_OK);
        EXPECT_EQ(copy_of(picture), expected[sent == CTV_OK ? 2 : 1]);
      });
    }
  }
}

}  // namespace
}  // namespace ctv::test
