// SPDX-License-Identifier: BSD-3-Clause
// Pictures of every format and extent go in and come back, whatever the preset; threads never change a byte.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/backends.hpp"
#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

struct NamedFormat {
  const char* name;
  ctv_format format;
};
constexpr NamedFormat kFormats[] = {
    {"gray8", CTV_FORMAT_GRAY8},     {"i420", CTV_FORMAT_I420},       {"i422", CTV_FORMAT_I422},
    {"i444", CTV_FORMAT_I444},       {"rgb8", CTV_FORMAT_RGB8},       {"rgba8", CTV_FORMAT_RGBA8},
    {"nv12", CTV_FORMAT_NV12},       {"gray12", CTV_FORMAT_GRAY12},   {"i420p10", CTV_FORMAT_I420_10},
    {"i420p12", CTV_FORMAT_I420_12}, {"i422p12", CTV_FORMAT_I422_12}, {"i444p10", CTV_FORMAT_I444_10},
    {"p010", CTV_FORMAT_P010}};
struct Size {
  int width, height;
};

using Case = std::tuple<std::string, NamedFormat, Size>;
class RoundTrip : public testing::TestWithParam<Case> {
 protected:
  std::vector<Frame> clip() const {
    const auto& [preset, format, size] = GetParam();
    return moving_clip(format.format, size.width, size.height, size.width > 200 ? 3 : 6);
  }
  Config config(int threads) const {
    Config c = config_for(clip().front(), std::get<0>(GetParam()), threads);
    c.key_interval = 4;
    return c;
  }
};

TEST_P(RoundTrip, GivesEveryPictureBackInItsFormat) {
  const auto source = clip();
  const Stream stream = encode(source, config(2));
  ASSERT_EQ(stream.packets.size(), source.size());
  const ctv_format format = std::get<1>(GetParam()).format;
  const auto decoded = decode(stream, decoder_config(2, 0, format));
  ASSERT_EQ(decoded.size(), source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    EXPECT_EQ(decoded[i].format, format);
    EXPECT_EQ(decoded[i].width, source[i].width);
    EXPECT_EQ(decoded[i].height, source[i].height);
    EXPECT_EQ(decoded[i].number, static_cast<int64_t>(i));
    EXPECT_EQ(decoded[i].key_frame, i % 4 == 0);
    if (std::get<0>(GetParam()) == "lossless") {
      EXPECT_EQ(decoded[i], source[i]) << "frame " << i;
    } else {
      EXPECT_GE(psnr(decoded[i], source[i]), 24.0) << "frame " << i;
    }
  }
}

TEST_P(RoundTrip, ThreadsAndFramesInFlightChangeNoByteAndNoSample) {
  const auto source = clip();
  const Stream one = encode(source, config(1));
  const auto pictures = decode(one, decoder_config(1));
  for (const int threads : {2, 5}) {
    if (kSanitized && threads == 2) continue;
    EXPECT_EQ(encode(source, config(threads)), one) << threads << " threads";
    EXPECT_EQ(decode(one, decoder_config(threads)), pictures) << threads << " threads";
  }
  Config pipelined = config(2);
  pipelined.frames_in_flight = 3;
  EXPECT_EQ(encode(source, pipelined), one) << "3 frames in flight";
  DecoderConfig many = decoder_config(2);
  many.frames_in_flight = 3;
  EXPECT_EQ(decode(one, many), pictures) << "3 frames in flight";
}

std::string case_name(const testing::TestParamInfo<Case>& i) {
  const auto& [preset, format, size] = i.param;
  return preset + "_" + format.name + "_" + std::to_string(size.width) + "x" + std::to_string(size.height);
}

INSTANTIATE_TEST_SUITE_P(
    All, RoundTrip,
    testing::Combine(testing::Values("paper", "default", "lossless"), testing::ValuesIn(kFormats),
                     testing::Values(Size{1, 1}, Size{17, 33}, Size{16, 16}, Size{97, 61}, Size{320, 240})),
    case_name);

