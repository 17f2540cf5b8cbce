// SPDX-License-Identifier: BSD-3-Clause
#include "io/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/exit.h"
#include "cli/signals.h"
#include "io/file_status.h"
#include "io/input_mark.h"

namespace ctv::tools {
namespace {

// read(2) instead of stdio: signals interrupt it, and whole frames need no second buffer.
class FileSource : public ByteSource {
 public:
  FileSource(int fd, std::string name) : fd_(fd), name_(std::move(name)) {
    if (const std::optional<FileStatus> status = status_of(fd_); status && status->regular) {
      mark_.emplace(*status);
      const off_t here = lseek(fd_, 0, SEEK_CUR);  // standard input may be in the middle of a file
      if (here >= 0 && here <= status->size) {
        start_ = here;
        size_ = static_cast<uint64_t>(status->size - here);
      }
    }
  }
  ~FileSource() override {
    if (fd_ != STDIN_FILENO) close(fd_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  size_t read(std::span<uint8_t> into) override {
    if (into.empty()) return 0;
    for (;;) {
      check_interrupted();
      const auto n = ::read(fd_, into.data(), static_cast<unsigned>(std::min(into.size(), kMostAtOnce)));
      if (n >= 0) return static_cast<size_t>(n);
      if (errno != EINTR) throw Failure(Exit::kFile, "cannot read " + name_ + ": " + std::strerror(errno));
    }
  }
  uint64_t skip(uint64_t bytes) override {
    const off_t here = size_ ? lseek(fd_, 0, SEEK_CUR) - start_ : -1;
    if (here < 0 || static_cast<uint64_t>(here) > *size_) return ByteSource::skip(bytes);
    const uint64_t n = std::min(bytes, *size_ - static_cast<uint64_t>(here));
    lseek(fd_, static_cast<off_t>(n), SEEK_CUR);
    return n;
  }
  std::optional<uint64_t> size() const override { return size_; }
  bool seek(uint64_t offset) override {
    if (!size_ || offset > *size_) return false;
    return lseek(fd_, start_ + static_cast<off_t>(offset), SEEK_SET) >= 0;
  }
  const std::string& name() const override { return name_; }

 private:
  int fd_;
  std::string name_;
  off_t start_ = 0;
  std::optional<uint64_t> size_;
  std::optional<InputMark> mark_;
};

}  // namespace

uint64_t ByteSource::skip(uint64_t bytes) {
  std::vector<uint8_t> scratch(size_t{1} << 16);
  uint64_t done = 0;
  while (done < bytes) {
    const size_t n =
        read(std::span(scratch).first(static_cast<size_t>(std::min<uint64_t>(scratch.size(), bytes - done))));
    if (n == 0) break;
    done += n;
  }
  return done;
}

size_t read_fully(ByteSource& source, std::span<uint8_t> into) {
  size_t done = 0;
  while (done < into.size()) {
    const size_t n = source.read(into.subspan(done));
    if (n == 0) break;
    done += n;
  }
  return done;
}

std::unique_ptr<ByteSource> open_source(const std::string& path) {
  if (path == "-") return std::make_unique<FileSource>(STDIN_FILENO, "standard input");
  int fd = -1;
  do {
    check_interrupted();
    fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | kBinaryFile);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) throw Failure(Exit::kFile, "cannot open " + path + ": " + std::strerror(errno));
  auto source = std::make_unique<FileSource>(fd, path);
  if (const std::optional<FileStatus> status = status_of(fd); status && status->folder)
    throw Failure(Exit::kFile, path + " is a folder",
                  "an image sequence is given as " + path + "/img_%05d.png");
  return source;
}

size_t MemorySource::read(std::span<uint8_t> into) {
  const size_t n = std::min(into.size(), bytes_.size() - position_);
  if (n > 0) std::memcpy(into.data(), bytes_.data() + position_, n);
  position_ += n;
  return n;
}

std::optional<uint64_t> MemorySource::size() const {
  return seekable_ ? std::optional<uint64_t>(bytes_.size()) : std::nullopt;
}

bool MemorySource::seek(uint64_t offset) {
  if (!seekable_ || offset > bytes_.size()) return false;
  position_ = static_cast<size_t>(offset);
  return true;
}

}  // namespace ctv::tools
