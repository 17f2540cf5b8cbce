// SPDX-License-Identifier: BSD-3-Clause
#include "io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "cli/exit.h"
#include "cli/signals.h"
#include "io/input_mark.h"

namespace ctv::tools {
namespace {

const char* hint_for(int error) {
  switch (error) {
    case ENOENT:
      return "the folder does not exist";
    case ENOSPC:
      return "free some space";
    case EPIPE:
      return "the program that reads the pipe has ended";
    default:
      return "";
  }
}

/// The target of a symbolic link, which need not exist; otherwise the name itself.
std::string target_of(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;
  fs::path at = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(at, error); ++i)
    at = at.parent_path() / fs::read_symlink(at, error);
  return at.string();
}

/// Final paths of files with a temporary name.
class Places {
 public:
  static Places& all() {
    static Places places;
    return places;
  }
  /// False: another file has this path.
  bool take(const std::string& place) {
    const std::lock_guard lock(mutex_);
    return taken_.insert(place).second;
  }
  void leave(const std::string& place) {
    const std::lock_guard lock(mutex_);
    taken_.erase(place);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> taken_;
};

}  // namespace

void OutputFile::fail(const char* what, int error) const {
  throw Failure(Exit::kFile, std::string("cannot ") + what + " " + name_ + ": " + std::strerror(error),
                hint_for(error));
}

OutputFile::OutputFile(const std::string& path) : name_(path), path_(path) {
  if (path == "-") {
    name_ = "standard output";
    fd_ = STDOUT_FILENO;
    return;
  }
  if (path.empty()) fail("write", ENOENT);
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail("write", errno);
  if (exists && S_ISDIR(status.st_mode)) fail("write", EISDIR);
  if (exists && is_being_read(status))
    throw Failure(Exit::kUsage, path + " is the input as well", "give the output another name");
  if (exists && !S_ISREG(status.st_mode)) {
    fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail("write", errno);
    return;
  }
  // A rename over a write-protected file would succeed, against its owner's intention.
  if (exists && access(path.c_str(), W_OK) != 0) fail("write", errno);
  std::error_code ignored;
  path_ = exists ? std::filesystem::canonical(path, ignored).string() : target_of(path);
  if (path_.empty()) path_ = path;
  std::string place = std::filesystem::absolute(path_, ignored).string();
  place = std::filesystem::weakly_canonical(place, ignored).string();
  if (place.empty()) place = path_;
  if (!Places::all().take(place))
    throw Failure(Exit::kUsage, "'" + path + "' is asked for as output more than once",
                  "give one of them another name");
  place_ = std::move(place);
  const size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path_.substr(0, slash + 1);
  static std::atomic<int> names{0};
  for (int attempt = 0;; ++attempt) {
    temporary_ = folder + ".ctv-" + std::to_string(getpid()) + "-" + std::to_string(names++) + ".part";
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0) break;
    if (errno != EEXIST || attempt == 1000) {
      const int error = errno;
      forget();
      fail("write", error);
    }
  }
  remembered_ = remember_temporary(temporary_);
  if (exists) fchmod(fd_, status.st_mode & 07777);
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() noexcept {
  if (fd_ >= 0 && fd_ != STDOUT_FILENO) ::close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  forget();
}

void OutputFile::forget() noexcept {
  temporary_.clear();
  forget_temporary(remembered_);
  remembered_ = nullptr;
  if (!place_.empty()) Places::all().leave(place_);
  place_.clear();
}

void OutputFile::write(std::span<const uint8_t> bytes) {
  position_ += bytes.size();
  size_ = std::max(size_, position_);
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) {
      check_interrupted();  // a writer only blocks on a pipe without a reader
      continue;
    }
    if (n < 0) fail("write", errno);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
}

void OutputFile::write(std::string_view text) {
  write(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

void OutputFile::seek(uint64_t offset) {
  if (lseek(fd_, static_cast<off_t>(offset), SEEK_SET) < 0) fail("write", errno);
  position_ = offset;
}

void OutputFile::close() {
  if (fd_ < 0 || fd_ == STDOUT_FILENO) return;
  if (::close(std::exchange(fd_, -1)) != 0)
    fail("write", errno);  // network file systems report a full disk here
}

void OutputFile::commit() {
  close();
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("write", errno);
  forget();
}

bool OutputFile::commit_marked() noexcept {
  if (temporary_.empty() || fd_ < 0 || marked_ == 0) return false;
  if (ftruncate(fd_, static_cast<off_t>(marked_)) == 0 && ::close(std::exchange(fd_, -1)) == 0 &&
      std::rename(temporary_.c_str(), path_.c_str()) == 0) {
    forget();
    return true;
  }
  discard();
  return false;
}

}  // namespace ctv::tools
