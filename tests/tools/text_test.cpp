// SPDX-License-Identifier: BSD-3-Clause
// What people type: sizes, rates, byte counts, lists, name patterns, clips.
#include <gtest/gtest.h>

#include "cli/exit.h"
#include "cli/text.h"
#include "io/clip_generator.h"
#include "io/frame_writer.h"
#include "io/pattern.h"

namespace ctv::tools {
namespace {

using Pair = std::pair<int32_t, int32_t>;

TEST(Text, Sizes) {
  EXPECT_EQ(parse_size("1280x720"), Pair(1280, 720));
  EXPECT_EQ(parse_size("1X65535"), Pair(1, 65535));
  for (const char* bad : {"", "x", "12", "12x", "x12", "0x5", "5x0", "65536x1", "-1x5", "1x2x3", " 1x2",
                          "1x2 ", "1.5x2", "+1x2"})
    EXPECT_FALSE(parse_size(bad)) << bad;
}

TEST(Text, Rates) {
  EXPECT_EQ(parse_rate("25"), Pair(25, 1));
  EXPECT_EQ(parse_rate("30000/1001"), Pair(30000, 1001));
  EXPECT_EQ(parse_rate("30000:1001"), Pair(30000, 1001));
  EXPECT_EQ(parse_rate("29.97"), Pair(30000, 1001));
  EXPECT_EQ(parse_rate("23.976"), Pair(24000, 1001));
  EXPECT_EQ(parse_rate("59.94"), Pair(60000, 1001));
  EXPECT_EQ(parse_rate("12.5"), Pair(25, 2));
  EXPECT_EQ(parse_rate("0.5"), Pair(1, 2));
  EXPECT_EQ(parse_rate("2147483647"), Pair(2147483647, 1));
  for (const char* bad : {"", "0", "-1", "25/0", "0/1", "nan", "inf", "1e99", "2147483648", "25/", "/1", "a"})
    EXPECT_FALSE(parse_rate(bad)) << bad;
}

TEST(Text, Bytes) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("64k"), 65536u);
  EXPECT_EQ(parse_bytes("8G"), uint64_t{8} << 30);
  for (const char* bad : {"", "k", "-1", "1T", "9999999999999999999", "99999999999G", "1.5M"})
    EXPECT_FALSE(parse_bytes(bad)) << bad;
}

TEST(Text, Lists) {
  EXPECT_EQ(parse_list("4,2,0"), (std::vector<int32_t>{4, 2, 0}));
  EXPECT_EQ(parse_list("16"), (std::vector<int32_t>{16}));
  for (const char* bad : {"", ",", "1,", "1,,2", "1 2", "-1"}) EXPECT_FALSE(parse_list(bad)) << bad;
}

TEST(Pattern, Names) {
  EXPECT_EQ(Pattern("img_%05d.png").name(7), "img_00007.png");
  EXPECT_EQ(Pattern("a%db").name(123), "a123b");
  EXPECT_EQ(Pattern("%3d").name(5), "  5");
  EXPECT_EQ(Pattern("100%%_%02d").name(123), "100%_123");
  EXPECT_FALSE(Pattern("plain.png").numbered());
  for (const char* name : {"%s", "%n", "%", "%5", "50%.png", "my%20dog.png", "%99d", "%-5d", "%*d", "%ld"}) {
    EXPECT_FALSE(Pattern(name).numbered()) << name;
    EXPECT_EQ(Pattern(name).name(7), name);
  }
  EXPECT_EQ(Pattern("50%_%03d.png").name(7), "50%_007.png");
  EXPECT_EQ(Pattern("missing%d/a.png").name(7), "missing7/a.png");
  EXPECT_EQ(Pattern("a%d.png", true).name(7), "a%d.png");
  EXPECT_THROW(Pattern{"%d%d"}, Failure);
}

TEST(Pattern, Endings) {
  EXPECT_EQ(extension_of("a/b.c/d.PNG"), "png");
  EXPECT_EQ(extension_of("a/b.c/d"), "");
  EXPECT_EQ(kind_of_output("x.y4m"), OutputKind::kY4m);
  EXPECT_EQ(kind_of_output("x_%d.ppm"), OutputKind::kPpm);
  EXPECT_EQ(kind_of_output("null"), OutputKind::kNull);
  EXPECT_THROW(kind_of_output("x.mp4"), Failure);
}

TEST(Clip, Descriptions) {
  const ClipSpec clip = parse_clip("64x48@29.97:12:7");
  EXPECT_EQ(clip.video.width, 64);
  EXPECT_EQ(clip.video.height, 48);
  EXPECT_EQ(clip.video.fps_num, 30000);
  EXPECT_EQ(clip.frames, 12);
  EXPECT_EQ(clip.seed, 7u);
  for (const char* bad :
       {"", "64x48", "64x48@25", "64x48@25:0", "64x48@25:1:2:3", "64@25:1", "64x48@0:1", "64x48@25:1:x"})
    EXPECT_THROW(parse_clip(bad), Failure) << bad;
}

}  // namespace
}  // namespace ctv::tools
