// SPDX-License-Identifier: BSD-3-Clause
// Whatever bytes arrive: a picture or a clear error, never a crash; and the decoder goes on at the next key
// frame.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "codec/format/bytes.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/random.hpp"
#include "tests/support/repair.hpp"

namespace ctv::test {
namespace {

// Sends one unit and takes what comes; returns the first failure, or CTV_OK.
ctv_status feed(Decoder& decoder, const Bytes& unit, std::vector<Frame>* pictures = nullptr) {
  const ctv_status sent = ctv_decoder_send(decoder.get(), unit.data(), unit.size());
  if (sent < 0) return sent;
  ctv_picture picture{};
  picture.struct_size = sizeof picture;
  ctv_status status = CTV_OK;
  while ((status = ctv_decoder_receive(decoder.get(), &picture)) == CTV_OK) {
    const Frame copy = copy_of(picture);  // touches every sample
    if (pictures != nullptr) pictures->push_back(copy);
  }
  return status < 0 ? status : CTV_OK;
}

bool names_field_and_offset(const std::string& message) {
  return std::regex_search(message, std::regex("[a-z]+.* at byte [0-9]+"));
}

class Broken : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    clip_ = moving_clip(CTV_FORMAT_I420, 24, 16, 4);
    Config c = config_for(clip_[0], GetParam(), 1);
    c.key_interval = 3;
    stream_ = encode(clip_, c, true);
    good_ = decode(stream_);
  }
  std::vector<Frame> clip_;
  Stream stream_;
  std::vector<Frame> good_;
};

TEST_P(Broken, AUnitCutAnywhereIsAnErrorThatNamesFieldAndOffset) {
  Decoder decoder(decoder_config(1));
  for (size_t size = 0; size < stream_.header.size(); ++size) {
    EXPECT_EQ(feed(decoder, {stream_.header.begin(), stream_.header.begin() + static_cast<ptrdiff_t>(size)}),
              size == 0 ? feed(decoder, {}) : CTV_ERROR_STREAM)
        << size;
  }
  ASSERT_EQ(feed(decoder, stream_.header), CTV_OK);
  for (size_t i = 0; i < 2; ++i) {
    const Bytes& packet = stream_.packets[i];
    for (size_t size = 1; size < packet.size(); ++size) {
      const Bytes cut(packet.begin(), packet.begin() + static_cast<ptrdiff_t>(size));
      ASSERT_EQ(feed(decoder, cut), CTV_ERROR_STREAM) << "packet " << i << " cut to " << size;
      ASSERT_TRUE(names_field_and_offset(ctv_last_error())) << ctv_last_error();
    }
    ASSERT_EQ(feed(decoder, packet), CTV_OK) << "the whole packet after all the cut ones";
  }
}

TEST_P(Broken, AFlippedByteNeverYieldsAWrongPicture) {
  for (const int mask : {0x01, 0x80, 0xff}) {
    for (size_t unit = 0; unit < 3; ++unit) {  // header, key frame, predicted frame
      const Bytes& original = unit == 0 ? stream_.header : stream_.packets[unit - 1];
      for (size_t at = 0; at < original.size(); ++at) {
        Decoder decoder(decoder_config(1));
        Bytes flipped = original;
        flipped[at] = static_cast<uint8_t>(flipped[at] ^ mask);
        if (unit > 0) {
          ASSERT_EQ(feed(decoder, stream_.header), CTV_OK);
        }
        if (unit > 1) {
          ASSERT_EQ(feed(decoder, stream_.packets[0]), CTV_OK);
        }
        std::vector<Frame> pictures;
        const ctv_status status = feed(decoder, flipped, &pictures);
        ASSERT_TRUE(pictures.empty());
        // Half of a predicted packet's checksum also tells its reference.
        if (unit < 2 || status != CTV_ERROR_REFERENCE) {
          ASSERT_EQ(status, CTV_ERROR_STREAM) << "unit " << unit << " byte " << at;
          ASSERT_TRUE(names_field_and_offset(ctv_last_error())) << ctv_last_error();
        }
        if (at % 7 != 0) continue;
        // The sound stream right after it.
        std::vector<Frame> after;
        if (unit == 0) {
          ASSERT_EQ(feed(decoder, stream_.header), CTV_OK);
        }
        ASSERT_EQ(feed(decoder, stream_.packets[3], &after), CTV_OK);
        ASSERT_EQ(after.size(), 1U);
        ASSERT_EQ(after[0], good_[3]);
      }
    }
  }
}

