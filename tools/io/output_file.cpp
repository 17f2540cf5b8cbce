// SPDX-License-Identifier: BSD-3-Clause
#include "io/output_file.h"

#if defined(__linux__)
#include <sys/xattr.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "cli/exit.h"
#include "cli/signals.h"
#include "io/file_status.h"
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

constexpr int kMostLinks = 40;

/// The target of a symbolic link, which need not exist; otherwise the name itself.
std::string target_of(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path at = path_of(path);
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(at, error); ++i)
    at = at.parent_path() / fs::read_symlink(at, error);
  return name_of(at);
}

/// N of a "/dev/fd/N" or of "/proc/PID/fd/N" of this process, without following links.
std::optional<int> named_descriptor(const std::filesystem::path& path) {
  const std::string leaf = name_of(path.filename());
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  if (leaf.empty() || leaf.size() > 7 || leaf.find_first_not_of("0123456789") != std::string::npos) return {};
  std::error_code error;
  const std::string folder = name_of(std::filesystem::weakly_canonical(path.parent_path(), error));
  const std::string own = "/proc/" + std::to_string(getpid());
  const bool descriptors = folder == "/dev/fd" || folder == own + "/fd" || folder == "/proc/self/fd" ||
                           (folder.starts_with(own + "/task/") && folder.ends_with("/fd"));
  if (!descriptors) return {};
  return std::stoi(leaf);
}

/// The open descriptor that a path names, through links or not.
std::optional<int> descriptor_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path at = fs::absolute(path_of(path), error);
  for (int i = 0; i < kMostLinks; ++i) {
    if (const std::optional<int> descriptor = named_descriptor(at.lexically_normal())) return descriptor;
    if (!fs::is_symlink(at, error)) return {};
    at = at.parent_path() / fs::read_symlink(at, error);
  }
  return {};
}

bool same_file(const std::optional<FileStatus>& a, const FileStatus& b) {
  return a && a->identity == b.identity;
}

#if defined(_WIN32)
bool writable(int) { return true; }

int copy_descriptor(int descriptor) { return dup(descriptor); }

/// Owners and rights are those of the folder.
bool take_over_rights(int, const std::string&) { return true; }
#else
bool writable(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

int copy_descriptor(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); }

/// Gives a new file owner and rights of an existing one. False if it cannot have all of them.
bool take_over_rights(int descriptor, const std::string& path) {
  struct stat existing {};
  struct stat made {};
  if (stat(path.c_str(), &existing) != 0) return true;
  const bool same_owner =
      fstat(descriptor, &made) == 0 && made.st_uid == existing.st_uid && made.st_gid == existing.st_gid;
  bool all = same_owner || fchown(descriptor, existing.st_uid, existing.st_gid) == 0;
#if defined(__linux__)
  all = all && getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) <= 0;
#endif
  fchmod(descriptor, existing.st_mode & 07777);
  return all;
}
#endif

/// Copies the bytes of a file into another, which keeps owner, links and rights. False: errno has the reason.
bool copy_into(const std::string& from, const std::string& to) {
  const int in = open(from.c_str(), O_RDONLY | O_CLOEXEC | kBinaryFile);
  if (in < 0) return false;
  const int out = open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | kBinaryFile, 0666);
  int error = out < 0 ? errno : 0;
  std::array<char, 1 << 16> bytes{};
  while (error == 0) {
    auto n = read(in, bytes.data(), static_cast<unsigned>(bytes.size()));
    if (n == 0) break;
    if (n < 0 && errno != EINTR) error = errno;
    for (const char* next = bytes.data(); n > 0 && error == 0;) {
      const auto done = ::write(out, next, static_cast<unsigned>(n));
      if (done < 0 && errno != EINTR) error = errno;
      if (done > 0) n -= done, next += done;
    }
  }
  close(in);
  if (out >= 0 && close(out) != 0 && error == 0) error = errno;
  errno = error;
  return error == 0;
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
  if (const std::optional<int> descriptor = descriptor_of(path)) {
    use_descriptor(*descriptor);
    return;
  }
  const std::optional<FileStatus> status = status_of(path);
  if (!status && errno != ENOENT) fail("write", errno);
  if (status && status->folder) fail("write", EISDIR);
  if (status && is_being_read(*status))
    throw Failure(Exit::kUsage, path + " is the input as well", "give the output another name");
  if (status && !status->regular) {
    fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC | kBinaryFile);
    if (fd_ < 0) fail("write", errno);
    return;
  }
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) {  // a shell's "> file" has opened it already
    if (status && same_file(status_of(standard), *status) && writable(standard)) {
      use_descriptor(standard);
      return;
    }
  }
  // A rename over a write-protected file would succeed, against its owner's intention.
  if (status && access(path.c_str(), W_OK) != 0) fail("write", errno);
  open_file(status ? &*status : nullptr);
}

