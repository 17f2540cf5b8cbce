// SPDX-License-Identifier: BSD-3-Clause
// A packet's prefix is a picture: reduced resolutions, packets cut after each layer, no drift at half
// resolution. Predicted frames in macroblocks have no layers.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

// Byte offset behind each layer of a packet.
std::vector<size_t> layer_ends(const Stream& stream, const Bytes& packet) {
  ctv_packet_info info{};
  info.struct_size = sizeof info;
  std::vector<ctv_component_info> components(1000);
  check(ctv_packet_info_parse(stream.header.data(), stream.header.size(), packet.data(), packet.size(), &info,
                              components.data(), components.size()));
  components.resize(static_cast<size_t>(info.components));
  std::vector<size_t> ends(static_cast<size_t>(info.layers), 0);
  size_t at = info.header_size + info.side_size;
  for (const ctv_component_info& c : components) {
    at += c.size;
    ends[static_cast<size_t>(c.layer)] = at;
  }
  // A layer without components of its own travels with a coarser one.
  for (size_t l = 1; l < ends.size(); ++l) ends[l] = std::max(ends[l], ends[l - 1]);
  return ends;
}

class Layers : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    clip_ = moving_clip(CTV_FORMAT_I420, 75, 54, 5);
    config_ = config_for(clip_[0], GetParam());
    if (config_.prediction == CTV_PREDICTION_PICTURE) config_.key_interval = 1;
    stream_ = encode(clip_, config_);
    ctv_stream_info info{};
    info.struct_size = sizeof info;
    check(ctv_stream_info_parse(stream_.header.data(), stream_.header.size(), &info));
    levels_ = info.scales;
  }
  std::vector<Frame> clip_;
  Config config_;
  Stream stream_;
  int levels_ = 0;
};

TEST_P(Layers, EachReductionHalvesTheExtentRoundedUp) {
  for (int reduction = 0; reduction <= levels_; ++reduction) {
    const auto decoded = decode(stream_, decoder_config(2, reduction));
    ASSERT_EQ(decoded.size(), clip_.size());
    EXPECT_EQ(decoded[0].width, (75 + (1 << reduction) - 1) >> reduction);
    EXPECT_EQ(decoded[0].height, (54 + (1 << reduction) - 1) >> reduction);
  }
}

TEST_P(Layers, AReducedPictureLooksLikeThePictureMadeSmaller) {
  const auto half = decode(stream_, decoder_config(2, 1));
  std::vector<uint8_t> means;  // of 2x2 luma samples, the last row and column repeated
  for (int y = 0; y < half[0].height; ++y) {
    for (int x = 0; x < half[0].width; ++x) {
      int sum = 2;
      for (const int dy : {0, 1}) {
        for (const int dx : {0, 1}) {
          sum +=
              clip_[0]
                  .planes[0][static_cast<size_t>(std::min(2 * y + dy, 53) * 75 + std::min(2 * x + dx, 74))];
        }
      }
      means.push_back(static_cast<uint8_t>(sum / 4));
    }
  }
  EXPECT_GE(psnr(half[0].planes[0], means), 20.0);
}

TEST_P(Layers, APacketCutAfterALayerDecodesAtItsResolution) {
  for (int reduction = 0; reduction <= levels_; ++reduction) {
    const auto expected = decode(stream_, decoder_config(2, reduction));
    Stream cut = stream_;
    for (Bytes& packet : cut.packets) {
      packet.resize(layer_ends(stream_, packet)[static_cast<size_t>(levels_ - reduction)]);
    }
    EXPECT_EQ(decode(cut, decoder_config(2, reduction)), expected) << "reduction " << reduction;
  }
}

