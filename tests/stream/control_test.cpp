// SPDX-License-Identifier: BSD-3-Clause
// What a caller can do in the middle of a stream: key frames on request, another quantiser, seeking by the
// index.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

ctv_packet_info info_of(const Stream& stream, size_t packet) {
  ctv_packet_info info{};
  info.struct_size = sizeof info;
  check(ctv_packet_info_parse(stream.header.data(), stream.header.size(), stream.packets[packet].data(),
                              stream.packets[packet].size(), &info, nullptr, 0));
  return info;
}

TEST(KeyFrames, ComeAtTheIntervalAndOnRequest) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 32, 32, 12);
  Config c = config_for(clip[0], "default");
  c.key_interval = 5;
  c.scene_cut = 0;
  Encoder encoder(c);
  std::vector<int> keys;
  for (int i = 0; i < 12; ++i) {
    if (i == 7) encoder.request_key_frame();
    ASSERT_TRUE(encoder.send(picture_of(clip[static_cast<size_t>(i)])));
    const auto unit = encoder.receive();
    ASSERT_TRUE(unit.has_value());
    EXPECT_EQ(unit->frame_number, i);
    if (unit->key_frame != 0) keys.push_back(i);
  }
  EXPECT_EQ(keys, (std::vector<int>{0, 5, 7}));  // and then five frames after the requested one
}

TEST(KeyFrames, IntervalZeroMeansOnlyTheFirstAndOnRequest) {
  const auto clip = moving_clip(CTV_FORMAT_GRAY8, 16, 16, 40);
  Config c = config_for(clip[0], "paper");
  c.key_interval = 0;
  const Stream stream = encode(clip, c);
  for (size_t i = 0; i < clip.size(); ++i) EXPECT_EQ(info_of(stream, i).key_frame, i == 0 ? 1 : 0);
}

TEST(KeyFrames, AnIntervalOfOneMakesEveryFrameDecodableAlone) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 32, 24, 4);
  Config c = config_for(clip[0], "default");
  c.key_interval = 1;
  const Stream stream = encode(clip, c);
  const auto all = decode(stream);
  for (size_t i = 0; i < clip.size(); ++i) {
    const auto alone = decode({stream.header, {stream.packets[i]}, {}});
    ASSERT_EQ(alone.size(), 1U);
    EXPECT_EQ(alone[0], all[i]);
  }
}

// Bits per second of the pictures' times, not of the header's rate.
TEST(Bitrate, IsMetInRealTime) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 96, 64, 120);
  for (const int step : {1, 2, 5, 20}) {  // 120, 60, 24 and 6 frames a second
    Config c = config_for(clip[0], "fast");
    c.fps_num = 120, c.fps_den = 5;
    c.bitrate = 100000;
    c.key_interval = 0;
    Encoder encoder(c);
    size_t bytes = 0;
    for (int i = 0; i < 120; ++i) {
      ctv_picture picture = picture_of(clip[static_cast<size_t>(i)]);
      picture.timestamp = i * step;
      picture.duration = step;
      ASSERT_TRUE(encoder.send(picture));
      bytes += encoder.receive()->size;
    }
    // Beside the rate, what a buffer of a second holds.
    const double seconds = step;
    EXPECT_LE(static_cast<double>(bytes) * 8, 100000 * (seconds + 1)) << step;
    EXPECT_GE(static_cast<double>(bytes) * 8, 0.85 * 100000 * seconds) << step;
  }
}

TEST(TemporalLayers, ChangeBetweenFramesWithoutAKeyFrame) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 32, 32, 18);
  Config c = config_for(clip[0], "default");
  c.key_interval = 0;
  c.slots = 2;
  Encoder encoder(c);
  Stream stream;
  const Unit header = encoder.header();
  stream.header.assign(header.bytes().begin(), header.bytes().end());
  std::vector<int> ids;
  for (int i = 0; i < 18; ++i) {
    if (i == 6) encoder.set_temporal_layers(3);
    if (i == 14) encoder.set_temporal_layers(1);
    ASSERT_TRUE(encoder.send(picture_of(clip[static_cast<size_t>(i)])));
    const auto unit = encoder.receive();
    ASSERT_TRUE(unit.has_value());
    EXPECT_EQ(unit->key_frame != 0, i == 0);
    ids.push_back(unit->temporal_id);
    stream.packets.emplace_back(unit->bytes().begin(), unit->bytes().end());
  }
  for (const size_t i : {0, 5, 14, 17}) EXPECT_EQ(ids[i], 0) << i;
  const std::multiset<int> of_four(ids.begin() + 8, ids.begin() + 12);
  EXPECT_EQ(of_four, (std::multiset<int>{0, 1, 2, 2}));
  EXPECT_EQ(decode(stream).size(), clip.size());
  EXPECT_EQ(ctv_encoder_set_temporal_layers(encoder.get(), 4), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_set_temporal_layers(nullptr, 1), CTV_ERROR_ARGUMENT);
}

