// SPDX-License-Identifier: BSD-3-Clause
// A file is there whole or not at all.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/exit.h"
#include "io/check_files.h"
#include "io/output_file.h"

namespace ctv::tools {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("ctv-output-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string content(const char* name) const {
    std::ifstream in(path(name));
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }
  fs::path folder_;
};

TEST_F(OutputFileTest, AppearsWithCommit) {
  {
    OutputFile file(path("a"));
    file.write(std::string_view("hello"));
    EXPECT_FALSE(fs::exists(path("a")));
    file.commit();
    EXPECT_EQ(file.size(), 5u);
  }
  EXPECT_EQ(content("a"), "hello");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, ALinkToAFileThatIsNotThereMakesThatFile) {
  fs::create_directory(path("there"));
  fs::create_symlink("there/b", path("second"));
  fs::create_symlink(path("second"), path("first"));
  OutputFile file(path("first"));
  file.write(std::string_view("hello"));
  file.commit();
  EXPECT_EQ(content("there/b"), "hello");
  EXPECT_TRUE(fs::is_symlink(path("first")));
  EXPECT_TRUE(fs::is_symlink(path("second")));
}

TEST_F(OutputFileTest, WhatIsReadOrWrittenAlreadyIsRefused) {
  std::ofstream(path("a")) << "old";
  fs::create_symlink("a", path("same"));
  EXPECT_NO_THROW(check_files({path("a"), "-"}, {path("b"), "-", "", "null", "null", "/dev/null"}));
  EXPECT_THROW(check_files({path("a")}, {path("b"), path("a")}), Failure);
  EXPECT_THROW(check_files({path("a")}, {path("same")}), Failure);
  EXPECT_THROW(check_files({path("same")}, {path("a")}), Failure);
  EXPECT_THROW(check_files({}, {path("b"), path("b")}), Failure);
  EXPECT_THROW(check_files({}, {"-", "-"}), Failure);
  EXPECT_THROW(check_files({"-", path("a"), "-"}, {path("b")}), Failure);
}

TEST_F(OutputFileTest, TwoFilesDoNotGetOneName) {
  fs::create_symlink("a", path("same"));
  {
    const OutputFile first(path("a"));
    EXPECT_THROW(OutputFile(path("a")), Failure);
    EXPECT_THROW(OutputFile(path("./a")), Failure);
    EXPECT_THROW(OutputFile(path("same")), Failure);
    EXPECT_NO_THROW(OutputFile(path("b")));
  }
  OutputFile second(path("a"));
  second.commit();
  EXPECT_NO_THROW(OutputFile(path("a")));
}

TEST_F(OutputFileTest, NothingStaysWithoutCommit) {
  std::ofstream(path("a")) << "old";
  {
    OutputFile file(path("a"));
    file.write(std::string_view("new"));
  }
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, KeepsModeAndLink) {
  std::ofstream(path("real")) << "old";
  chmod(path("real").c_str(), 0640);
  fs::create_symlink("real", folder_ / "link");
  OutputFile file(path("link"));
  file.write(std::string_view("new"));
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content("real"), "new");
  struct stat status {};
  ASSERT_EQ(stat(path("real").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(OutputFileTest, AFileWithLinksKeepsThem) {
  std::ofstream(path("a")) << "old and long";
  fs::create_hard_link(path("a"), path("b"));
  {
    OutputFile dropped(path("a"));
    dropped.write(std::string_view("dropped"));
  }
  EXPECT_EQ(content("b"), "old and long");
  OutputFile file(path("a"));
  file.write(std::string_view("new"));
  file.commit();
  EXPECT_EQ(content("b"), "new");
  EXPECT_EQ(fs::hard_link_count(path("a")), 2u);
  EXPECT_EQ(files(), 2u);
}

TEST_F(OutputFileTest, KeepsTheOwner) {
  std::ofstream(path("a")) << "old";
  if (chown(path("a").c_str(), 1, 2) != 0) GTEST_SKIP() << "only root gives files away";
  OutputFile file(path("a"));
  file.write(std::string_view("new"));
  file.commit();
  struct stat status {};
  ASSERT_EQ(stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1u);
  EXPECT_EQ(status.st_gid, 2u);
}

// /dev/stdout, /dev/fd/N, and links to them.
TEST_F(OutputFileTest, NamesOfOpenDescriptorsAreThese) {
  const int fd = open(path("a").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const std::string number = std::to_string(fd);
  fs::create_symlink("/proc/self/fd/" + number, path("link"));
  unlink(path("a").c_str());  // as Python's TemporaryFile
  for (const std::string& name : {"/dev/fd/" + number, "/proc/self/fd/" + number, path("link"),
                                  "/proc/" + std::to_string(getpid()) + "/fd/" + number}) {
    OutputFile file(name);
    EXPECT_FALSE(file.seekable());
    file.write(std::string_view("hello"));
    file.commit();
  }
  char bytes[21] = {};
  EXPECT_EQ(pread(fd, bytes, 20, 0), 20);
  EXPECT_STREQ(bytes, "hellohellohellohello");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(files(), 1u);
  close(fd);
  EXPECT_THROW(OutputFile("/dev/fd/" + number), Failure);
}

TEST_F(OutputFileTest, WhatIsMarkedStaysAfterAFailure) {
  OutputFile file(path("a"));
  EXPECT_EQ(file.commit_marked(), "");
  file.write(std::string_view("whole"));
  file.mark();
  file.write(std::string_view("half"));
  EXPECT_EQ(file.commit_marked(), path("a"));
  EXPECT_EQ(content("a"), "whole");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, FailsAtOnce) {
  for (const std::string& bad : {folder_.string(), path("missing/a"), std::string("")}) {
    try {
      OutputFile file(bad);
      ADD_FAILURE() << bad;
    } catch (const Failure& e) {
      EXPECT_EQ(e.code(), Exit::kFile);
    }
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFileTest, DevicesAreWrittenAsTheyAre) {
  OutputFile file("/dev/null");
  file.write(std::string_view("gone"));
  file.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  OutputFile full("/dev/full");
  EXPECT_THROW(full.write(std::string_view("x")), Failure);
}

}  // namespace
}  // namespace ctv::tools