TEST_P(Layers, APacketCutBeforeALayersEndIsAnError) {
  const Bytes& packet = stream_.packets[0];
  const auto ends = layer_ends(stream_, packet);
  for (int reduction = 0; reduction <= levels_; ++reduction) {
    Decoder decoder(decoder_config(2, reduction));
    ASSERT_TRUE(decoder.send(stream_.header));
    const size_t size = ends[static_cast<size_t>(levels_ - reduction)] - 1;
    EXPECT_EQ(ctv_decoder_send(decoder.get(), packet.data(), size), CTV_ERROR_STREAM)
        << "reduction " << reduction;
    const std::string message = ctv_last_error();
    EXPECT_NE(message.find("component "), std::string::npos) << message;
    EXPECT_NE(message.find("byte"), std::string::npos) << message;
  }
}

TEST_P(Layers, LayersGrowTowardsTheEndAndFillThePacket) {
  for (const Bytes& packet : stream_.packets) {
    const auto ends = layer_ends(stream_, packet);
    EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
    EXPECT_EQ(ends.back(), packet.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, Layers, testing::Values("paper", "default"),
                         [](const testing::TestParamInfo<const char*>& i) { return std::string(i.param); });

TEST(SubbandPrediction, PredictedFramesAtReducedResolutionEqualKeyFrames) {
  // Levels are predicted from levels, so a decoder of the first layers knows the same lowpass as one of
  // everything, and the same as if every frame were a key frame: no drift at any resolution.
  const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, 12);
  Config chain = config_for(clip[0], "paper");
  chain.scales = 2;
  chain.directions[1] = 4;
  chain.key_interval = 0;
  Config keys = chain;
  keys.key_interval = 1;
  const Stream predicted = encode(clip, chain);
  const Stream intra = encode(clip, keys);
  for (const int reduction : {2}) {
    const auto a = decode(predicted, decoder_config(2, reduction));
    const auto b = decode(intra, decoder_config(2, reduction));
    for (size_t i = 0; i < clip.size(); ++i)
      EXPECT_EQ(a[i], b[i]) << "frame " << i << " reduction " << reduction;
  }
}

TEST(PicturePrediction, KeyFramesAtReducedResolutionAreTheLowpassWhateverCameBefore) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, 7);
  Config c = config_for(clip[0], "default");
  c.key_interval = 3;
  const Stream stream = encode(clip, c);
  const std::vector<Frame> alone = {clip[3]};
  const auto keys = decode(at_reduction(stream, 1), decoder_config(2, 1));
  const auto one = decode(encode(alone, c), decoder_config(2, 1));
  ASSERT_EQ(keys.size(), 3U);
  EXPECT_EQ(keys[1], one[0]);
}

TEST(PicturePrediction, PredictedFramesAtReducedResolutionAreRefusedAndTheNextKeyFrameDecodes) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, 5);
  Config c = config_for(clip[0], "default");
  c.key_interval = 4;
  const Stream stream = encode(clip, c);
  Decoder decoder(decoder_config(2, 1));
  EXPECT_TRUE(decoder.send(stream.header));
  for (size_t i = 0; i < clip.size(); ++i) {
    const ctv_status status =
        ctv_decoder_send(decoder.get(), stream.packets[i].data(), stream.packets[i].size());
    if (i == 0 || i == 4) {
      EXPECT_EQ(status, CTV_OK);
      EXPECT_TRUE(decoder.receive());
      continue;
    }
    EXPECT_EQ(status, CTV_ERROR_UNSUPPORTED) << i;
    EXPECT_EQ(std::string(ctv_last_error()),
              "resolution: predicted frames of this stream have full resolution only; for several, encode "
              "several streams (ctv/simulcast.h)");
  }
}

TEST(PicturePrediction, WithoutLossPredictedFramesHaveLayers) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, 4);
  const auto decoded = decode(encode(clip, config_for(clip[0], "lossless")), decoder_config(2, 1));
  ASSERT_EQ(decoded.size(), clip.size());
  EXPECT_EQ(decoded[3].width, 32);
}

}  // namespace
}  // namespace ctv::test