void OutputFile::use_descriptor(int descriptor) {
  if (const std::optional<FileStatus> status = status_of(descriptor); status && is_being_read(*status))
    throw Failure(Exit::kUsage, name_ + " is the input as well", "give the output another name");
  if (!writable(descriptor)) fail("write", EBADF);
  fd_ = copy_descriptor(descriptor);
  if (fd_ < 0) fail("write", errno);
}

void OutputFile::open_file(const FileStatus* existing) {
  const std::string given = path_;
  std::error_code ignored;
  path_ =
      existing != nullptr ? name_of(std::filesystem::canonical(path_of(given), ignored)) : target_of(given);
  // A file without a name, such as a deleted one that another process has open, can only be written.
  const bool nameless = existing != nullptr && !same_file(status_of(path_), *existing);
  if (path_.empty() || nameless) path_ = given;
  std::string place =
      name_of(std::filesystem::weakly_canonical(std::filesystem::absolute(path_of(path_), ignored), ignored));
  if (place.empty()) place = path_;
  if (!Places::all().take(place))
    throw Failure(Exit::kUsage, "'" + given + "' is asked for as output more than once",
                  "give one of them another name");
  place_ = std::move(place);
  const std::filesystem::path folder = path_of(path_).parent_path();
  static std::atomic<int> names{0};
  for (int attempt = 0; fd_ < 0 && !nameless; ++attempt) {
    temporary_ =
        name_of(folder / (".ctv-" + std::to_string(getpid()) + "-" + std::to_string(names++) + ".part"));
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | kBinaryFile, 0666);
    if (fd_ < 0 && (errno != EEXIST || attempt == 1000)) break;
  }
  if (fd_ < 0) {  // the folder takes no other file
    int error = errno;
    temporary_.clear();
    if (existing != nullptr) {
      fd_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC | kBinaryFile);
      error = errno;
    }
    in_place_ = fd_ >= 0;
    if (in_place_) return;
    forget();
    fail("write", error);
  }
  remembered_ = remember_temporary(temporary_);
  if (existing == nullptr) return;
  copied_ = !take_over_rights(fd_, path_) || existing->linked;
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() noexcept {
  if (in_place_ && fd_ >= 0 && size_ > 0 && ftruncate(fd_, 0) != 0) size_ = 0;  // nothing else can be done
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
  // What a file held that is written directly goes when the first bytes come.
  if (in_place_ && size_ == 0 && !bytes.empty() && ftruncate(fd_, 0) != 0) fail("write", errno);
  position_ += bytes.size();
  size_ = std::max(size_, position_);
  while (!bytes.empty()) {
    const auto n = ::write(fd_, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), kMostAtOnce)));
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

/// Gives the closed file its name, or its bytes to the file of that name. False: it keeps its temporary name,
/// and errno has the reason.
bool OutputFile::put_in_place() {
  std::error_code error;
  if (!copied_)
    std::filesystem::rename(path_of(temporary_), path_of(path_),
                            error);  // which replaces a file on Windows, too
  if (copied_ || error) {            // EBUSY: a mount point; EXDEV, EPERM
    if (!copy_into(temporary_, path_)) return false;
    unlink(temporary_.c_str());
  }
  forget();
  return true;
}

void OutputFile::commit() {
  if (in_place_ && fd_ >= 0 && size_ == 0 && ftruncate(fd_, 0) != 0) fail("write", errno);
  close();
  if (temporary_.empty()) return forget();
  const std::string kept = temporary_;
  if (put_in_place()) return;
  const int error = errno;
  forget();
  throw Failure(Exit::kFile, "cannot write " + name_ + ": " + std::strerror(error),
                "the whole output is " + kept);
}

std::string OutputFile::commit_marked() {
  if (fd_ < 0 || marked_ == 0 || !seekable()) return "";
  if (ftruncate(fd_, static_cast<off_t>(marked_)) != 0 || ::close(std::exchange(fd_, -1)) != 0) {
    discard();
    return "";
  }
  const std::string kept = temporary_;
  if (kept.empty() || put_in_place()) {
    forget();
    return name_;
  }
  forget();
  return kept;
}

}  // namespace ctv::tools
