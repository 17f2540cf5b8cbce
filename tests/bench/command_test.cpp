// SPDX-License-Identifier: BSD-3-Clause
// Variants, command lines, peers' streams.
#include <gtest/gtest.h>

#include "bench/arguments.h"
#include "bench/coding.h"
#include "bench/peers.h"
#include "bench/rd.h"

namespace ctv::tools {
namespace {

TEST(Variant, NamesAndSettings) {
  const Variant preset = parse_variant("paper");
  EXPECT_EQ(preset.name, "paper");
  EXPECT_EQ(preset.arguments, (std::vector<std::string>{"--preset", "paper"}));
  const Variant v = parse_variant("mine:preset=default,directions=4,2,0,no-overlap,search=12");
  EXPECT_EQ(v.name, "mine");
  EXPECT_EQ(v.arguments, (std::vector<std::string>{"--preset", "default", "--directions", "4,2,0",
                                                   "--no-overlap", "--search", "12"}));
  EXPECT_THROW(parse_variant(""), Failure);
  EXPECT_THROW(parse_variant("x:"), Failure);
  EXPECT_THROW(parse_variant("x:,"), Failure);
}

TEST(Variant, BecomesAConfiguration) {
  const Variant v = parse_variant("mine:preset=default,directions=4,2,subpel=2,no-overlap");
  const EncodeOptions encode = variant_options(v, {"--keyint", "10", "--subpel", "0"}, {"--qp", "33"});
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
  options.flag("--points", "", [&] { flag = true; });
  const char* argv[] = {"test", "a", "--ours", "x", "--json", "out", "--points", "b", "--ours=y", "--", "-c"};
  const Arguments taken = take_arguments(11, argv, options, {"--ours"});
  EXPECT_EQ(taken.positional, (std::vector<std::string>{"a", "b", "-c"}));
  EXPECT_EQ(taken.repeated[0], (std::vector<std::string>{"x", "y"}));
  ASSERT_TRUE(options.parse(static_cast<int>(taken.rest.size()), taken.rest.data()));
  EXPECT_EQ(value, "out");
  EXPECT_TRUE(flag);
  const char* cut[] = {"test", "--ours"};
  EXPECT_THROW(take_arguments(2, cut, options, {"--ours"}), Failure);
}

TEST(Peers, ChosenByName) {
  EXPECT_TRUE(choose_peers("none").empty());
  EXPECT_EQ(choose_peers("mjpeg,x264-veryfast").size(), 2u);
  EXPECT_EQ(choose_peers("").front().name, "x264-ultrafast");
  EXPECT_THROW(choose_peers("x265"), Failure);
}

TEST(Peers, X264RunsAsTheComparisonSays) {
  Clip clip;
  const Peer peer = choose_peers("x264-ultrafast").front();
  EXPECT_EQ(
      shown_command(peer.encode({clip, "in.y4m", "in.yuv", "out", 28, 10})),
      "x264 --preset ultrafast --tune zerolatency --keyint 10 --no-scenecut --qp 28 --threads 1 --quiet "
      "--min-keyint 10 -o out in.y4m");
}

TEST(Peers, SupplementalInformationIsFound) {
  const std::vector<uint8_t> stream = {0, 0, 0, 1, 0x67, 9, 9,                     // sequence parameters
                                       0, 0, 1, 6, 5,    5, 5, 5,                  // 8 bytes of information
                                       0, 0, 0, 1, 0x65, 1, 2, 3, 0, 0, 1, 6, 7};  // a slice; 5 bytes
  EXPECT_EQ(sei_bytes(stream), 13u);
  EXPECT_EQ(sei_bytes({}), 0u);
  EXPECT_EQ(sei_bytes({0, 0, 1}), 0u);
}

TEST(Process, OutputAndCode) {
  const ProcessResult r = run_process({"sh", "-c", "echo one; echo two >&2; exit 3"});
  EXPECT_EQ(r.code, 3);
  EXPECT_EQ(r.last_line(), "two");
  EXPECT_THROW(run_process({"/nonexistent/program"}), Failure);
  EXPECT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("no-such-program-of-ctbench"));
}

TEST(Rd, CurvesAreComparedWithTheAnchor) {
  RdOptions options;
  options.anchor = "a";
  RdClip clip;
  for (const double factor : {1.0, 0.5}) {
    RdCurve curve;
    curve.codec = factor == 1 ? "a" : "b";
    for (int i = 0; i < 5; ++i) {
      RdPoint p;
      p.bytes = static_cast<uint64_t>(factor * 4096 * (1 << i));
      p.psnr = p.psnr_mean = {30.0 + 3 * i, 40, 40};
      p.yuv = p.yuv_mean = 32.5 + 2.25 * i;
      p.ssim = 1 - 0.1 / (1 << i);
      curve.points.push_back(p);
    }
    clip.curves.push_back(curve);
  }
  compare_with_anchor(clip, options);
  for (const auto& bd : clip.curves[0].bd) EXPECT_NEAR(bd->percent, 0, 1e-9);
  for (const auto& bd : clip.curves[1].bd) EXPECT_NEAR(bd->percent, -50, 1e-9);
  EXPECT_DOUBLE_EQ(clip.curves[1].bd[0]->to, 42);
}

TEST(Rd, PsnrOfTheTotalIsNotTheMeanOfPsnrs) {
  RdMeter meter;
  Frame source, near, far;
  source.reset({CTV_FORMAT_GRAY8, 16, 16, 25, 1});
  near = far = source;
  std::fill(near.bytes().begin(), near.bytes().end(), uint8_t{1});
  std::fill(far.bytes().begin(), far.bytes().end(), uint8_t{10});
  meter.add(source.picture(), near.picture());
  meter.add(source.picture(), far.picture());
  RdPoint point;
  meter.finish(point);
  const double peak = 20 * std::log10(255.0);
  EXPECT_NEAR(point.psnr_mean[0], peak - 10, 1e-9);
  EXPECT_NEAR(point.psnr[0], peak - 10 * std::log10(50.5), 1e-9);
}

}  // namespace
}  // namespace ctv::tools
