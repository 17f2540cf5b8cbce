// SPDX-License-Identifier: BSD-3-Clause
// Image sequences there and back, and images that are not what they should be.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/exit.h"
#include "io/clip_generator.h"
#include "io/frame_writer.h"
#include "io/image_file.h"
#include "io/image_reader.h"
#include "io/stb.h"

namespace ctv::tools {
namespace {

namespace fs = std::filesystem;

class ImageTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("ctv-image-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  InputOptions input(const std::string& name) const {
    InputOptions options;
    options.path = (folder_ / name).string();
    return options;
  }
  std::vector<Frame> write(const std::string& name, ctv_format format, int64_t start) const {
    ClipSpec clip = parse_clip("23x11@25:3");
    clip.video.format = format;
    GeneratedClip generator(clip);
    OutputOptions options;
    options.path = (folder_ / name).string();
    options.start_number = start;
    const auto writer = open_output(options);
    std::vector<Frame> frames;
    Frame frame;
    while (generator.read(frame)) {
      writer->write(frame.picture());
      frames.push_back(frame);
    }
    writer->finish();
    return frames;
  }
  fs::path folder_;
};

TEST_F(ImageTest, ThereAndBack) {
  for (const char* name : {"a_%03d.png", "b_%d.ppm"}) {
    for (const ctv_format format : {CTV_FORMAT_RGB8, CTV_FORMAT_GRAY8}) {
      for (const int64_t start : {0, 1}) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
        const std::vector<Frame> frames = write(name, format, start);
        const auto reader = open_input(input(name));
        EXPECT_EQ(reader->count(), 3);
        EXPECT_EQ(reader->video().format, format);
        Frame frame;
        for (const Frame& expected : frames) {
          ASSERT_TRUE(reader->read(frame));
          EXPECT_EQ(frame.bytes(), expected.bytes());
        }
        EXPECT_FALSE(reader->read(frame));
      }
    }
  }
}

TEST_F(ImageTest, StartNumberAndSkip) {
  const std::vector<Frame> frames = write("c_%02d.png", CTV_FORMAT_RGB8, 40);
  EXPECT_THROW(open_input(input("c_%02d.png")), Failure);
  InputOptions options = input("c_%02d.png");
  options.start_number = 40;
  const auto reader = open_input(options);
  reader->skip(2);
  Frame frame;
  ASSERT_TRUE(reader->read(frame));
  EXPECT_EQ(frame.bytes(), frames[2].bytes());
  reader->skip(5);
  EXPECT_FALSE(reader->read(frame));
}

TEST_F(ImageTest, DamagedAndHostile) {
  std::ofstream(folder_ / "text.png", std::ios::binary) << "not a picture";
  std::ofstream(folder_ / "huge.ppm", std::ios::binary) << "P6\n60000 60000\n255\n";
  std::ofstream(folder_ / "deep.ppm", std::ios::binary) << "P6\n1 1\n65535\nabcdef";
  std::ofstream(folder_ / "empty.png", std::ios::binary);
  const auto code = [&](const char* name) {
    try {
      open_input(input(name));
    } catch (const Failure& e) {
      return e.code();
    }
    return Exit::kOk;
  };
  EXPECT_EQ(code("text.png"), Exit::kFile);
  EXPECT_EQ(code("huge.ppm"), Exit::kLimit);
  EXPECT_EQ(code("deep.ppm"), Exit::kFile);
  EXPECT_EQ(code("empty.png"), Exit::kFile);
  EXPECT_EQ(code("missing_%d.png"), Exit::kFile);
}