TEST_P(Broken, DamageBehindSoundChecksumsNeverCrashesAndSparesTheNextKeyFrame) {
  const PacketLayout layout = layout_of(stream_.header);
  ASSERT_GT(layout.components, 0U);
  Bytes first = stream_.packets[0];
  const uint16_t key_check = repair_packet(first, layout);
  ASSERT_EQ(first, stream_.packets[0]);
  Random random(7);
  int refused = 0;
  Decoder decoder(decoder_config(1));
  ASSERT_EQ(feed(decoder, stream_.header), CTV_OK);
  for (int round = 0; round < 3000; ++round) {
    const bool key = random.byte() < 128;
    if (!key) {
      ASSERT_EQ(feed(decoder, stream_.packets[0]), CTV_OK);
    }
    Bytes packet = stream_.packets[key ? 0 : 1];
    const int flips = random.between(1, 4);
    for (int i = 0; i < flips; ++i) {
      packet[static_cast<size_t>(random.between(4, static_cast<int>(packet.size()) - 1))] = random.byte();
    }
    repair_packet(packet, layout, key_check);
    const ctv_status status = feed(decoder, packet);
    ASSERT_TRUE(status == CTV_OK || status == CTV_ERROR_STREAM || status == CTV_ERROR_REFERENCE)
        << ctv_status_name(status) << ctv_last_error();
    if (status != CTV_OK) {
      ++refused;
      ASSERT_FALSE(std::string(ctv_last_error()).empty());
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 3000);  // else the repair does not reach what it is for
  std::vector<Frame> after;
  ASSERT_EQ(feed(decoder, stream_.packets[3], &after), CTV_OK);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0], good_[3]);
}

TEST_P(Broken, HeadersDamagedBehindSoundChecksumsAreRefusedOrDecodeWithinTheLimits) {
  Random random(8);
  DecoderConfig tight = decoder_config(1);
  tight.limits = {uint64_t{1} << 14, uint64_t{32} << 20, uint64_t{1} << 20};
  Decoder decoder(tight);
  for (int round = 0; round < 3000; ++round) {
    Bytes header = stream_.header;
    const int flips = random.between(1, 3);
    for (int i = 0; i < flips; ++i) {
      header[static_cast<size_t>(random.between(8, static_cast<int>(header.size()) - 5))] = random.byte();
    }
    repair_header(header);
    const ctv_status status = feed(decoder, header);
    const bool other_version = header[8] != stream_.header[8];
    ASSERT_TRUE(other_version ? status == CTV_ERROR_UNSUPPORTED
                              : status == CTV_OK || status == CTV_ERROR_STREAM || status == CTV_ERROR_LIMIT)
        << ctv_status_name(status) << ": " << ctv_last_error();
    if (status == CTV_OK) (void)feed(decoder, stream_.packets[0]);
  }
}

TEST_P(Broken, UnitsInAnyOrderGiveRightPicturesOrErrors) {
  std::vector<Bytes> units = {stream_.header, stream_.index};
  units.insert(units.end(), stream_.packets.begin(), stream_.packets.end());
  Random random(9);
  for (int round = 0; round < 300; ++round) {
    Decoder decoder(decoder_config(1));
    std::vector<Frame> pictures;
    for (int i = 0; i < 12; ++i) {
      const Bytes& unit = units[static_cast<size_t>(random.between(0, static_cast<int>(units.size()) - 1))];
      const ctv_status status = feed(decoder, unit, &pictures);
      ASSERT_TRUE(status == CTV_OK || status == CTV_ERROR_REFERENCE || status == CTV_ERROR_STATE)
          << ctv_last_error();
    }
    for (const Frame& picture : pictures) {
      ASSERT_EQ(picture, good_[static_cast<size_t>(picture.number)]) << "frame " << picture.number;
    }
  }
}

