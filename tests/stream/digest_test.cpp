// SPDX-License-Identifier: BSD-3-Clause
// The format does not change by accident. Every case encodes a generated clip and compares two digests with
// the recorded ones: of the sequence header, and of the decoded pictures at full and half resolution
// (at_reduction()). Decoded pictures depend on every decision of the encoder. A change of the format prints
// the new table:
//   CTV_PRINT_DIGESTS=1 ctv_stream_tests --gtest_filter='Digests.*'
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

struct Digests {
  uint64_t header, pictures;
};

const std::map<std::string, Digests>& recorded() {
  static const std::map<std::string, Digests> digests = {
#include "tests/stream/digests.inc"
  };
  return digests;
}

uint64_t combine(uint64_t a, uint64_t b) { return (a ^ b) * 0x100000001b3ULL; }
uint64_t digest_of(const Bytes& bytes) {
  uint64_t h = 0xcbf29ce484222325ULL;
  for (const uint8_t b : bytes) h = combine(h, b);
  return h;
}

void expect_recorded(const std::string& name, const Digests& digests) {
  if (std::getenv("CTV_PRINT_DIGESTS") != nullptr) {
    std::printf("{\"%s\", {0x%016" PRIx64 "ULL, 0x%016" PRIx64 "ULL}},\n", name.c_str(), digests.header,
                digests.pictures);
    return;
  }
  const auto at = recorded().find(name);
  ASSERT_NE(at, recorded().end()) << name << " has no recorded digests";
  EXPECT_EQ(at->second.header, digests.header) << "header of " << name;
  EXPECT_EQ(at->second.pictures, digests.pictures) << "pictures of " << name;
}

void check(const std::string& name, const std::vector<Frame>& clip, const ctv_config& config) {
  const Stream stream = encode(clip, config);
  uint64_t pictures = digest_of({});
  for (const int reduction : {0, 1}) {
    for (const Frame& frame : decode(at_reduction(stream, reduction), decoder_config(2, reduction))) {
      pictures = combine(combine(pictures, digest(frame)), frame.key_frame ? 1 : 0);
    }
  }
  expect_recorded(name, {digest_of(stream.header), pictures});
}

struct Source {
  const char* name;
  ctv_format format;
  int width, height;
};
constexpr Source kSources[] = {
    {"i420_64x48", CTV_FORMAT_I420, 64, 48},       {"i420_67x45", CTV_FORMAT_I420, 67, 45},
    {"rgb_33x21", CTV_FORMAT_RGB8, 33, 21},        {"i422_50x38", CTV_FORMAT_I422, 50, 38},
    {"gray_1x1", CTV_FORMAT_GRAY8, 1, 1},          {"i420p10_67x45", CTV_FORMAT_I420_10, 67, 45},
    {"i422p12_50x38", CTV_FORMAT_I422_12, 50, 38}, {"gray12_33x21", CTV_FORMAT_GRAY12, 33, 21}};

TEST(Digests, OfEveryPresetAndFormat) {
  for (const Source& source : kSources) {
    const auto clip = moving_clip(source.format, source.width, source.height, 5);
    for (const char* preset : {"default", "fast", "fastest", "slow", "paper", "lossless"}) {
      Config c = config_for(clip[0], preset);
      c.key_interval = 4;
      check(std::string(preset) + "_" + source.name, clip, c);
    }
  }
}

TEST(Digests, OfEveryPyramidDirectionEngineAndEntropyCoding) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 67, 45, 4);
  for (const char* preset : {"default", "paper"}) {
    for (const ctv_pyramid pyramid :
         {CTV_PYRAMID_LAPLACIAN, CTV_PYRAMID_WAVELET_5_3, CTV_PYRAMID_WAVELET_9_7}) {
      for (const int directions : {0, 2, 4, 8, 16}) {
        Config c = config_for(clip[0], preset);
        c.pyramid = pyramid;
        c.scales = 2;
        c.directions[0] = directions;
        c.directions[1] = directions / 2 < 2 ? 0 : directions / 2;
        check(std::string(preset) + "_pyramid" + std::to_string(pyramid) + "_" + std::to_string(directions),
              clip, c);
      }
    }
    for (int coding = 0; coding <= CTV_ENTROPY_TILES; ++coding) {
      Config c = config_for(clip[0], preset);
      c.entropy_coding = static_cast<ctv_entropy_coding>(coding);
      check(std::string(preset) + "_entropy" + std::to_string(coding), clip, c);
    }
  }
}

TEST(Digests, OfEveryMotionAndEveryDecision) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 80, 56, 5);
  for (const int block : {8, 16, 32}) {
    for (int subpel = 0; subpel <= 3; ++subpel) {
      for (const bool split : {false, true}) {
        Config c = config_for(clip[0], "default");
        c.block_size = block;
        c.subpel = subpel;
        c.split = split;
        c.overlap = !split || subpel == 3;
        check("block" + std::to_string(block) + "_subpel" + std::to_string(subpel) + (split ? "_split" : ""),
              clip, c);
      }
    }
  }
  const std::map<std::string, void (*)(ctv_config&)> changes = {
      {"crf", [](ctv_config& c) { c.crf = 24; }},
      {"bitrate", [](ctv_config& c) { c.bitrate = 60000; }},
      {"max_frame", [](ctv_config& c) { c.max_frame_bytes = 700; }},
      {"psnr", [](ctv_config& c) { c.tune = CTV_TUNE_PSNR; }},
      {"chroma_qp_offset", [](ctv_config& c) { c.chroma_qp_offset = 3; }},
      {"no_loop_filter", [](ctv_config& c) { c.loop_filter = 0; }},
      {"no_rdoq", [](ctv_config& c) { c.rdoq = 0; }},
      {"qp10", [](ctv_config& c) { c.qp = 10; }},
      {"qp44", [](ctv_config& c) { c.qp = 44; }},
      {"in_flight", [](ctv_config& c) { c.frames_in_flight = 4, c.threads = 3; }}};
  for (const auto& [name, change] : changes) {
    Config c = config_for(clip[0], "default");
    change(c);
    check(name, clip, c);
    if (name.starts_with("qp") || name == "crf") {
      for (const auto& [depth, format] :
           {std::pair{"_10", CTV_FORMAT_I420_10}, {"_12", CTV_FORMAT_I444_12}}) {
        c.format = format;
        check(name + depth, moving_clip(format, 80, 56, 5), c);
      }
    }
  }
}

}  // namespace
}  // namespace ctv::test