TEST_F(ImageTest, EveryCutIsAnError) {
  write("cut_%d.png", CTV_FORMAT_RGB8, 0);
  write("cut_%d.ppm", CTV_FORMAT_RGB8, 0);
  write("cut_%d.pgm", CTV_FORMAT_GRAY8, 0);
  const auto content = [&](const char* name) {
    std::ifstream in(folder_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  std::vector<std::string> files = {content("cut_0.png"), content("cut_0.ppm"), content("cut_0.pgm")};
  files.push_back(std::string("BM\x3e\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\1\0\0\0\2\0\0\0\1\0\x18\0", 30) +
                  std::string(24, '\0') + "abc0def0");
  std::vector<uint8_t> jpeg;
  std::vector<uint8_t> samples(16 * 16 * 3);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<uint8_t>(i * 7);
  const auto append = [](void* bytes, void* data, int size) {
    auto* out = static_cast<std::vector<uint8_t>*>(bytes);
    out->insert(out->end(), static_cast<uint8_t*>(data), static_cast<uint8_t*>(data) + size);
  };
  ASSERT_NE(stbi_write_jpg_to_func(append, &jpeg, 16, 16, 3, samples.data(), 80), 0);
  files.emplace_back(jpeg.begin(), jpeg.end());
  for (const std::string& file : files) {
    const std::span whole(reinterpret_cast<const uint8_t*>(file.data()), file.size());
    Frame frame;
    EXPECT_NO_THROW(read_image(whole, "whole", kMaxPixels, frame)) << file.substr(0, 4);
    const size_t marker = file[0] == '\xff' ? 2 : 0;  // without the end of a JPEG all samples are there
    for (size_t size = 0; size < file.size(); ++size) {
      Frame cut;
      if (size + marker >= file.size()) {
        read_image(whole.first(size), "cut", kMaxPixels, cut);
        EXPECT_EQ(cut.bytes(), frame.bytes()) << size;
        continue;
      }
      EXPECT_THROW(read_image(whole.first(size), "cut", kMaxPixels, cut), Failure)
          << file.substr(0, 4) << " " << size;
    }
  }
}

// EXIF: where the first two samples of the picture lie in the stored one, which is 16 wide and 8 high.
TEST_F(ImageTest, OrientationIsApplied) {
  std::vector<uint8_t> samples(16 * 8);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<uint8_t>(i * 2);
  std::vector<uint8_t> jpeg;
  const auto append = [](void* bytes, void* data, int size) {
    auto* out = static_cast<std::vector<uint8_t>*>(bytes);
    out->insert(out->end(), static_cast<uint8_t*>(data), static_cast<uint8_t*>(data) + size);
  };
  ASSERT_NE(stbi_write_jpg_to_func(append, &jpeg, 16, 8, 1, samples.data(), 100), 0);
  Frame stored;
  read_image(jpeg, "stored", kMaxPixels, stored);
  constexpr int kFirst[9][4] = {{},           {0, 0, 1, 0}, {15, 0, 14, 0}, {15, 7, 14, 7}, {0, 7, 1, 7},
                                {0, 0, 0, 1}, {0, 7, 0, 6}, {15, 7, 15, 6}, {15, 0, 15, 1}};
  for (const bool little : {true, false}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const char value = static_cast<char>(orientation);
      std::string exif(
          "\xff\xe1\0\x22"
          "Exif\0\0",
          10);
      exif += little
                  ? std::string("II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0", 18) + value + std::string(7, '\0')
                  : std::string("MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0", 19) + value + std::string(6, '\0');
      std::vector<uint8_t> file(jpeg);
      file.insert(file.begin() + 2, exif.begin(), exif.end());
      Frame frame;
      read_image(file, "turned", kMaxPixels, frame);
      EXPECT_EQ(frame.video().width, orientation < 5 ? 16 : 8) << orientation;
      const int* at = kFirst[orientation];
      const auto sample = [&](int x, int y) {
        return stored
            .bytes()[(static_cast<size_t>(y) * 16 + static_cast<size_t>(x)) * stored.bytes().size() / 128];
      };
      const size_t step = stored.bytes().size() / 128;
      EXPECT_EQ(frame.bytes()[0], sample(at[0], at[1])) << orientation;
      EXPECT_EQ(frame.bytes()[step], sample(at[2], at[3])) << orientation;
    }
  }
}

TEST_F(ImageTest, NamesMayHoldPercentSigns) {
  fs::create_directories(folder_ / "100%d");
  for (const char* name : {"my%20dog.ppm", "50%.ppm", "a%d.ppm", "100%d/b_1.ppm", "100%d/b_2.ppm"})
    std::ofstream(folder_ / name, std::ios::binary) << "P6\n1 1\n255\nabc";
  for (const char* name : {"my%20dog.ppm", "50%.ppm", "a%d.ppm"})
    EXPECT_EQ(open_input(input(name))->count(), 1);
  EXPECT_EQ(open_input(input("100%d/b_%d.ppm"))->count(), 2);
  std::ofstream(folder_ / "my%20clip.y4m", std::ios::binary) << "YUV4MPEG2 W2 H2\nFRAME\n123456";
  EXPECT_NO_THROW(open_input(input("my%20clip.y4m")));
}

TEST_F(ImageTest, AGapInASequenceIsSaid) {
  for (const int number : {0, 1, 10, 12}) {
    std::ofstream(folder_ / ("g_" + std::to_string(number) + ".ppm"), std::ios::binary)
        << "P6\n1 1\n255\nabc";
    std::ofstream(folder_ / ("g_" + std::to_string(number) + ".txt"), std::ios::binary) << "";
  }
  std::ofstream(folder_ / "g_99x.ppm", std::ios::binary) << "";
  const auto reader = open_input(input("g_%d.ppm"));
  Frame frame;
  EXPECT_TRUE(reader->read(frame));
  EXPECT_TRUE(reader->read(frame));
  try {
    reader->read(frame);
    ADD_FAILURE();
  } catch (const Failure& e) {
    EXPECT_EQ(e.code(), Exit::kFile);
    EXPECT_NE(std::string(e.what()).find("g_10.ppm"), std::string::npos) << e.what();
  }
  InputOptions last = input("g_%d.ppm");
  last.start_number = 12;
  const auto end = open_input(last);
  EXPECT_TRUE(end->read(frame));
  EXPECT_FALSE(end->read(frame));
}

// A palette there would be made longer, wherever it says that it ends.
TEST_F(ImageTest, WhatFollowsTheLastChunkOfAPngIsNotRead) {
  const std::vector<Frame> frames = write("g_%d.png", CTV_FORMAT_GRAY8, 0);
  std::ifstream in(folder_ / "g_0.png", std::ios::binary);
  std::string file(std::istreambuf_iterator<char>(in), {});
  file += std::string("\0\0\2\0PLTE", 8) + std::string(4, '\0');
  Frame frame;
  read_image({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, "g", kMaxPixels, frame);
  EXPECT_EQ(frame.bytes(), frames[0].bytes());
}

TEST_F(ImageTest, SamplesThatAHeaderOnlyClaims) {
  // A JPEG of 16000x16000 in 31 bytes, and a Huffman table of 272 codes.
  const std::string claims(
      "\xff\xd8\xff\xc0\0\x0b\x08\x3e\x80\x3e\x80\1\1\x11\0\xff\xda\0\x08\1\1\0\0\x3f\0\xff\xd9", 27);
  std::string table("\xff\xd8\xff\xc4\1\x23\0", 7);
  table += std::string(16, '\x11') + std::string(272, '\1') + "\xff\xd9";
  for (const std::string& file : {claims, table}) {
    Frame frame;
    EXPECT_THROW(read_image(std::span(reinterpret_cast<const uint8_t*>(file.data()), file.size()), "x",
                            kMaxPixels, frame),
                 Failure);
  }
}

TEST_F(ImageTest, AlphaIsDroppedAndSaid) {
  std::ofstream(folder_ / "g.pgm", std::ios::binary) << "P5 # four bits a sample\n2 1 15\n" << '\0' << '\x0f';
  const auto reader = open_input(input("g.pgm"));
  Frame frame;
  ASSERT_TRUE(reader->read(frame));
  EXPECT_EQ(frame.bytes(), (Samples{0, 255}));
  EXPECT_EQ(frame.video().dropped, "");
  const uint8_t rgba[4] = {1, 2, 3, 4};
  ASSERT_NE(stbi_write_png((folder_ / "alpha.png").string().c_str(), 1, 1, 4, rgba, 4), 0);
  const auto alpha = open_input(input("alpha.png"));
  EXPECT_EQ(alpha->video().dropped, "its alpha");
  // A transparent colour, and several pictures.
  ASSERT_NE(stbi_write_png((folder_ / "rgb.png").string().c_str(), 1, 1, 3, rgba, 3), 0);
  std::ifstream in(folder_ / "rgb.png", std::ios::binary);
  const std::string png(std::istreambuf_iterator<char>(in), {});
  const std::string trns("\0\0\0\6tRNS\0\1\0\2\0\3", 14), actl(
                                                              "\0\0\0\x08"
                                                              "acTL\0\0\0\2\0\0\0\0",
                                                              16);
  for (const auto& [chunk, said] : {std::pair(trns, "its alpha"), std::pair(actl, "its further pictures")}) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(chunk.data());
    const auto sum = static_cast<uint32_t>(crc32(0, bytes + 4, static_cast<uInt>(chunk.size() - 4)));
    std::string file = png;
    std::string whole = chunk;
    for (int shift = 24; shift >= 0; shift -= 8) whole += static_cast<char>(sum >> shift & 255);
    file.insert(33, whole);
    Frame noted;
    read_image({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, "noted", kMaxPixels, noted);
    EXPECT_EQ(noted.video().dropped, said);
  }
  // A first image without alpha, and two with.
  ASSERT_NE(stbi_write_png((folder_ / "later_0.png").string().c_str(), 1, 1, 3, rgba, 3), 0);
  for (const char* name : {"later_1.png", "later_2.png"}) fs::copy(folder_ / "alpha.png", folder_ / name);
  const auto later = open_input(input("later_%d.png"));
  EXPECT_EQ(later->video().dropped, "");
  testing::internal::CaptureStderr();
  while (later->read(frame)) {
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("later_1.png: the stream does not keep its alpha\n"), std::string::npos) << said;
  EXPECT_EQ(said.find("later_2.png"), std::string::npos) << said;
  std::ofstream(folder_ / "one.rgba", std::ios::binary) << "rgba";
  InputOptions raw = input("one.rgba");
  raw.size = {1, 1};
  EXPECT_EQ(open_input(raw)->video().dropped, "its alpha");
}

TEST_F(ImageTest, SizesMustAgree) {
  std::ofstream(folder_ / "d_0.ppm", std::ios::binary) << "P6\n1 1\n255\nabc";
  std::ofstream(folder_ / "d_1.ppm", std::ios::binary) << "P6\n1 2\n255\nabcabc";
  const auto reader = open_input(input("d_%d.ppm"));
  Frame frame;
  EXPECT_TRUE(reader->read(frame));
  EXPECT_THROW(reader->read(frame), Failure);
}

TEST_F(ImageTest, OneNameForManyPicturesIsRefused) {
  EXPECT_THROW(write("one.png", CTV_FORMAT_RGB8, 0), Failure);
}

TEST_F(ImageTest, YcbcrIsRefused) {
  EXPECT_THROW(write("e_%d.png", CTV_FORMAT_I420, 0), Failure);
  EXPECT_NO_THROW(write("f_%d.png", CTV_FORMAT_RGBA8, 0));
}

}  // namespace
}  // namespace ctv::tools
