// SPDX-License-Identifier: BSD-3-Clause
// The README's loop over ctv.hpp, as it stands there; and information about streams from their bytes.
#include <gtest/gtest.h>
#include <ctv/ctv.hpp>

#include "tests/support/codec.hpp"

namespace {

using ctv::test::moving_clip;
using ctv::test::picture_of;

TEST(Hpp, TheReadmesLoopEncodesAndDecodes) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 5);
  size_t shown = 0;
  // clang-format off
  // README: begin
  ctv::Config config("default");
  config.width = 48, config.height = 32, config.format = CTV_FORMAT_I420, config.qp = 24;
  ctv::Encoder encoder(config);
  ctv::Decoder decoder;
  const auto show = [&] { while (auto picture = decoder.receive()) shown += picture->width == 48; };
  const auto decode = [&](ctv::Unit unit) { while (!decoder.send(unit.bytes())) show(); };
  const auto transmit = [&] { while (auto packet = encoder.receive()) decode(*packet); };
  decode(encoder.header());
  for (const auto& frame : clip) {
    while (!encoder.send(picture_of(frame))) transmit();
  }
  encoder.flush(), transmit();
  decoder.flush(), show();
  // README: end
  // clang-format on
  EXPECT_EQ(shown, clip.size());
}

TEST(Hpp, FailuresAreExceptionsWithStatusAndWords) {
  try {
    const ctv::Config config("nonsense");
    FAIL() << "no exception";
  } catch (const ctv::Error& e) {
    EXPECT_EQ(e.status(), CTV_ERROR_ARGUMENT);
    EXPECT_NE(std::string(e.what()).find("nonsense"), std::string::npos);
  }
  ctv::Config config;
  EXPECT_THROW(ctv::Encoder{config}, ctv::Error) << "width is 0";
}

TEST(Hpp, HandlesMove) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 1);
  ctv::Encoder a(ctv::test::config_for(clip[0], "default"));
  ctv::Encoder b = std::move(a);
  EXPECT_TRUE(b.send(picture_of(clip[0])));
  EXPECT_TRUE(b.receive().has_value());
  EXPECT_NE(b.description(), "");
}

TEST(StreamInfo, TellsWhatTheConfigurationSaid) {
  const auto clip = moving_clip(CTV_FORMAT_RGB8, 97, 61, 2);
  ctv::Config c = ctv::test::config_for(clip[0], "paper");
  c.fps_num = 30000;
  c.fps_den = 1001;
  const auto stream = ctv::test::encode(clip, c);
  ctv_stream_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(ctv_stream_info_parse(stream.header.data(), stream.header.size(), &info), CTV_OK);
  EXPECT_EQ(info.width, 97);
  EXPECT_EQ(info.height, 61);
  EXPECT_EQ(info.format, CTV_FORMAT_RGB8);
  EXPECT_EQ(info.fps_num, 30000);
  EXPECT_EQ(info.fps_den, 1001);
  EXPECT_EQ(info.chroma_420, 1);
  EXPECT_EQ(info.pyramid, CTV_PYRAMID_LAPLACIAN);
  EXPECT_EQ(info.scales, 1);
  EXPECT_EQ(info.directions[0], 8);
  EXPECT_EQ(info.prediction, CTV_PREDICTION_SUBBAND);
  EXPECT_EQ(info.block_size, 16);
  EXPECT_EQ(info.planes, 3);
  EXPECT_EQ(info.subbands[0], 9);
  EXPECT_EQ(info.components, 27);
  EXPECT_EQ(info.layers, 2);
}

TEST(PacketInfo, ListsComponentsThatCoverEveryLevel) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 97, 61, 2);
  for (const char* preset : {"paper", "default"}) {
    const auto stream = ctv::test::encode(clip, ctv::test::config_for(clip[0], preset));
    ctv_stream_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(ctv_stream_info_parse(stream.header.data(), stream.header.size(), &info), CTV_OK);
    for (size_t i = 0; i < 2; ++i) {
      ctv_packet_info packet{};
      packet.struct_size = sizeof packet;
      std::vector<ctv_component_info> components(64);
      ASSERT_EQ(
          ctv_packet_info_parse(stream.header.data(), stream.header.size(), stream.packets[i].data(),
                                stream.packets[i].size(), &packet, components.data(), components.size()),
          CTV_OK);
      EXPECT_EQ(packet.frame_number, static_cast<int64_t>(i));
      EXPECT_EQ(packet.key_frame, i == 0 ? 1 : 0);
      ASSERT_LE(packet.components, 64);
      components.resize(static_cast<size_t>(packet.components));
      const bool regions = i == 1 && info.prediction == CTV_PREDICTION_PICTURE;
      EXPECT_EQ(packet.components, regions ? 1 : info.components);
      EXPECT_EQ(packet.layers, info.layers);
      size_t bytes = packet.header_size + packet.side_size;
      int subbands = 0;
      for (const ctv_component_info& c : components) {
        bytes += c.size;
        subbands += (c.last_plane - c.first_plane + 1) * (c.last_subband - c.first_subband + 1);
        EXPECT_EQ(c.coefficients > 0, !regions);
        EXPECT_LT(c.layer, info.layers);
      }
      EXPECT_EQ(bytes, stream.packets[i].size());
      if (regions) continue;
      EXPECT_EQ(subbands, info.subbands[0] + info.subbands[1] + info.subbands[2]);
    }
  }
}

}  // namespace