TEST(Quantiser, ChangesBetweenFramesWithoutAKeyFrame) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, 9);
  for (const char* preset : {"paper", "default"}) {
    Config c = config_for(clip[0], preset);
    c.key_interval = 0;
    c.qp = -1;
    c.step = 8;
    Encoder encoder(c);
    Stream stream;
    const Unit header = encoder.header();
    stream.header.assign(header.bytes().begin(), header.bytes().end());
    for (size_t i = 0; i < clip.size(); ++i) {
      if (i == 3) encoder.set_step(32);
      if (i == 6) encoder.set_qp(16);
      ASSERT_TRUE(encoder.send(picture_of(clip[i])));
      const auto unit = encoder.receive();
      ASSERT_TRUE(unit.has_value());
      const double expected = i < 3 ? 8 : (i < 6 ? 32 : 4);
      // Key frames of picture prediction are finer than asked for, for all that is predicted from them.
      const bool finer = i == 0 && c.prediction == CTV_PREDICTION_PICTURE;
      EXPECT_EQ(unit->step < expected, finer) << preset << " frame " << i;
      EXPECT_EQ(unit->step == expected, !finer) << preset << " frame " << i;
      EXPECT_EQ(unit->key_frame != 0, i == 0) << preset << " frame " << i;
      stream.packets.emplace_back(unit->bytes().begin(), unit->bytes().end());
      EXPECT_EQ(info_of(stream, i).step, unit->step);
    }
    const auto decoded = decode(stream);
    ASSERT_EQ(decoded.size(), clip.size());
    EXPECT_GT(psnr(decoded[8], clip[8]), psnr(decoded[5], clip[5])) << preset;
    EXPECT_GT(psnr(decoded[2], clip[2]), psnr(decoded[5], clip[5])) << preset;
  }
}

// One key frame, 25 frames per second.
Config config_at(const Frame& frame, int64_t bitrate) {
  Config c = config_for(frame, "default");
  c.key_interval = 0;
  c.fps_num = 25;
  c.fps_den = 1;
  c.bitrate = bitrate;
  return c;
}
double bits_per_second(const Stream& stream) {
  size_t bytes = 0;
  for (const Bytes& packet : stream.packets) bytes += packet.size();
  return static_cast<double>(bytes) * 8 * 25 / static_cast<double>(stream.packets.size());
}

// Vectors weighed with the step of another frame take half of the bits or twice as many.
TEST(BitRate, IsMetWhereVectorsTakeMostBits) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 320, 240, 150);
  const Stream stream = encode(clip, config_at(clip[0], 30000));
  const double rate = bits_per_second(stream);
  EXPECT_GE(rate, 27000);
  EXPECT_LE(rate, 35000);  // the buffer of a second may be empty after the six seconds
  const auto decoded = decode(stream);
  for (size_t i = 0; i < clip.size(); ++i) EXPECT_GT(psnr(decoded[i], clip[i]), 13) << i;
}

// Packets of higher layers are small. That does not say that all stands still.
TEST(BitRate, IsMetWithTemporalLayers) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 320, 240, 150);
  Config c = config_at(clip[0], 60000);
  c.slots = 2;
  c.temporal_layers = 3;
  const double rate = bits_per_second(encode(clip, c));
  EXPECT_GE(rate, 55000);
  EXPECT_LE(rate, 62500);
}

TEST(Index, PointsToEveryPacketOfTheFile) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 32, 24, 11);
  Config c = config_for(clip[0], "default");
  c.key_interval = 4;
  const Stream stream = encode(clip, c, true);
  const Bytes file = file_of(stream);

  uint64_t index_size = 0;
  ASSERT_EQ(ctv_index_trailer_parse(file.data() + file.size() - CTV_INDEX_TRAILER_SIZE,
                                    CTV_INDEX_TRAILER_SIZE, &index_size),
            CTV_OK);
  ASSERT_EQ(index_size, stream.index.size());
  size_t count = 0;
  std::vector<ctv_index_entry> entries(clip.size());
  ASSERT_EQ(ctv_index_parse(file.data() + file.size() - index_size, index_size, entries.data(),
                            entries.size(), &count),
            CTV_OK);
  ASSERT_EQ(count, clip.size());
  size_t offset = stream.header.size();
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(entries[i].offset, offset) << i;
    EXPECT_EQ(entries[i].key_frame, i % 4 == 0 ? 1 : 0) << i;
    ctv_unit_kind kind{};
    uint64_t size = 0;
    ASSERT_EQ(ctv_unit_parse(file.data() + entries[i].offset, CTV_UNIT_PREFIX_SIZE, &kind, &size), CTV_OK);
    EXPECT_EQ(kind, CTV_UNIT_PACKET);
    EXPECT_EQ(size, stream.packets[i].size());
    offset += size;
  }
}