TEST(RoundTripStrides, GapsBetweenRowsAndRowsFromBelowChangeNothing) {
  const Frame frame = moving_frame(CTV_FORMAT_I420, 37, 22, 0);
  const Stream expected = encode({frame}, config_for(frame, "default"));
  const auto shapes = plane_shapes(frame.format, frame.width, frame.height);
  for (const bool flipped : {false, true}) {
    ctv_picture picture = picture_of(frame);
    std::array<std::vector<uint8_t>, 3> padded;
    for (size_t p = 0; p < 3; ++p) {
      const size_t stride = shapes[p].row_bytes + 13;
      padded[p].assign(stride * shapes[p].rows, 0xee);
      for (size_t r = 0; r < shapes[p].rows; ++r) {
        const size_t row = flipped ? shapes[p].rows - 1 - r : r;
        std::copy_n(frame.planes[p].data() + r * shapes[p].row_bytes, shapes[p].row_bytes,
                    padded[p].data() + row * stride);
      }
      picture.data[p] = padded[p].data() + (flipped ? (shapes[p].rows - 1) * stride : 0);
      picture.stride[p] = flipped ? -static_cast<ptrdiff_t>(stride) : static_cast<ptrdiff_t>(stride);
    }
    Encoder encoder(config_for(frame, "default"));
    ASSERT_TRUE(encoder.send(picture));
    const auto unit = encoder.receive();
    ASSERT_TRUE(unit.has_value());
    EXPECT_EQ(Bytes(unit->bytes().begin(), unit->bytes().end()), expected.packets[0])
        << "flipped " << flipped;
  }
}

TEST(RoundTripFormats, AStreamDecodesIntoEveryFormatOfItsFamily) {
  const auto rgb = moving_clip(CTV_FORMAT_RGB8, 33, 18, 3);
  const Stream stream = encode(rgb, config_for(rgb[0], "lossless"));
  const auto as_rgba = decode(stream, decoder_config(2, 0, CTV_FORMAT_RGBA8));
  for (size_t i = 0; i < rgb.size(); ++i) {
    for (size_t s = 0; s < size_t{33} * 18; ++s) {
      ASSERT_EQ(as_rgba[i].planes[0][4 * s], rgb[i].planes[0][3 * s]);
      ASSERT_EQ(as_rgba[i].planes[0][4 * s + 3], 255);
    }
  }
  const auto planar = moving_clip(CTV_FORMAT_I420, 33, 18, 3);
  const auto as_nv12 =
      decode(encode(planar, config_for(planar[0], "lossless")), decoder_config(2, 0, CTV_FORMAT_NV12));
  for (size_t i = 0; i < planar.size(); ++i) {
    ASSERT_EQ(as_nv12[i].planes[0], planar[i].planes[0]);
    for (size_t s = 0; s < planar[i].planes[1].size(); ++s) {
      ASSERT_EQ(as_nv12[i].planes[1][2 * s], planar[i].planes[1][s]);
      ASSERT_EQ(as_nv12[i].planes[1][2 * s + 1], planar[i].planes[2][s]);
    }
  }
}

TEST(RoundTripFormats, SamplesOfMoreBitsAreRounded) {
  const auto deep = moving_clip(CTV_FORMAT_I420_10, 33, 18, 3);
  const Stream stream = encode(deep, config_for(deep[0], "lossless"));
  const auto as_p010 = decode(stream, decoder_config(2, 0, CTV_FORMAT_P010));
  const auto as_i420 = decode(stream, decoder_config(2, 0, CTV_FORMAT_I420));
  for (size_t i = 0; i < deep.size(); ++i) {
    const auto word = [](const Frame& f, size_t p, size_t s) {
      return f.planes[p][2 * s] | f.planes[p][2 * s + 1] << 8;
    };
    for (size_t s = 0; s < as_i420[i].planes[0].size(); ++s) {
      ASSERT_EQ(word(as_p010[i], 0, s), word(deep[i], 0, s) << 6);
      ASSERT_EQ(as_i420[i].planes[0][s], std::min((word(deep[i], 0, s) + 2) >> 2, 255));
    }
    for (size_t s = 0; s < as_i420[i].planes[1].size(); ++s) {
      ASSERT_EQ(word(as_p010[i], 1, 2 * s), word(deep[i], 1, s) << 6);
      ASSERT_EQ(word(as_p010[i], 1, 2 * s + 1), word(deep[i], 2, s) << 6);
      ASSERT_EQ(as_i420[i].planes[2][s], std::min((word(deep[i], 2, s) + 2) >> 2, 255));
    }
  }
  EXPECT_THROW(decode(stream, decoder_config(2, 0, CTV_FORMAT_I420_12)), Error);
}

