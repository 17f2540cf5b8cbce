// SPDX-License-Identifier: BSD-3-Clause
// What measurements are made with: variants, command lines, other codecs' streams, the search for equal
// quality, scaled clips.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/judges.h"
#include "bench/measurement.h"
#include "bench/peers.h"
#include "bench/statistics.h"

namespace ctv::tools {
namespace {

TEST(Variant, NamesAndSettings) {
  const Variant preset = parse_variant("paper");
  EXPECT_EQ(preset.name, "paper");
  EXPECT_EQ(preset.arguments, (std::vector<std::string>{"--preset", "paper"}));
  const Variant v =
      parse_variant("mine:preset=default,directions=4,2,0,overlap=0,search_range=12,no-scenecut");
  EXPECT_EQ(v.name, "mine");
  EXPECT_EQ(v.arguments,
            (std::vector<std::string>{"--preset", "default", "--set", "directions=4,2,0", "--set",
                                      "overlap=0", "--set", "search_range=12", "--no-scenecut"}));
  EXPECT_THROW(parse_variant(""), Failure);
  EXPECT_THROW(parse_variant("x:"), Failure);
  EXPECT_THROW(parse_variant("x:,"), Failure);
}

TEST(Variant, BecomesAConfiguration) {
  const Variant v = parse_variant("mine:preset=default,directions=4,2,subpel=2,overlap=0");
  const EncodeOptions encode = variant_options(v, {"--keyint", "10", "--set", "subpel=0"}, {"--qp", "33"});
  const ctv_config config = make_config(encode, {CTV_FORMAT_I420, 64, 48, 25, 1});
  EXPECT_EQ(config.directions[0], 4);
  EXPECT_EQ(config.directions[1], 2);
  EXPECT_EQ(config.directions[2], 0);
  EXPECT_EQ(config.subpel, 2) << "the variant's own options win over the defaults before it";
  EXPECT_EQ(config.overlap, 0);
  EXPECT_EQ(config.key_interval, 10);
  EXPECT_EQ(config.qp, 33);
  EXPECT_EQ(config.width, 64);
  EXPECT_THROW(variant_options(parse_variant("x:nonsense=3"), {}, {}), Failure);
  EXPECT_THROW(variant_options(parse_variant("nonsense"), {}, {}), Failure);
}

TEST(Arguments, PositionalAndRepeated) {
  ToolText about;
  about.name = "test";
  Options options(about);
  std::string value;
  bool flag = false;
  options.value("-j,--json", "FILE", "", [&](const std::string& s) { value = s; });
  options.value("--ours", "V", "", [](const std::string&) {});
  options.flag("--flag", "", [&] { flag = true; });
  const char* argv[] = {"test", "a", "--ours", "x", "--json", "out", "--flag", "b", "--ours=y", "--", "-c"};
  std::vector<std::string> ours;
  const Arguments taken = take_arguments(11, argv, options, {{"--ours", &ours}});
  EXPECT_EQ(taken.positional, (std::vector<std::string>{"a", "b", "-c"}));
  EXPECT_EQ(ours, (std::vector<std::string>{"x", "y"}));
  ASSERT_TRUE(options.parse(static_cast<int>(taken.rest.size()), taken.rest.data()));
  EXPECT_EQ(value, "out");
  EXPECT_TRUE(flag);
  const char* cut[] = {"test", "--ours"};
  EXPECT_THROW(take_arguments(2, cut, options, {{"--ours", &ours}}), Failure);
}

TEST(Peers, ChosenByName) {
  EXPECT_TRUE(choose_peers("none").empty());
  EXPECT_EQ(choose_peers("mjpeg,x264-veryfast").size(), 2u);
  EXPECT_EQ(choose_peers("").front().name, "x264-ultrafast");
  EXPECT_THROW(choose_peers("x265"), Failure);
}

TEST(Timing, ADifferenceBelowTheNoiseIsNoTime) {
  EXPECT_EQ(timing_json({2, 1, 3})["ms_per_frame"], 2.0);
  EXPECT_TRUE(timing_json({-1, 1, -2})["ms_per_frame"].is_null());
  EXPECT_TRUE(timing_json({0})["ms_per_frame"].is_null());
}

TEST(Peers, RunAsTheComparisonSays) {
  Clip clip;
  clip.frames.resize(1);
  clip.video = {CTV_FORMAT_I420, 64, 48, 25, 1};
  clip.frames[0].reset(clip.video);
  const PeerClip files(clip, 10);
  const std::vector<std::string> x264 = files.command(choose_peers("x264-ultrafast").front(), 28, 1);
  EXPECT_TRUE(
      shown_command(x264).starts_with("x264 --preset ultrafast --tune zerolatency --keyint 10 --no-scenecut "
                                      "--qp 28 --threads 1 --quiet -o /"));
  const std::string mjpeg = shown_command(files.command(choose_peers("mjpeg").front(), 5, 1));
  EXPECT_NE(mjpeg.find(" -pix_fmt yuvj420p -s 64x48 -r 25/1 -i /"), std::string::npos) << mjpeg;
  EXPECT_EQ(mjpeg.find('{'), std::string::npos) << mjpeg;
}

TEST(Peers, SupplementalInformationIsFound) {
  const std::vector<uint8_t> stream = {0, 0, 0, 1, 0x67, 9, 9,                     // sequence parameters
                                       0, 0, 1, 6, 5,    5, 5, 5,                  // 8 bytes of information
                                       0, 0, 0, 1, 0x65, 1, 2, 3, 0, 0, 1, 6, 7};  // a slice; 5 bytes
  EXPECT_EQ(sei_bytes(stream), 13u);
  EXPECT_EQ(sei_bytes({}), 0u);
  EXPECT_EQ(sei_bytes({0, 0, 1}), 0u);
}

TEST(Peers, BytesOfPicturesIncludeWhatIsBeforeTheirSlices) {
  const std::vector<uint8_t> stream = {0, 0, 0, 1,    0x67, 9, 0, 0, 1, 0x65, 1, 2,  // parameters and a slice
                                       0, 0, 1, 0x41, 5,                             // a slice
                                       0, 0, 0, 1,    6,    7, 0, 0, 1, 0x41, 8};  // information and a slice
  EXPECT_EQ(picture_bytes(stream), (std::vector<uint64_t>{12, 5, 11}));
}

TEST(Peers, OnlyThoseWithARateAreRunAtBitrates) {
  const Peer peer = at_bitrates(choose_peers("x264-veryfast")[0]);
  EXPECT_EQ(peer.setting, "kb/s");
  EXPECT_NE(peer.command.find("--vbv-bufsize {setting}"), std::string::npos);
  EXPECT_EQ(peer.command.find("--qp"), std::string::npos);
  EXPECT_THROW(at_bitrates(choose_peers("mjpeg")[0]), Failure);
}

TEST(SecondHalf, CountsNothingOfTheFirst) {
  EXPECT_EQ(SecondHalf::bytes({1, 2, 4, 8, 16}), 28U);
  Clip clip;
  clip.video = {CTV_FORMAT_GRAY8, 16, 16, 25, 1};
  Frame frame;
  frame.reset(clip.video);
  clip.frames.assign(50, frame);
  const Judges judges;
  SecondHalf half(judges, clip);
  for (size_t i = 0; i < clip.frames.size(); ++i) {
    Frame decoded = frame;
    std::fill(decoded.bytes().begin(), decoded.bytes().end(), uint8_t(i < 25 ? 200 : 10));
    half.see(i, decoded.picture());
  }
  const Json json = half.json(std::vector<uint64_t>(50, 100));
  EXPECT_EQ(json["bytes"], 2500);
  EXPECT_NEAR(json["kilobits_per_second"].get<double>(), 20, 1e-9);
  EXPECT_NEAR(json["psnr"]["y"].get<double>(), 20 * std::log10(25.5), 1e-9);
}

TEST(Process, OutputAndCode) {
  const ProcessResult r = run_process({"sh", "-c", "echo one; echo two >&2; exit 3"});
  EXPECT_EQ(r.code, 3);
  EXPECT_EQ(r.last_line(), "two");
  EXPECT_EQ(run_process({"/nonexistent/program"}).code, 127);
  EXPECT_EQ(run_process({"echo", "it's", "$HOME"}).last_line(), "it's $HOME");
  EXPECT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("no-such-program-of-ctbench"));
}

TEST(Meter, PsnrIsThatOfTheTotal) {
  Meter meter;
  Frame source, near, far;
  source.reset({CTV_FORMAT_GRAY8, 16, 16, 25, 1});
  near = far = source;
  std::fill(near.bytes().begin(), near.bytes().end(), uint8_t{1});
  std::fill(far.bytes().begin(), far.bytes().end(), uint8_t{10});
  meter.add(source.picture(), near.picture());
  meter.add(source.picture(), far.picture());
  const double peak = 20 * std::log10(255.0);
  EXPECT_NEAR(meter.decibels(), peak - 10 * std::log10(50.5), 1e-9) << "and not the mean of PSNRs";
  EXPECT_EQ(meter.json()["psnr"]["y"].get<double>(), meter.decibels());
}

TEST(Meter, ChannelsHaveTheirNames) {
  Frame frame;
  frame.reset({CTV_FORMAT_RGB8, 16, 16, 25, 1});
  Meter meter;
  meter.add(frame.picture(), frame.picture());
  const Json decibels = meter.json()["psnr"];
  EXPECT_FALSE(decibels.contains("y"));
  for (const char* name : {"r", "g", "b", "weighted"}) EXPECT_TRUE(decibels.contains(name)) << name;
}

TEST(Match, FindsABitrateByBytes) {
  const auto bytes_at = [](double bitrate) { return static_cast<uint64_t>(100 * bitrate + 5000); };
  for (const double wanted : {180.0, 600.0, 2000.0}) {
    const double found = match_bitrate(600, bytes_at(wanted), bytes_at);
    EXPECT_NEAR(static_cast<double>(bytes_at(found)) / static_cast<double>(bytes_at(wanted)), 1, 0.023);
  }
}

TEST(Match, FindsTheNearestSettingAndTheSlope) {
  int calls = 0;
  const auto measure = [&](double qp) {  // a dB a step, a tenth more bytes each dB
    ++calls;
    return Yield{60 - qp, static_cast<uint64_t>(1e6 * std::exp(-0.1 * qp))};
  };
  const Match match = match_quality(51, 40.3, measure);
  EXPECT_EQ(match.setting, 20);
  EXPECT_DOUBLE_EQ(match.yield.decibels, 40);
  EXPECT_NEAR(match.bytes_per_decibel, 0.1, 1e-4);
  EXPECT_TRUE(match.reached());
  EXPECT_NEAR(match.bytes_at(41), 1e6 * std::exp(-1.9), 100);
  EXPECT_LE(calls, 8);
}

TEST(Match, OutOfReachEndsAtTheEnd) {
  const auto measure = [](double qp) { return Yield{60 - qp, 1000}; };
  const Match low = match_quality(51, 5, measure);
  EXPECT_EQ(low.setting, 51);
  EXPECT_FALSE(low.reached());
  EXPECT_EQ(low.bytes_at(5), 1000) << "nothing is known beyond the end";
  EXPECT_EQ(match_quality(51, 80, measure).setting, 1);
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

TEST(Statistics, MedianQuantile) {
  EXPECT_DOUBLE_EQ(median({}), 0);
  EXPECT_DOUBLE_EQ(median({5}), 5);
  EXPECT_DOUBLE_EQ(median({9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(median({1, 2, 3, 100}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2}, 1), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2}, 0), 1);
}

TEST(Runners, EnginesAreToldApartOnlyWhereTheTransformConvolves) {
  if (ctv_device_count() <= 0) GTEST_SKIP() << "one engine without a device";
  const auto told = [](const char* preset) {
    ctv_config config = Config(preset);
    config.width = config.height = 64;
    size_t missing = 0;
    return available_runners(config, [&](const std::string&) { ++missing; }).size() + missing;
  };
  EXPECT_GT(told("paper"), told("default"));
}

TEST(Pictures, Base64) {
  EXPECT_EQ(base64({}), "");
  EXPECT_EQ(base64({'f'}), "Zg==");
  EXPECT_EQ(base64({'f', 'o'}), "Zm8=");
  EXPECT_EQ(base64({'f', 'o', 'o'}), "Zm9v");
  EXPECT_EQ(base64({0xff, 0xfe, 0xfd, 0x00}), "//79AA==");
}

TEST(Pictures, TheMiddleIsTheMiddle) {
  Frame rgb;
  rgb.reset({CTV_FORMAT_RGB8, 5, 3, 25, 1});
  for (size_t i = 0; i < rgb.bytes().size(); ++i) rgb.bytes()[i] = static_cast<uint8_t>(i);
  EXPECT_EQ(middle_of(rgb, 1, 1).bytes(), (Samples{21, 22, 23}));
  EXPECT_EQ(middle_of(rgb, 99, 99).bytes(), rgb.bytes());
}

}  // namespace
}  // namespace ctv::tools
