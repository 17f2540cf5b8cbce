// SPDX-License-Identifier: BSD-3-Clause
// A file that appears whole or not at all: written under a temporary name in the same folder, renamed by
// commit(), removed otherwise. "-" is standard output; devices and pipes are written as they are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ctv::tools {

class OutputFile {
 public:
  /// Opens at once, so that an unwritable place is found before hours of work. Throws Failure(kFile).
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const uint8_t> bytes);
  void write(std::string_view text);
  /// Gives the file its name. Nothing may be written afterwards.
  void commit();
  uint64_t size() const { return size_; }

 private:
  [[noreturn]] void fail(const char* what, int error) const;
  void discard() noexcept;

  std::string name_;       // for messages
  std::string path_;       // the final place, links followed
  std::string temporary_;  // "" if written directly
  int slot_ = -1;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace ctv::tools
