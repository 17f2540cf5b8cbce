// SPDX-License-Identifier: BSD-3-Clause
// Configurations: presets, ranges, and a message that names the field.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/api/valid.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/repair.hpp"

namespace ctv::test {
namespace {

ctv_status open(const ctv_config& config) {
  ctv_encoder* encoder = nullptr;
  const ctv_status status = ctv_encoder_open(&config, &encoder);
  EXPECT_EQ(encoder != nullptr, status == CTV_OK);
  ctv_encoder_close(encoder);
  return status;
}

TEST(Presets, AreListedDescribedAndValid) {
  int count = 0;
  bool paper = false;
  bool standard = false;
  for (; ctv_preset_name(count) != nullptr; ++count) {
    const std::string name = ctv_preset_name(count);
    paper |= name == "paper";
    standard |= name == "default";
    EXPECT_FALSE(std::string(ctv_preset_description(count)).empty());
    Config c(name.c_str());
    c.width = 33;
    c.height = 17;
    c.format = CTV_FORMAT_RGB8;
    c.backend = CTV_BACKEND_CPU;
    EXPECT_EQ(open(c), CTV_OK) << name << ": " << ctv_last_error();
  }
  EXPECT_TRUE(paper);
  EXPECT_TRUE(standard);
  EXPECT_EQ(ctv_preset_description(count), nullptr);
  EXPECT_EQ(ctv_preset_name(-1), nullptr);
}

TEST(Presets, ThePapersParametersAreThePapers) {
  const Config c("paper");
  EXPECT_EQ(c.chroma, CTV_CHROMA_420);
  EXPECT_EQ(c.pyramid, CTV_PYRAMID_LAPLACIAN);
  EXPECT_EQ(c.scales, 1);
  EXPECT_EQ(c.directions[0], 8);
  EXPECT_EQ(c.prediction, CTV_PREDICTION_SUBBAND);
  EXPECT_EQ(c.entropy_coding, CTV_ENTROPY_RLE);
  EXPECT_EQ(c.block_size, 16);
  EXPECT_EQ(c.search_range, 8);
  EXPECT_EQ(c.far_range, 0);
  EXPECT_EQ(c.key_interval, 10);
  EXPECT_EQ(c.step, 10.0);
}

TEST(Presets, NullMeansDefaultAndUnknownNamesAreRefused) {
  ctv_config a{};
  ctv_config b{};
  ASSERT_EQ(ctv_config_init(&a, nullptr), CTV_OK);
  ASSERT_EQ(ctv_config_init(&b, "default"), CTV_OK);
  EXPECT_EQ(a.scales, b.scales);
  EXPECT_EQ(a.qp, b.qp);
  EXPECT_EQ(a.struct_size, sizeof(ctv_config));
  EXPECT_EQ(ctv_config_init(&a, "quickest"), CTV_ERROR_ARGUMENT);
  EXPECT_NE(std::string(ctv_last_error()).find("quickest"), std::string::npos) << ctv_last_error();
  EXPECT_EQ(ctv_config_init(nullptr, "default"), CTV_ERROR_ARGUMENT);
}

struct OutOfRange {
  const char* field;
  std::function<void(ctv_config&)> spoil;
};

TEST(ConfigRanges, AFieldOutOfRangeIsNamed) {
  const std::vector<OutOfRange> cases = {
      {"width", [](ctv_config& c) { c.width = 0; }},
      {"width", [](ctv_config& c) { c.width = -5; }},
      {"width", [](ctv_config& c) { c.width = 65536; }},
      {"height", [](ctv_config& c) { c.height = 0; }},
      {"height", [](ctv_config& c) { c.height = 1 << 30; }},
      {"format", [](ctv_config& c) { c.format = CTV_FORMAT_NONE; }},
      {"format", [](ctv_config& c) { c.format = number<ctv_format>(CTV_FORMAT_I444_12 + 1); }},
      {"scales", [](ctv_config& c) { c.format = CTV_FORMAT_I420_12, c.scales = 5; }},
      {"mastering_primaries", [](ctv_config& c) { c.mastering_primaries[7] = 50001; }},
      {"mastering_luminance", [](ctv_config& c) { c.mastering_luminance[1] = -1; }},
      {"content_light", [](ctv_config& c) { c.content_light[0] = 65536; }},
      {"fps_num", [](ctv_config& c) { c.fps_num = 0; }},
      {"fps_den", [](ctv_config& c) { c.fps_den = -1; }},
      {"chroma", [](ctv_config& c) { c.chroma = number<ctv_chroma>(2); }},
      {"pyramid", [](ctv_config& c) { c.pyramid = number<ctv_pyramid>(2); }},
      {"pyramid", [](ctv_config& c) { c.pyramid = number<ctv_pyramid>(4); }},
      {"scales", [](ctv_config& c) { c.scales = 0; }},
      {"scales", [](ctv_config& c) { c.scales = 9; }},
      {"directions", [](ctv_config& c) { c.directions[0] = 3; }},
      {"directions", [](ctv_config& c) { c.directions[1] = 32; }},
      {"directions", [](ctv_config& c) { c.directions[1] = -2; }},
      {"directional_lifting", [](ctv_config& c) { c.directional_lifting = 2; }},
      {"prediction", [](ctv_config& c) { c.prediction = number<ctv_prediction>(2); }},
      {"entropy_coding", [](ctv_config& c) { c.entropy_coding = number<ctv_entropy_coding>(3); }},
      {"lossless", [](ctv_config& c) { c.lossless = 2; }},
      {"block_size", [](ctv_config& c) { c.block_size = 12; }},
      {"block_size", [](ctv_config& c) { c.block_size = 64; }},
      {"subpel", [](ctv_config& c) { c.subpel = 4; }},
      {"overlap", [](ctv_config& c) { c.overlap = 2; }},
      {"loop_filter", [](ctv_config& c) { c.loop_filter = 2; }},
      {"split", [](ctv_config& c) { c.split = 2; }},
      {"rdoq", [](ctv_config& c) { c.rdoq = 2; }},
      {"error_resilient", [](ctv_config& c) { c.error_resilient = 2; }},
      {"chroma_qp_offset", [](ctv_config& c) { c.chroma_qp_offset = 13; }},
      {"chroma_qp_offset", [](ctv_config& c) { c.chroma_qp_offset = -13; }},
      {"search_range", [](ctv_config& c) { c.search_range = -1; }},
      {"search_range", [](ctv_config& c) { c.search_range = 65; }},
      {"far_range", [](ctv_config& c) { c.far_range = -1; }},
      {"far_range", [](ctv_config& c) { c.far_range = 61; }},
      {"key_interval", [](ctv_config& c) { c.key_interval = -1; }},
      {"min_key_distance", [](ctv_config& c) { c.min_key_distance = -1; }},
      {"temporal_layers", [](ctv_config& c) { c.temporal_layers = 0; }},
      {"temporal_layers", [](ctv_config& c) { c.temporal_layers = 4; }},
      {"temporal_layers", [](ctv_config& c) { c.temporal_layers = 3; }},
      {"slots", [](ctv_config& c) { c.slots = 0; }},
      {"slots", [](ctv_config& c) { c.slots = 9; }},
      {"key_interval", [](ctv_config& c) { c.key_interval = (1 << 30) + 1; }},
      {"step", [](ctv_config& c) { c.qp = -1, c.step = 0; }},
      {"step", [](ctv_config& c) { c.qp = -1, c.step = 4096; }},
      {"step", [](ctv_config& c) { c.qp = -1, c.step = std::nan(""); }},
      {"qp", [](ctv_config& c) { c.qp = 52; }},
      {"qp", [](ctv_config& c) { c.qp = -2; }},
      {"crf", [](ctv_config& c) { c.crf = -0.5; }},
      {"crf", [](ctv_config& c) { c.crf = 51.5; }},
      {"crf", [](ctv_config& c) { c.crf = std::nan(""); }},
      {"crf", [](ctv_config& c) { c.crf = 26, c.lossless = 1; }},
      {"crf", [](ctv_config& c) { c.crf = 26, c.bitrate = 100000; }},
      {"tune", [](ctv_config& c) { c.tune = number<ctv_tune>(2); }},
      {"scene_cut", [](ctv_config& c) { c.scene_cut = 7; }},
      {"threads", [](ctv_config& c) { c.threads = -1; }},
      {"threads", [](ctv_config& c) { c.threads = 257; }},
      {"backend", [](ctv_config& c) { c.backend = number<ctv_backend>(3); }},
      {"engine", [](ctv_config& c) { c.engine = number<ctv_engine>(3); }},
      {"frames_in_flight", [](ctv_config& c) { c.frames_in_flight = 0; }},
      {"frames_in_flight", [](ctv_config& c) { c.frames_in_flight = 17; }},
  };
  for (const OutOfRange& out : cases) {
    Config c = valid();
    out.spoil(c);
    EXPECT_EQ(open(c), CTV_ERROR_ARGUMENT) << out.field;
    const std::string message = ctv_last_error();
    EXPECT_NE(message.find(std::string(".") + out.field), std::string::npos) << out.field << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(ConfigRanges, TheEndsOfEveryRangeAreValid) {
  const std::vector<std::function<void(ctv_config&)>> cases = {
      [](ctv_config& c) { c.width = c.height = 1; },
      [](ctv_config& c) { c.width = 4000, c.height = 1; },
      [](ctv_config& c) { c.fps_num = c.fps_den = INT32_MAX; },
      [](ctv_config& c) { c.scales = 1; },
      [](ctv_config& c) { c.scales = 8; },
      [](ctv_config& c) { c.scales = 1, c.directions[0] = 16; },
      [](ctv_config& c) { c.scales = 1, c.directions[0] = 2; },
      [](ctv_config& c) { c.block_size = 8, c.subpel = 0, c.overlap = 0; },
      [](ctv_config& c) { c.block_size = 32, c.subpel = 3, c.split = 1; },
      [](ctv_config& c) { c.split = 0; },
      [](ctv_config& c) { c.chroma_qp_offset = -12, c.qp = 0; },
      [](ctv_config& c) { c.chroma_qp_offset = 12, c.qp = 51; },
      [](ctv_config& c) { c.search_range = 0; },
      [](ctv_config& c) { c.search_range = 64; },
      [](ctv_config& c) { c.far_range = 0; },
      [](ctv_config& c) { c.far_range = 60; },
      [](ctv_config& c) { c.key_interval = 1 << 30; },
      [](ctv_config& c) { c.qp = -1, c.step = 1.0 / 16; },
      [](ctv_config& c) { c.qp = -1, c.step = 4095; },
      [](ctv_config& c) { c.qp = 0; },
      [](ctv_config& c) { c.qp = 51; },
      [](ctv_config& c) { c.tune = CTV_TUNE_PSNR, c.scales = 1, c.qp = 51; },
      [](ctv_config& c) { c.crf = 0; },
      [](ctv_config& c) { c.crf = 51; },
      [](ctv_config& c) { c.threads = 256; },
      [](ctv_config& c) { c.threads = 2, c.frames_in_flight = 16; },
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    Config c = valid();
    cases[i](c);
    const auto clip = moving_clip(c.format, c.width, c.height, 2);
    EXPECT_EQ(decode(encode(clip, c)).size(), 2U) << "case " << i << ": " << ctv_last_error();
  }
}

int32_t member_at(const void* structure, size_t offset) {
  int32_t value = 0;
  std::memcpy(&value, static_cast<const char*>(structure) + offset, sizeof value);
  return value;
}

// Every parameter of the table is refused outside its range, by its name, and comes back from the header.
TEST(Parameters, AreDescribedAsTheyAreChecked) {
  ctv_parameter_info p{};
  EXPECT_EQ(ctv_parameter_get_info(0, &p), CTV_ERROR_ARGUMENT);  // no struct_size
  p.struct_size = sizeof p;
  EXPECT_EQ(ctv_parameter_get_info(-1, &p), CTV_END);
  int count = 0;
  for (; ctv_parameter_get_info(count, &p) == CTV_OK; ++count) {
    SCOPED_TRACE(p.name);
    EXPECT_NE(std::string(p.description), "");
    std::vector<int32_t> outside;
    if (p.minimum > INT32_MIN) outside.push_back(p.minimum - 1);
    if (p.maximum < INT32_MAX) outside.push_back(p.maximum + 1);
    for (const int32_t value : outside) {
      Config c = valid();
      ctv_config& plain = c;
      std::memcpy(reinterpret_cast<char*>(&plain) + p.config_offset, &value, sizeof value);
      EXPECT_EQ(open(c), CTV_ERROR_ARGUMENT) << value;
      EXPECT_NE(std::string(ctv_last_error()).find(std::string("config.") + p.name), std::string::npos)
          << ctv_last_error();
    }
    Config c = valid();
    Encoder encoder(c);
    const auto header = encoder.header();
    ctv_stream_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(ctv_stream_info_parse(header.data, header.size, &info), CTV_OK);
    const ctv_config& plain = c;
    EXPECT_EQ(member_at(&info, p.info_offset), member_at(&plain, p.config_offset));
  }
  EXPECT_GE(count, 22);
}

// What describes the pictures comes back from the header, and does not change a packet.
TEST(Parameters, TheDescriptionOfThePicturesChangesTheHeaderAlone) {
  Config plain = valid();
  const auto clip = moving_clip(plain.format, plain.width, plain.height, 2);
  Config described = plain;
  described.aspect_width = 4;
  described.aspect_height = 65535;
  described.range = CTV_RANGE_FULL;
  described.primaries = 9;
  described.transfer = 255;
  described.matrix = 0;
  described.siting = CTV_SITING_TOP_LEFT;
  described.interlace = CTV_INTERLACE_BOTTOM_FIRST;
  const Stream a = encode(clip, plain);
  const Stream b = encode(clip, described);
  EXPECT_EQ(a.packets, b.packets);
  using Description = std::array<int, 8>;
  const auto description_of = [](const Stream& stream) -> Description {
    ctv_stream_info i{};
    i.struct_size = sizeof i;
    EXPECT_EQ(ctv_stream_info_parse(stream.header.data(), stream.header.size(), &i), CTV_OK);
    return {i.aspect_width, i.aspect_height, i.range,  i.primaries,
            i.transfer,     i.matrix,        i.siting, i.interlace};
  };
  EXPECT_EQ(description_of(a),
            (Description{0, 0, CTV_RANGE_UNSPECIFIED, 2, 2, 2, CTV_SITING_UNSPECIFIED, CTV_INTERLACE_NONE}));
  EXPECT_EQ(description_of(b), (Description{4, 65535, CTV_RANGE_FULL, 9, 255, 0, CTV_SITING_TOP_LEFT,
                                            CTV_INTERLACE_BOTTOM_FIRST}));
}

TEST(Parameters, AStreamOfVersion1IsRefusedByName) {
  const Config c = valid();
  Stream s = encode(moving_clip(c.format, c.width, c.height, 1), c);
  s.header[8] = 1;
  ctv_stream_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(ctv_stream_info_parse(s.header.data(), s.header.size(), &info), CTV_ERROR_STREAM);
  EXPECT_NE(std::string(ctv_last_error()).find("version at byte 8: 1 is outside 3..3"), std::string::npos)
      << ctv_last_error();
}

TEST(Parameters, AStreamOfAnotherVersionIsNotDamaged) {
  const Config c = valid();
  const Stream s = encode(moving_clip(c.format, c.width, c.height, 1), c);
  for (const uint8_t version : {uint8_t{2}, uint8_t{4}, uint8_t{255}}) {
    for (const size_t longer : {0, 5}) {  // its fields are unknown
      std::vector<uint8_t> header(s.header.begin(), s.header.end() - 4);
      header.insert(header.end(), longer, 7);
      header[8] = version;
      header.insert(header.end(), 4, 0);
      repair_header(header);
      ctv_stream_info info{};
      info.struct_size = sizeof info;
      EXPECT_EQ(ctv_stream_info_parse(header.data(), header.size(), &info), CTV_ERROR_UNSUPPORTED);
      const std::string words = ctv_last_error();
      EXPECT_NE(words.find("another version"), std::string::npos) << words;
      EXPECT_NE(words.find("format " + std::to_string(version)), std::string::npos) << words;
      Decoder decoder;
      ctv_decoder* handle = decoder.get();
      EXPECT_EQ(ctv_decoder_send(handle, header.data(), header.size()), CTV_ERROR_UNSUPPORTED);
    }
  }
}

TEST(Parameters, PyramidsAndFiltersThatDoNotExistAreRefusedByName) {
  const Config c = valid();
  const Stream s = encode(moving_clip(c.format, c.width, c.height, 1), c);
  constexpr size_t kPyramidAt = 33;
  const size_t taps_at = kPyramidAt + 2 + static_cast<size_t>(c.scales);
  ASSERT_EQ(s.header[kPyramidAt], CTV_PYRAMID_WAVELET_9_7);
  const auto refusal = [&](size_t at, uint8_t value) {
    auto header = s.header;
    header[at] = value;
    ctv_stream_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(ctv_stream_info_parse(header.data(), header.size(), &info), CTV_ERROR_STREAM);
    return std::string(ctv_last_error());
  };
  EXPECT_NE(refusal(kPyramidAt, 2).find("pyramid"), std::string::npos) << ctv_last_error();
  EXPECT_NE(refusal(taps_at, 6).find("filter taps"), std::string::npos) << ctv_last_error();
}

TEST(ConfigRanges, PicturePredictionsExtrasAreRefusedForSubbands) {
  Config c = valid();
  c.prediction = CTV_PREDICTION_SUBBAND;
  c.overlap = 0;
  c.rdoq = 0;
  c.subpel = 2;
  EXPECT_EQ(open(c), CTV_ERROR_ARGUMENT);
  EXPECT_NE(std::string(ctv_last_error()).find("subpel"), std::string::npos);
  c.subpel = 0;
  c.overlap = 1;
  EXPECT_EQ(open(c), CTV_ERROR_ARGUMENT);
  EXPECT_NE(std::string(ctv_last_error()).find("overlap"), std::string::npos);
  c.overlap = 0;
  c.split = 1;
  EXPECT_EQ(open(c), CTV_ERROR_ARGUMENT);
  EXPECT_NE(std::string(ctv_last_error()).find("split"), std::string::npos);
  c.split = 0;
  c.rdoq = 1;
  EXPECT_EQ(open(c), CTV_ERROR_ARGUMENT);
  EXPECT_NE(std::string(ctv_last_error()).find("rdoq"), std::string::npos);
  c.rdoq = 0;
  c.crf = 26;
  EXPECT_EQ(open(c), CTV_ERROR_ARGUMENT);
  EXPECT_NE(std::string(ctv_last_error()).find("crf"), std::string::npos);
}

TEST(ConfigRanges, QuantiserChangesAreCheckedAndLeaveTheOldOne) {
  const Frame frame = moving_frame(CTV_FORMAT_I420, 32, 16, 0);
  Config c = valid();
  c.qp = 28;
  Encoder encoder(c);
  EXPECT_EQ(ctv_encoder_set_quantiser(encoder.get(), 52, 0), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_set_quantiser(encoder.get(), -1, 0), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_set_quantiser(encoder.get(), -1, std::numeric_limits<double>::infinity()),
            CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_set_crf(encoder.get(), 52), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_set_crf(encoder.get(), std::nan("")), CTV_ERROR_ARGUMENT);
  Encoder untouched(c);
  ASSERT_TRUE(encoder.send(picture_of(frame)));
  ASSERT_TRUE(untouched.send(picture_of(frame)));
  EXPECT_EQ(encoder.receive()->step, untouched.receive()->step);
}

TEST(DecoderConfigRanges, AFieldOutOfRangeIsNamed) {
  struct Case {
    const char* field;
    std::function<void(ctv_decoder_config&)> spoil;
  };
  const std::vector<Case> cases = {
      {"reduction", [](ctv_decoder_config& c) { c.reduction = -1; }},
      {"reduction", [](ctv_decoder_config& c) { c.reduction = 9; }},
      {"format", [](ctv_decoder_config& c) { c.format = number<ctv_format>(99); }},
      {"threads", [](ctv_decoder_config& c) { c.threads = 257; }},
      {"backend", [](ctv_decoder_config& c) { c.backend = number<ctv_backend>(-1); }},
      {"engine", [](ctv_decoder_config& c) { c.engine = number<ctv_engine>(5); }},
      {"frames_in_flight", [](ctv_decoder_config& c) { c.frames_in_flight = 0; }},
      {"memory", [](ctv_decoder_config& c) { c.memory = number<ctv_memory>(2); }},
  };
  for (const Case& k : cases) {
    DecoderConfig c;
    k.spoil(c);
    ctv_decoder* decoder = nullptr;
    EXPECT_EQ(ctv_decoder_open(&c, &decoder), CTV_ERROR_ARGUMENT) << k.field;
    EXPECT_EQ(decoder, nullptr);
    EXPECT_NE(std::string(ctv_last_error()).find(std::string(".") + k.field), std::string::npos)
        << ctv_last_error();
  }
}

}  // namespace
}  // namespace ctv::test