TEST(Index, WrittenPartlyWhereThereIsLessRoom) {
  const auto clip = moving_clip(CTV_FORMAT_GRAY8, 16, 16, 6);
  const Stream stream = encode(clip, config_for(clip[0], "default"), true);
  ctv_index_entry entries[3] = {{1, 7, 7}, {1, 7, 7}, {1, 7, 7}};
  size_t count = 0;
  ASSERT_EQ(ctv_index_parse(stream.index.data(), stream.index.size(), entries, 2, &count), CTV_OK);
  EXPECT_EQ(count, 6U);
  EXPECT_EQ(entries[2].key_frame, 7);
  ASSERT_EQ(ctv_index_parse(stream.index.data(), stream.index.size(), nullptr, 0, &count), CTV_OK);
  EXPECT_EQ(count, 6U);
}

TEST(Index, DamageIsNoticed) {
  const auto clip = moving_clip(CTV_FORMAT_GRAY8, 16, 16, 6);
  const Stream stream = encode(clip, config_for(clip[0], "default"), true);
  size_t count = 0;
  for (size_t at = 0; at < stream.index.size(); ++at) {
    Bytes damaged = stream.index;
    damaged[at] = static_cast<uint8_t>(damaged[at] ^ 0x10);
    EXPECT_EQ(ctv_index_parse(damaged.data(), damaged.size(), nullptr, 0, &count), CTV_ERROR_STREAM) << at;
    EXPECT_EQ(ctv_index_parse(stream.index.data(), at, nullptr, 0, &count), CTV_ERROR_STREAM) << at;
  }
}

TEST(Seek, FromAnyKeyFrameGivesThePicturesOfTheWholeStream) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 40, 24, 12);
  for (const char* preset : {"paper", "default"}) {
    Config c = config_for(clip[0], preset);
    c.key_interval = 5;
    const Stream stream = encode(clip, c);
    const auto all = decode(stream);
    Decoder decoder(decoder_config());
    ASSERT_TRUE(decoder.send(stream.header));
    for (const size_t start : {size_t{10}, size_t{0}, size_t{5}}) {
      decoder.reset();
      for (size_t i = start; i < std::min(start + 3, clip.size()); ++i) {
        ASSERT_TRUE(decoder.send(stream.packets[i]));
        const auto picture = decoder.receive();
        ASSERT_TRUE(picture.has_value());
        EXPECT_EQ(copy_of(*picture), all[i]) << preset << " frame " << i;
      }
    }
  }
}

TEST(Seek, IntoThePredictedFramesAfterAResetIsRefused) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 40, 24, 4);
  const Stream stream = encode(clip, config_for(clip[0], "default"));
  Decoder decoder(decoder_config());
  ASSERT_TRUE(decoder.send(stream.header));
  ASSERT_TRUE(decoder.send(stream.packets[0]));
  decoder.reset();
  EXPECT_LT(ctv_decoder_send(decoder.get(), stream.packets[1].data(), stream.packets[1].size()), 0);
}

TEST(Header, RepeatedInMidStreamChangesNothing) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 40, 24, 4);
  const Stream stream = encode(clip, config_for(clip[0], "default"));
  const auto expected = decode(stream);
  Decoder decoder(decoder_config());
  for (size_t i = 0; i < clip.size(); ++i) {
    ASSERT_TRUE(decoder.send(stream.header));
    ASSERT_TRUE(decoder.send(stream.packets[i]));
    const auto picture = decoder.receive();
    ASSERT_TRUE(picture.has_value());
    EXPECT_EQ(copy_of(*picture), expected[i]);
  }
}

TEST(Header, OfAnotherStreamStartsAnother) {
  const auto small = moving_clip(CTV_FORMAT_I420, 40, 24, 2);
  const auto large = moving_clip(CTV_FORMAT_RGB8, 50, 60, 2);
  const Stream a = encode(small, config_for(small[0], "lossless"));
  const Stream b = encode(large, config_for(large[0], "lossless"));
  Decoder decoder(decoder_config());
  for (const Stream* s : {&a, &b, &a}) {
    ASSERT_TRUE(decoder.send(s->header));
    for (size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(decoder.send(s->packets[i]));
      const auto picture = decoder.receive();
      ASSERT_TRUE(picture.has_value());
      EXPECT_EQ(copy_of(*picture), (s == &a ? small : large)[i]);
    }
  }
}

TEST(Header, OfAnotherStreamWaitsForTheFramesInFlight) {
  const auto small = moving_clip(CTV_FORMAT_I420, 160, 96, 2);
  const auto large = moving_clip(CTV_FORMAT_RGB8, 50, 60, 1);
  const Stream a = encode(small, config_for(small[0], "lossless"));
  const Stream b = encode(large, config_for(large[0], "lossless"));
  DecoderConfig many = decoder_config();
  many.frames_in_flight = 4;
  Decoder decoder(many);
  ASSERT_TRUE(decoder.send(a.header));
  for (const Bytes& packet : a.packets) ASSERT_TRUE(decoder.send(packet));
  size_t received = 0;
  while (!decoder.send(b.header)) {  // "again" means that something can be received, now
    const auto picture = decoder.receive();
    ASSERT_TRUE(picture.has_value());
    EXPECT_EQ(copy_of(*picture), small[received++]);
  }
  EXPECT_EQ(received, small.size());
}

}  // namespace
}  // namespace ctv::test
