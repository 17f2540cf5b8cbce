// SPDX-License-Identifier: BSD-3-Clause
// The y4m reader on good, odd, cut and hostile files, from files and from pipes.
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "cli/exit.h"
#include "io/y4m_reader.h"

namespace ctv::tools {
namespace {

std::span<const uint8_t> bytes_of(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

Y4mReader reader_of(const std::string& file, bool seekable = true) {
  static std::deque<std::string> kept;  // the reader looks at the bytes as long as it lives
  return Y4mReader(std::make_unique<MemorySource>(bytes_of(kept.emplace_back(file)), seekable));
}

std::string frames(size_t count, size_t bytes, const std::string& header = "FRAME\n") {
  std::string s;
  for (size_t i = 0; i < count; ++i) s += header + std::string(bytes, static_cast<char>('a' + i));
  return s;
}

/// The failure that f() ends with; kOk if it does not fail.
template <class F>
Exit code_of(F f, std::string* message = nullptr) {
  try {
    f();
  } catch (const Failure& e) {
    if (message != nullptr) *message = e.what();
    return e.code();
  }
  return Exit::kOk;
}

struct Variant {
  const char* tag;
  ctv_format format;
  size_t bytes;  // of a frame of 5x3
};

class Y4mVariants : public testing::TestWithParam<Variant> {};

TEST_P(Y4mVariants, OddSizesHaveTheirChromaRoundedUp) {
  const Variant& v = GetParam();
  const std::string file =
      std::string("YUV4MPEG2 W5 H3 F30000:1001 Ip A1:1") + v.tag + "\n" + frames(3, v.bytes);
  for (const bool seekable : {true, false}) {
    Y4mReader reader = reader_of(file, seekable);
    EXPECT_EQ(reader.video().format, v.format);
    EXPECT_EQ(reader.video().width, 5);
    EXPECT_EQ(reader.video().height, 3);
    EXPECT_EQ(reader.video().fps_num, 30000);
    EXPECT_EQ(reader.video().fps_den, 1001);
    EXPECT_EQ(reader.video().frame_bytes(), v.bytes);
    EXPECT_EQ(reader.count(), seekable ? std::optional<int64_t>(3) : std::nullopt);
    Frame frame;
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(reader.read(frame));
      ASSERT_EQ(frame.bytes().size(), v.bytes);
      EXPECT_EQ(frame.bytes().front(), 'a' + i);
      EXPECT_EQ(frame.bytes().back(), 'a' + i);
    }
    EXPECT_FALSE(reader.read(frame));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Y4mVariants,
    testing::Values(Variant{"", CTV_FORMAT_I420, 27}, Variant{" C420", CTV_FORMAT_I420, 27},
                    Variant{" C420jpeg", CTV_FORMAT_I420, 27}, Variant{" C420mpeg2", CTV_FORMAT_I420, 27},
                    Variant{" C420paldv", CTV_FORMAT_I420, 27}, Variant{" C422", CTV_FORMAT_I422, 33},
                    Variant{" C444", CTV_FORMAT_I444, 45}, Variant{" Cmono", CTV_FORMAT_GRAY8, 15},
                    Variant{" C420p8", CTV_FORMAT_I420, 27}, Variant{" C444p8", CTV_FORMAT_I444, 45},
                    Variant{" Cmono8", CTV_FORMAT_GRAY8, 15}, Variant{" C420p10", CTV_FORMAT_I420_10, 54},
                    Variant{" C422p10", CTV_FORMAT_I422_10, 66}, Variant{" C444p10", CTV_FORMAT_I444_10, 90},
                    Variant{" Cmono10", CTV_FORMAT_GRAY10, 30}, Variant{" C420p12", CTV_FORMAT_I420_12, 54},
                    Variant{" C422p12", CTV_FORMAT_I422_12, 66}, Variant{" C444p12", CTV_FORMAT_I444_12, 90},
                    Variant{" Cmono12", CTV_FORMAT_GRAY12, 30}));

TEST(Y4m, SmallestPicture) {
  Y4mReader reader = reader_of("YUV4MPEG2 W1 H1\nFRAME\nabc");
  Frame frame;
  EXPECT_TRUE(reader.read(frame));
  EXPECT_EQ(frame.bytes(), (Samples{'a', 'b', 'c'}));
  EXPECT_FALSE(reader.read(frame));
}

TEST(Y4m, ParametersThatDoNotMatterAreLeftOut) {
  const VideoFormat v =
      parse_y4m_header("YUV4MPEG2 H2  W4 XYSCSS=420JPEG XCOLORRANGE=FULL F0:0 It A0:0 Xother", "x");
  EXPECT_EQ(v.width, 4);
  EXPECT_EQ(v.height, 2);
  EXPECT_EQ(v.fps_num, 25);
}

TEST(Y4m, TheDescriptionOfThePicturesIsRead) {
  const auto read = [](const char* words) {
    const VideoFormat v = parse_y4m_header(std::string("YUV4MPEG2 W4 H2 ") + words, "x");
    EXPECT_EQ(v.dropped, "") << words;
    return v.description;
  };
  EXPECT_EQ(read(""), Description{});
  EXPECT_EQ(read("Ip A0:0 C420 I?"), Description{});
  EXPECT_EQ(read("A4:3 XCOLORRANGE=FULL C420mpeg2 It"),
            (Description{{4, 3}, CTV_RANGE_FULL, CTV_SITING_LEFT, CTV_INTERLACE_TOP_FIRST}));
  EXPECT_EQ(read("A1:1 XCOLORRANGE=LIMITED C420jpeg Ib"),
            (Description{{1, 1}, CTV_RANGE_LIMITED, CTV_SITING_CENTRE, CTV_INTERLACE_BOTTOM_FIRST}));
  EXPECT_EQ(read("C420paldv").siting, CTV_SITING_TOP_LEFT);
  EXPECT_EQ(parse_y4m_header("YUV4MPEG2 W4 H2 F4294967295:1 F0:0 F0:1", "x").dropped,
            "its frame rate (4294967295:1)");
  EXPECT_EQ(parse_y4m_header("YUV4MPEG2 W4 H2 Im A70000:1", "x").dropped,
            "its mixed interlacing (m), its sample aspect (70000:1)");
}

TEST(Y4m, FrameHeadersMayHaveParameters) {
  const std::string file = "YUV4MPEG2 W2 H2 Cmono\n" + frames(2, 4, "FRAME Ip Xhello\n") + frames(1, 4);
  for (const bool seekable : {true, false}) {
    Y4mReader reader = reader_of(file, seekable);
    Frame frame;
    reader.skip(1);
    EXPECT_TRUE(reader.read(frame));
    EXPECT_EQ(frame.bytes()[0], 'b');
    EXPECT_TRUE(reader.read(frame));
    EXPECT_EQ(frame.bytes()[0], 'a');
  }
}

TEST(Y4m, SkipStopsAtTheEnd) {
  for (const bool seekable : {true, false}) {
    const std::string file = "YUV4MPEG2 W2 H2 Cmono\n" + frames(3, 4);
    Y4mReader reader = reader_of(file, seekable);
    Frame frame;
    reader.skip(99);
    EXPECT_FALSE(reader.read(frame));
  }
}

TEST(Y4m, OtherDepthsAreSaid) {
  for (const char* tag : {"420p9", "444p16", "mono16", "420p14"}) {
    std::string message;
    EXPECT_EQ(code_of([&] { parse_y4m_header(std::string("YUV4MPEG2 W2 H2 C") + tag, "x"); }, &message),
              Exit::kFile);
    EXPECT_NE(message.find("8, 10 or 12 bits"), std::string::npos) << message;
  }
  for (const char* tag :
       {"411", "444alpha", "440p8", "monochrome", "p", "p8", "8"}) {  // a layout, not a depth
    std::string message;
    EXPECT_EQ(code_of([&] { parse_y4m_header(std::string("YUV4MPEG2 W2 H2 C") + tag, "x"); }, &message),
              Exit::kFile);
    EXPECT_NE(message.find("not supported"), std::string::npos) << message;
  }
}

TEST(Y4m, AbsurdExtents) {
  for (const char* bad : {"W0 H2", "W2 H0", "W65536 H1", "W99999999999999999999 H2", "W-2 H2", "W2", "H2",
                          "W H2", "W2x H2", "W4294967298 H2"})
    EXPECT_EQ(code_of([&] { parse_y4m_header(std::string("YUV4MPEG2 ") + bad, "x"); }), Exit::kFile) << bad;
  EXPECT_EQ(code_of([] { parse_y4m_header("YUV4MPEG2 W65535 H65535", "x"); }), Exit::kLimit);
  EXPECT_EQ(code_of([] { parse_y4m_header("YUV4MPEG2 W100 H100", "x", 9999); }), Exit::kLimit);
  EXPECT_EQ(code_of([] { parse_y4m_header("YUV4MPEG2 W100 H100", "x", 10000); }), Exit::kOk);
}

TEST(Y4m, NotY4m) {
  EXPECT_EQ(code_of([] { reader_of(""); }), Exit::kFile);
  EXPECT_EQ(code_of([] { reader_of("YUV4"); }), Exit::kFile);
  EXPECT_EQ(code_of([] { reader_of("YUV4MPEG2"); }), Exit::kFile);
  EXPECT_EQ(code_of([] { reader_of("YUV4MPEG2 W2 H2"); }), Exit::kFile);
  EXPECT_EQ(code_of([] { reader_of("YUV4MPEG22 W2 H2\n"); }), Exit::kFile);
  EXPECT_EQ(code_of([] { reader_of("RIFF....WAVEfmt "); }), Exit::kFile);
  EXPECT_EQ(code_of([] { reader_of("YUV4MPEG2 " + std::string(100000, 'X')); }), Exit::kFile);
}

TEST(Y4m, EveryCutIsNoticedAndNamesTheFrame) {
  const std::string header = "YUV4MPEG2 W2 H2 Cmono\n";
  const std::string file = header + frames(3, 4);
  for (size_t size = header.size(); size <= file.size(); ++size) {
    for (const bool seekable : {true, false}) {
      const std::string cut = file.substr(0, size);
      Y4mReader reader = reader_of(cut, seekable);
      Frame frame;
      std::string message;
      int whole = 0;
      const Exit code = code_of(
          [&] {
            while (reader.read(frame)) ++whole;
          },
          &message);
      const size_t expected = (size - header.size()) / 10;
      EXPECT_EQ(static_cast<size_t>(whole), expected);
      if ((size - header.size()) % 10 == 0) {
        EXPECT_EQ(code, Exit::kOk);
      } else {
        EXPECT_EQ(code, Exit::kFile);
        EXPECT_NE(message.find("frame " + std::to_string(expected)), std::string::npos) << message;
      }
    }
  }
}

TEST(Y4m, AHeaderThatLiesCostsNoMemory) {
  Y4mReader reader = reader_of("YUV4MPEG2 W16384 H16384 C444\nFRAME\nxyz", false);
  Frame frame;
  EXPECT_EQ(code_of([&] { reader.read(frame); }), Exit::kFile);
  EXPECT_LT(frame.bytes().capacity(), size_t{64} << 20);
}

TEST(Y4m, GarbageBetweenFrames) {
  Y4mReader reader = reader_of("YUV4MPEG2 W2 H2 Cmono\nFRAME\nabcdEMARF\nabcd");
  Frame frame;
  EXPECT_TRUE(reader.read(frame));
  EXPECT_EQ(code_of([&] { reader.read(frame); }), Exit::kFile);
}

}  // namespace
}  // namespace ctv::tools
