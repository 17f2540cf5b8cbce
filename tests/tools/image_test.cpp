// SPDX-License-Identifier: BSD-3-Clause
// Image sequences there and back, and images that are not what they should be.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/exit.h"
#include "io/clip_generator.h"
#include "io/frame_writer.h"
#include "io/image_reader.h"

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
  std::ofstream(folder_ / "text.png") << "not a picture";
  std::ofstream(folder_ / "huge.ppm") << "P6\n60000 60000\n255\n";
  std::ofstream(folder_ / "deep.ppm") << "P6\n1 1\n65535\nabcdef";
  std::ofstream(folder_ / "empty.png");
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

TEST_F(ImageTest, SizesMustAgree) {
  std::ofstream(folder_ / "d_0.ppm") << "P6\n1 1\n255\nabc";
  std::ofstream(folder_ / "d_1.ppm") << "P6\n1 2\n255\nabcabc";
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