TEST_P(Broken, ALostPredictedFrameCostsNothingBeyondTheNextKeyFrame) {
  Decoder decoder(decoder_config(1));
  ASSERT_EQ(feed(decoder, stream_.header), CTV_OK);
  ASSERT_EQ(feed(decoder, stream_.packets[0]), CTV_OK);
  EXPECT_EQ(feed(decoder, stream_.packets[2]), CTV_ERROR_REFERENCE) << "frame 1 is missing";
  std::vector<Frame> pictures;
  EXPECT_EQ(feed(decoder, stream_.packets[3], &pictures), CTV_OK);
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_EQ(pictures[0], good_[3]);
}

TEST_P(Broken, RandomBytesAreRefused) {
  Random random(10);
  constexpr uint32_t kTags[] = {0x53565443, 0x00fd5043,
                                0x58565443};  // CTVS, CP and a size of two bytes, CTVX
  for (const bool with_header : {false, true}) {
    Decoder decoder(decoder_config(1));
    if (with_header) {
      ASSERT_EQ(feed(decoder, stream_.header), CTV_OK);
    }
    for (int round = 0; round < 2000; ++round) {
      Bytes noise(static_cast<size_t>(random.between(0, 300)));
      for (uint8_t& b : noise) b = random.byte();
      if (noise.size() >= 8 && round % 2 == 0) {
        store_u32(noise, 0, kTags[round / 2 % 3]);
        store_u32(noise, 4, static_cast<uint32_t>(noise.size() - 8));
      }
      const bool index = noise.size() >= 8 && load_u32(noise.data()) == kTags[2];
      const ctv_status status = feed(decoder, noise);
      ASSERT_TRUE(status < 0 || index) << round;
      ASSERT_NE(status, CTV_ERROR_INTERNAL) << ctv_last_error();
    }
  }
}

TEST_P(Broken, FramesInFlightReportTheSameErrors) {
  DecoderConfig many = decoder_config(2);
  many.frames_in_flight = 4;
  Decoder decoder(many);
  ASSERT_EQ(feed(decoder, stream_.header), CTV_OK);
  Bytes damaged = stream_.packets[1];
  damaged.back() = static_cast<uint8_t>(damaged.back() ^ 1);
  std::vector<Frame> pictures;
  int errors = 0;
  const auto send = [&](const Bytes& unit) { errors += feed(decoder, unit, &pictures) < 0 ? 1 : 0; };
  send(stream_.packets[0]);
  send(damaged);
  send(stream_.packets[2]);
  send(stream_.packets[3]);
  decoder.flush();
  ctv_picture picture{};
  picture.struct_size = sizeof picture;
  for (ctv_status status = CTV_OK; (status = ctv_decoder_receive(decoder.get(), &picture)) != CTV_END;) {
    if (status == CTV_OK) pictures.push_back(copy_of(picture));
    errors += status < 0 ? 1 : 0;
    ASSERT_LE(errors, 4);
  }
  EXPECT_EQ(errors, 2);  // the damaged frame and the one that refers to it
  ASSERT_EQ(pictures.size(), 2U);
  EXPECT_EQ(pictures[0], good_[0]);
  EXPECT_EQ(pictures[1], good_[3]);
}

INSTANTIATE_TEST_SUITE_P(Presets, Broken, testing::Values("paper", "default", "lossless"),
                         [](const testing::TestParamInfo<const char*>& i) { return std::string(i.param); });

}  // namespace
}  // namespace ctv::test