TEST(RoundTripFormats, LargerValuesThanTheBitsAllowAreLimited) {
  std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420_10, 20, 10, 2);
  std::vector<Frame> limited = clip;
  for (size_t i = 1; i < clip[1].planes[0].size(); i += 6) {
    clip[1].planes[0][i] = 0x7f;
    limited[1].planes[0][i - 1] = 0xff;
    limited[1].planes[0][i] = 3;
  }
  EXPECT_EQ(decode(encode(clip, config_for(clip[0], "lossless"))), limited);
}

// A flat step in the low bits, and peaks: both come back at a fine step.
TEST(RoundTripFormats, FineStepsKeepLowBitsAndPeaks) {
  for (const ctv_format format : {CTV_FORMAT_GRAY10, CTV_FORMAT_GRAY12}) {
    const int most = (1 << bits_of(format)) - 1;
    Frame frame = make_frame(format, 64, 48);
    for (size_t i = 0; i < frame.planes[0].size(); i += 2) {
      const size_t x = i / 2 % 64;
      const int sample = x < 16 ? 0 : x < 32 ? most : x < 48 ? most / 2 : most / 2 + 1;
      frame.planes[0][i] = static_cast<uint8_t>(sample);
      frame.planes[0][i + 1] = static_cast<uint8_t>(sample >> 8);
    }
    const std::vector<Frame> clip(3, frame);
    Config c = config_for(frame, "default");
    c.qp = -1;
    c.step = 1.0 / 16;
    for (const Frame& decoded : decode(encode(clip, c))) EXPECT_GE(psnr(decoded, frame), 64) << format;
  }
}

TEST(RoundTripHeader, HighDynamicRangeIsInIt) {
  const Frame frame = moving_frame(CTV_FORMAT_I420_10, 16, 16, 0);
  Config c = config_for(frame, "default");
  const auto info_of = [&] {
    const Stream stream = encode({frame}, c);
    ctv_stream_info info;
    ctv_stream_info_init(&info);
    EXPECT_EQ(ctv_stream_info_parse(stream.header.data(), stream.header.size(), &info), CTV_OK);
    EXPECT_EQ(decode(stream).size(), 1U);
    return info;
  };
  const size_t plain = encode({frame}, c).header.size();
  EXPECT_EQ(info_of().bits, 10);
  EXPECT_EQ(info_of().format, CTV_FORMAT_I420_10);
  const int32_t primaries[] = {35400, 14600, 8500, 39850, 6550, 2300, 15635, 16450};
  std::copy(std::begin(primaries), std::end(primaries), c.mastering_primaries);
  c.mastering_luminance[0] = 10000000;
  c.mastering_luminance[1] = 1;
  EXPECT_EQ(encode({frame}, c).header.size(), plain + 24);
  c.content_light[0] = 1000;
  c.content_light[1] = 400;
  EXPECT_EQ(encode({frame}, c).header.size(), plain + 28);
  const ctv_stream_info info = info_of();
  EXPECT_TRUE(std::equal(std::begin(primaries), std::end(primaries), info.mastering_primaries));
  EXPECT_EQ(info.mastering_luminance[0], 10000000);
  EXPECT_EQ(info.mastering_luminance[1], 1);
  EXPECT_EQ(info.content_light[0], 1000);
  EXPECT_EQ(info.content_light[1], 400);
  for (const auto& [member, value] : {std::pair{&c.mastering_primaries[3], 50001},
                                      {&c.mastering_luminance[1], -1},
                                      {&c.content_light[0], 65536}}) {
    const int32_t before = *member;
    *member = value;
    EXPECT_THROW(encode({frame}, c), Error) << value;
    *member = before;
  }
}

