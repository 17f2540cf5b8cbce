// SPDX-License-Identifier: BSD-3-Clause
// The synthetic clip is the same everywhere: its digests are written down. They change only with the
// generator.
#include <gtest/gtest.h>

#include "io/clip_generator.h"
#include "io/cloth_clip.h"
#include "io/frame_writer.h"

namespace ctv::tools {
namespace {

std::string digest(const std::string& spec, ctv_format format = CTV_FORMAT_I420, int64_t skip = 0) {
  ClipSpec clip = parse_clip(spec);
  clip.video.format = format;
  GeneratedClip generator(clip);
  generator.skip(skip);
  PictureMd5 md5;
  Frame frame;
  while (generator.read(frame)) md5.add(frame.picture());
  return md5.finish();
}

TEST(GeneratedClip, GoldenDigests) {
  EXPECT_EQ(digest("64x48@25:4"), "336742effe489c8f374d679fda57f36a");
  EXPECT_EQ(digest("33x17@25:3:9", CTV_FORMAT_RGB8), "6a5a52eec70a57dbd4d50062fbdd84d2");
  EXPECT_EQ(digest("1x1@25:80"), "eca7557837808007619392055cb9e68a");
}

TEST(GeneratedClip, AFrameDoesNotDependOnTheOnesBefore) {
  EXPECT_EQ(digest("40x30@25:77", CTV_FORMAT_I444, 74), [] {
    GeneratedClip generator([] {
      ClipSpec clip = parse_clip("40x30@25:77");
      clip.video.format = CTV_FORMAT_I444;
      return clip;
    }());
    PictureMd5 md5;
    Frame frame;
    for (int i = 0; generator.read(frame); ++i)
      if (i >= 74) md5.add(frame.picture());
    return md5.finish();
  }());
}

TEST(GeneratedClip, EveryFormatAndSize) {
  for (const ctv_format format : {CTV_FORMAT_GRAY8, CTV_FORMAT_I420, CTV_FORMAT_I422, CTV_FORMAT_I444,
                                  CTV_FORMAT_RGB8, CTV_FORMAT_RGBA8, CTV_FORMAT_NV12}) {
    for (const char* spec : {"1x1@25:2", "2x1@25:2", "1x7@25:2", "17x9@25:2", "300x20@25:1"})
      EXPECT_EQ(digest(spec, format), digest(spec, format));
  }
  EXPECT_NE(digest("16x16@25:1:1"), digest("16x16@25:1:2"));
}

TEST(ClothClip, GoldenDigestAndFramesOfTheirOwn) {
  const auto digest_from = [](const char* spec, int64_t first) {
    ClothClip clip(parse_clip(spec));
    clip.skip(first);
    PictureMd5 md5;
    Frame frame;
    while (clip.read(frame)) md5.add(frame.picture());
    return md5.finish();
  };
  EXPECT_EQ(digest_from("97x61@25:3", 0), "a5e7a0aacaaf2053e600064d7fb78f15");
  EXPECT_NE(digest_from("97x61@25:3", 2), digest_from("97x61@25:2", 1)) << "it moves";
  EXPECT_NE(digest_from("1x1@25:1", 0), digest_from("65535x1@25:1", 0)) << "extreme extents are drawn";
}

TEST(Md5, Rfc1321) {
  const auto md5 = [](const std::string& s) {
    Md5 m;
    for (const char c : s) {
      const auto byte = static_cast<uint8_t>(c);
      m.add({&byte, 1});
    }
    Md5 whole;
    whole.add({reinterpret_cast<const uint8_t*>(s.data()), s.size()});
    const std::string digest = whole.finish();
    EXPECT_EQ(m.finish(), digest);
    return digest;
  };
  EXPECT_EQ(md5(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

}  // namespace
}  // namespace ctv::tools
