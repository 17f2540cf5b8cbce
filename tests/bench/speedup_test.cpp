// SPDX-License-Identifier: BSD-3-Clause
// The paper's tables: averages, ratios, the refusal to compare what is not equal; documents after their
// schemas.
#include "bench/speedup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "bench/live.h"
#include "bench/pictures.h"
#include "bench/rd.h"
#include "bench/runner.h"
#include "bench/scale.h"
#include "bench/scaler.h"
#include "bench/stages.h"
#include "bench/versus.h"
#include "schema.hpp"

namespace ctv::tools {
namespace {

SpeedupRow row(const char* clip, ctv_backend backend, ctv_engine engine, Size size, double encode,
               double decode) {
  SpeedupRow r;
  r.clip = clip;
  r.size = size;
  r.runner = {backend, engine};
  r.encode.runs = {encode, encode * 0.5, encode * 2};
  r.decode.runs = {decode};
  r.encode.stages = {{"transform", encode / 2}};
  return r;
}

/// Two clips, two sizes, CPU and CUDA; the CPU's FFT is slower.
SpeedupResult example() {
  SpeedupResult result;
  for (const char* clip : {"a", "b"}) {
    for (const Size& size : {Size{320, 240}, Size{1920, 1080}}) {
      const double more = *clip == 'b' ? 3 : 1;
      result.rows.push_back(row(clip, CTV_BACKEND_CPU, CTV_ENGINE_DIRECT, size, 100 * more, 50));
      result.rows.push_back(row(clip, CTV_BACKEND_CPU, CTV_ENGINE_FFT, size, 150 * more, 60));
      result.rows.push_back(row(clip, CTV_BACKEND_CUDA, CTV_ENGINE_DIRECT, size, 10 * more, 2));
    }
  }
  return result;
}

TEST(Speedup, ThePaperAgreesWithItself) {
  for (const PaperFigures& p : kPaper) {
    EXPECT_NEAR(p.encode_cpu / p.encode_gpu, p.encode_speedup, 0.002);
    EXPECT_NEAR(p.decode_cpu / p.decode_gpu, p.decode_speedup, 0.003);
  }
  EXPECT_EQ(paper_figures({1280, 720})->decode_gpu, 122.433);
  EXPECT_EQ(paper_figures({1, 1}), nullptr);
}

TEST(Speedup, ClipsAreAveragedAndTheFastestEngineCounts) {
  const SpeedupResult result = example();
  EXPECT_NEAR(*mean_ms(result, "cpu direct", {320, 240}, &SpeedupRow::encode), 200, 1e-12);
  EXPECT_NEAR(*speedup_of(result, {320, 240}, &SpeedupRow::encode), 10, 1e-12);
  EXPECT_NEAR(*speedup_of(result, {1920, 1080}, &SpeedupRow::decode), 25, 1e-12);
  EXPECT_FALSE(speedup_of(result, {64, 64}, &SpeedupRow::encode));
  EXPECT_FALSE(mean_ms(result, "cuda fft", {320, 240}, &SpeedupRow::encode));
}

TEST(Speedup, IsRefusedWhereBytesDiffer) {
  SpeedupResult result = example();
  const SpeedupOptions options;
  EXPECT_NE(speedup_text(options, result).find("Table II"), std::string::npos);
  result.differences.push_back("a 320x240: cpu direct and cuda direct made different bytes");
  EXPECT_FALSE(speedup_of(result, {320, 240}, &SpeedupRow::encode));
  const std::string text = speedup_text(options, result);
  EXPECT_EQ(text.find("Table II,"), std::string::npos);
  EXPECT_NE(text.find("No speedup is told"), std::string::npos);
  const Json json = speedup_json(options, result);
  EXPECT_FALSE(json["identical"].get<bool>());
  EXPECT_TRUE(json["speedup"][0]["encode"].is_null());
}

TEST(Runners, EnginesAreToldApartOnlyWhereTheTransformConvolves) {
  const auto fft_is_told = [](const char* preset) {
    ctv_config config = Config(preset);
    config.width = config.height = 64;
    const Runners runners = available_runners(config);
    const auto is_fft = [](const Runner& r) { return r.engine == CTV_ENGINE_FFT; };
    const auto misses_fft = [](const std::string& why) { return why.find("cpu fft") == 0; };
    return std::any_of(runners.list.begin(), runners.list.end(), is_fft) ||
           std::any_of(runners.missing.begin(), runners.missing.end(), misses_fft);
  };
  EXPECT_TRUE(fft_is_told("paper"));
  EXPECT_FALSE(fft_is_told("default"));
}

TEST(Scaler, FlatStaysFlatAndMeansStay) {
  Frame flat;
  flat.reset({CTV_FORMAT_I420, 33, 17, 25, 1});
  std::fill(flat.bytes().begin(), flat.bytes().end(), uint8_t{201});
  for (const Size& size : {Size{16, 9}, Size{7, 17}, Size{64, 50}, Size{33, 17}}) {
    const Frame scaled = scale_frame(flat, size.first, size.second);
    for (const uint8_t sample : scaled.bytes()) EXPECT_EQ(sample, 201);
  }
  Frame pairs;
  pairs.reset({CTV_FORMAT_GRAY8, 4, 2, 25, 1});
  pairs.bytes() = {10, 20, 30, 50, 10, 20, 30, 50};
  EXPECT_EQ(scale_frame(pairs, 2, 1).bytes(), (Samples{15, 40}));
  EXPECT_EQ(scale_frame(pairs, 8, 1).bytes(), (Samples{10, 13, 18, 23, 28, 35, 45, 50}));
}

TEST(Scaler, InterleavedSamplesStayApart) {
  Frame rgb;
  rgb.reset({CTV_FORMAT_RGB8, 2, 1, 25, 1});
  rgb.bytes() = {0, 100, 200, 10, 120, 250};
  EXPECT_EQ(scale_frame(rgb, 1, 1).bytes(), (Samples{5, 110, 225}));
}

TEST(Scaler, GreyBecomesGrey) {
  Frame yuv;
  yuv.reset({CTV_FORMAT_I420, 3, 3, 25, 1});
  std::fill(yuv.bytes().begin(), yuv.bytes().end(), uint8_t{128});
  yuv.plane(0)[0] = 16;
  yuv.plane(0)[1] = 235;
  const Frame rgb = to_rgb(yuv);
  EXPECT_EQ(rgb.video().format, CTV_FORMAT_RGB8);
  EXPECT_EQ(rgb.bytes()[0], 0);
  EXPECT_EQ(rgb.bytes()[3], 255);
  EXPECT_EQ(rgb.bytes()[4], 255);
  EXPECT_EQ(rgb.bytes()[6], rgb.bytes()[8]);
}

TEST(Schema, SpeedupAndRd) {
  expect_valid(speedup_json(SpeedupOptions(), example()));
  RdResult result;
  RdClip clip;
  RdCurve curve;
  RdPoint point;
  point.psnr = point.psnr_mean = {40, std::numeric_limits<double>::infinity(), 41};
  curve.points = {point};
  curve.bd[1] = BdRate{-5, 30, 40};
  clip.curves = {curve};
  clip.frames = 1;
  clip.video = {CTV_FORMAT_I420, 16, 16, 25, 1};
  result.clips = {clip};
  expect_valid(rd_json(RdOptions(), result));
  EXPECT_NE(rd_csv(result).find("40.0000,inf,41.0000"), std::string::npos);
}

TEST(Schema, Stages) {
  const StagesOptions options;
  expect_valid(stages_json(options, read_stages("{\"kind\":\"runner\",\"backend\":\"cpu\",\"description\":"
                                                "\"\",\"copy\":1e9,\"download\":null,\"upload\":null}\n"
                                                "{\"kind\":\"stage\",\"stage\":\"s\",\"about\":\"\","
                                                "\"backend\":\"cpu\",\"engine\":\"\",\"microseconds\":1.5,"
                                                "\"quartiles\":[1.0,2.0],\"memory_bytes\":1.0,\"upload_"
                                                "bytes\":0.0,\"download_bytes\":0.0,\"operations\":0.0,"
                                                "\"verified\":true,\"same\":true}\n")));
}

TEST(Schema, MeasuredDocuments) {
  CommonOptions common;
  common.size = {64, 48};
  common.frames = 2;
  common.runs = 1;
  common.quiet = true;
  common.run = {"--backend", "cpu"};
  expect_valid(
      scale_json(common, measure_scale(common, {{"threads", {{"1", {64, 48}, {"--threads", "1"}}}}})));
  expect_valid(latency_json(common, measure_latency(common, 100, 0.1), 100));
  expect_valid(streams_json(common, measure_streams(common, 2), 30));
  VersusOptions versus;
  versus.common = common;
  expect_valid(versus_json(versus, measure_versus(versus)));
  PicturesOptions pictures;
  pictures.common = common;
  expect_valid(pictures_json(pictures, measure_pictures(pictures)));
}

TEST(Speedup, MeasuresAndCompares) {
  SpeedupOptions options;
  options.sizes = {{64, 48}};
  options.frames = 3;
  options.runs = 2;
  options.quiet = true;
  const SpeedupResult result = measure_speedup(options);
  ASSERT_FALSE(result.rows.empty());
  EXPECT_TRUE(result.complete);
  EXPECT_TRUE(result.differences.empty());
  EXPECT_EQ(result.rows[0].encode.runs.size(), 2u);
  EXPECT_EQ(result.rows[0].decode.runs.size(), 2u);
  EXPECT_FALSE(result.rows[0].encode.stages.empty());
  EXPECT_GT(result.rows[0].bytes, 0u);
  expect_valid(speedup_json(options, result));
}

}  // namespace
}  // namespace ctv::tools
