// SPDX-License-Identifier: BSD-3-Clause
// The tools on clips that change: their size in ctenc, their times in ctdec.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "cli/exit.h"
#include "ctdec/decode.h"
#include "ctenc/encode.h"

namespace ctv::tools {
namespace {

namespace fs = std::filesystem;

/// Grey pictures, each with a size and a time.
class Clip : public FrameReader {
 public:
  struct Picture {
    int32_t size;
    int64_t time;
  };
  explicit Clip(std::vector<Picture> pictures) : pictures_(std::move(pictures)) { video_ = video(0); }
  bool read(Frame& frame) override {
    if (next_ == pictures_.size()) return false;
    frame.reset(video(next_));
    for (uint8_t& sample : frame.bytes()) sample = static_cast<uint8_t>(100 + next_);
    frame.set_time(pictures_[next_].time, 1);
    ++next_;
    return true;
  }

 private:
  VideoFormat video(size_t i) const {
    VideoFormat video;
    video.format = CTV_FORMAT_GRAY8;
    video.width = pictures_[i].size, video.height = pictures_[i].size / 2;
    return video;
  }
  std::vector<Picture> pictures_;
  size_t next_ = 0;
};

class Changes : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  EncodeResult coded(const std::vector<Clip::Picture>& pictures, int in_flight = 1) const {
    EncodeOptions options;
    options.output = folder_ + "/a.ctv";
    options.psnr = options.verify = true;
    options.run.quiet = true;
    options.run.backend = CTV_BACKEND_CPU;
    options.run.frames_in_flight = in_flight;
    Clip clip(pictures);
    return encode(options, clip);
  }
  std::string said(const std::string& output) const {
    DecodeOptions options;
    options.input = folder_ + "/a.ctv";
    options.output.path = folder_ + "/" + output;
    options.run.quiet = true;
    options.run.backend = CTV_BACKEND_CPU;
    testing::internal::CaptureStderr();
    decode(options);
    return testing::internal::GetCapturedStderr();
  }
  const std::string folder_ = testing::TempDir() + "ctv_changes_" + std::to_string(getpid());
};

TEST_F(Changes, AVideoThatChangesItsSizeGoesOn) {
  for (const int in_flight : {1, 3}) {
    const EncodeResult result = coded({{32, 0}, {32, 1}, {64, 2}, {64, 3}, {64, 4}, {16, 5}}, in_flight);
    EXPECT_EQ(result.frames, 6);
    EXPECT_EQ(result.key_frames, 3);
    EXPECT_FALSE(result.input_ended);
    EXPECT_EQ(said("p_%d.pgm"), "");
    EXPECT_EQ(fs::file_size(folder_ + "/p_1.pgm"), 15u - 2 + 32 * 16);
    EXPECT_EQ(fs::file_size(folder_ + "/p_4.pgm"), 15u - 2 + 64 * 32);
    EXPECT_EQ(fs::file_size(folder_ + "/p_5.pgm"), 14u - 2 + 16 * 8);
  }
}

TEST_F(Changes, TimesThatTheOutputCannotHoldAreSaid) {
  coded({{32, 7}, {32, 8}, {32, 9}});
  EXPECT_EQ(said("even.y4m"), "");
  coded({{32, 0}, {32, 1}, {32, 5}, {32, 6}});
  EXPECT_NE(said("uneven.y4m").find("uneven.y4m does not keep the times"), std::string::npos);
  EXPECT_NE(said("uneven_%d.pgm").find("does not keep the times"), std::string::npos);
}

}  // namespace
}  // namespace ctv::tools
