// SPDX-License-Identifier: BSD-3-Clause
// What the system says of a file, and descriptors of files, the same on POSIX and on Windows. Paths are
// UTF-8.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#if defined(_WIN32)
#define O_CLOEXEC O_NOINHERIT
#endif

namespace ctv::tools {

#if defined(_WIN32)
inline constexpr int kBinaryFile = O_BINARY;  // no translation of line ends
inline constexpr const char* kSlashes = "/\\";
#else
inline constexpr int kBinaryFile = 0;
inline constexpr const char* kSlashes = "/";
#endif
inline constexpr size_t kMostAtOnce = size_t{1} << 30;  // that read() and write() of Windows are asked for

struct FileStatus {
  bool regular = false;
  bool folder = false;
  int64_t size = 0;
  std::pair<uint64_t, uint64_t> identity;  // of a file, under any name
  bool linked = false;                     // under several names
};

/// A name in UTF-8 as std::filesystem's, and back. Its own conversion takes other characters on Windows.
std::filesystem::path path_of(const std::string& name);
std::string name_of(const std::filesystem::path& path);

/// Without a file, empty, and errno has the reason.
std::optional<FileStatus> status_of(const std::string& path);
std::optional<FileStatus> status_of(int descriptor);

/// Whether there is a file of this name, of any kind.
bool file_exists(const std::string& path);

}  // namespace ctv::tools
