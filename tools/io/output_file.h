// SPDX-License-Identifier: BSD-3-Clause
// A file that appears complete or not at all: written under a temporary name in the same folder, renamed by
// commit(), otherwise removed. A file with hard links, of an owner that cannot be given, or in which
// something is mounted is not replaced: commit() copies into it. If that fails, the temporary file stays.
// "-" is standard output. Names of open descriptors (/dev/stdout, /dev/fd/N and links to them) are these
// descriptors; devices, pipes, and files in a folder that takes no others are written directly. A file that
// is being read is not replaced, and two outputs cannot have the same name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ctv::tools {

struct FileStatus;
struct Temporary;

class OutputFile {
 public:
  /// Opens at once, so that an unwritable path is reported before hours of work. Throws Failure(kFile).
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const uint8_t> bytes);
  void write(std::string_view text);
  /// Whether written bytes can be changed: neither a pipe nor a device.
  bool seekable() const { return !temporary_.empty() || in_place_; }
  /// Sets the position of the next write. Throws Failure(kFile).
  void seek(uint64_t offset);
  /// Closes the file, which keeps its temporary name.
  void close();
  /// Gives the file its name. Nothing may be written afterwards. Throws Failure(kFile), which names the file
  /// that holds the bytes.
  void commit();
  /// Marks the bytes written so far as useful by themselves.
  void mark() { marked_ = size_; }
  /// After a failure: truncates the file at the mark and commits it. Returns the name of the file, "" if
  /// nothing is marked or the bytes went into a descriptor.
  std::string commit_marked();
  /// Bytes written, without overwritten ones.
  uint64_t size() const { return size_; }

 private:
  [[noreturn]] void fail(const char* what, int error) const;
  void use_descriptor(int descriptor);
  void open_file(const FileStatus* existing);
  bool put_in_place();
  void discard() noexcept;
  void forget() noexcept;

  std::string name_;       // for messages
  std::string path_;       // the final path, links followed
  std::string place_;      // path_ as registered in Places; "" if written directly
  std::string temporary_;  // "" if written directly
  Temporary* remembered_ = nullptr;
  int fd_ = -1;
  bool copied_ = false;    // commit() copies into the file instead of replacing it
  bool in_place_ = false;  // a regular file that is written directly
  uint64_t position_ = 0, size_ = 0, marked_ = 0;
};

}  // namespace ctv::tools