// Beyond, sums of the 9/7 may exceed 16 bits.
TEST(RoundTripHeader, TwelveBitsHaveFourScalesOfThe97) {
  const Frame frame = moving_frame(CTV_FORMAT_GRAY12, 64, 64, 0);
  Config c = config_for(frame, "default");
  EXPECT_EQ(decode(encode({frame}, c)).size(), 1U);
  c.scales = 5;
  EXPECT_THROW(encode({frame}, c), Error);
  c.pyramid = CTV_PYRAMID_WAVELET_5_3;
  EXPECT_EQ(decode(encode({frame}, c)).size(), 1U);
}

TEST(RoundTripNoise, TheWorstPicturesComeBackLossless) {
  for (const ctv_format format :
       {CTV_FORMAT_I420, CTV_FORMAT_RGB8, CTV_FORMAT_I420_10, CTV_FORMAT_I444_12, CTV_FORMAT_GRAY12}) {
    std::vector<Frame> clip;
    for (uint64_t i = 0; i < 4; ++i) clip.push_back(noise_frame(format, 50, 34, i));
    EXPECT_EQ(decode(encode(clip, config_for(clip[0], "lossless"))), clip);
  }
}

// Every parameter that shapes the stream, lossless: nothing but equality will do.
TEST(RoundTripParameters, EveryTransformAndPredictionIsReversible) {
  for (const ctv_pyramid pyramid :
       {CTV_PYRAMID_LAPLACIAN, CTV_PYRAMID_WAVELET_5_3, CTV_PYRAMID_WAVELET_9_7}) {
    for (const int directions : {0, 2, 4, 8, 16}) {
      // Each combination with 8 bits, and one in two with 10 or 12.
      const ctv_format deep = directions == 0 || directions == 8 ? CTV_FORMAT_I420_12 : CTV_FORMAT_I420_10;
      for (const auto& [prediction, format] :
           {std::pair{CTV_PREDICTION_SUBBAND, CTV_FORMAT_I420},
            {CTV_PREDICTION_PICTURE, CTV_FORMAT_I420},
            {directions == 4 ? CTV_PREDICTION_SUBBAND : CTV_PREDICTION_PICTURE, deep}}) {
        const auto clip = moving_clip(format, 45, 38, 4);
        Config c = config_for(clip[0], "lossless");
        c.pyramid = pyramid;
        c.scales = 2;
        c.directions[0] = directions;
        c.directions[1] = directions / 2 == 1 ? 0 : directions / 2;
        c.prediction = prediction;
        c.subpel = prediction == CTV_PREDICTION_PICTURE ? 2 : 0;
        c.overlap = prediction == CTV_PREDICTION_PICTURE ? 1 : 0;
        c.split = c.overlap;
        c.rdoq = c.overlap;
        c.entropy_coding = CTV_ENTROPY_RLE;
        EXPECT_EQ(decode(encode(clip, c)), clip) << "pyramid " << pyramid << " directions " << directions
                                                 << " prediction " << prediction << " format " << format;
      }
    }
  }
}

TEST(RoundTripParameters, EveryBlockSizeAndVectorPrecisionIsReversible) {
  const auto clip = moving_clip(CTV_FORMAT_GRAY8, 70, 41, 4);
  for (const int block : {8, 16, 32}) {
    for (const int subpel : {0, 1, 2, 3}) {
      for (const int extras : {0, 1, 2, 3}) {
        Config c = config_for(clip[0], "lossless");
        c.block_size = block;
        c.subpel = subpel;
        c.overlap = extras % 2;
        c.split = extras / 2;
        EXPECT_EQ(decode(encode(clip, c)), clip) << block << " " << subpel << " " << extras;
      }
    }
  }
}

}  // namespace
}  // namespace ctv::test
