// SPDX-License-Identifier: BSD-3-Clause
#include "io/file_status.h"

#if defined(_WIN32)
#include <io.h>
#include <windows.h>
#endif

namespace ctv::tools {
namespace {

FileStatus from(const struct stat& s) {
  FileStatus status;
  status.regular = S_ISREG(s.st_mode);
  status.folder = S_ISDIR(s.st_mode);
  status.size = static_cast<int64_t>(s.st_size);
  status.identity = {static_cast<uint64_t>(s.st_dev), static_cast<uint64_t>(s.st_ino)};
  status.linked = s.st_nlink > 1;
  return status;
}

#if defined(_WIN32)
// stat() of Windows knows neither identities nor links, and may know sizes of 32 bits only.
void complete(HANDLE file, FileStatus& status) {
  BY_HANDLE_FILE_INFORMATION known{};
  if (file == INVALID_HANDLE_VALUE || GetFileInformationByHandle(file, &known) == 0) return;
  const auto join = [](DWORD high, DWORD low) { return uint64_t{high} << 32 | low; };
  status.size = static_cast<int64_t>(join(known.nFileSizeHigh, known.nFileSizeLow));
  status.identity = {known.dwVolumeSerialNumber, join(known.nFileIndexHigh, known.nFileIndexLow)};
  status.linked = known.nNumberOfLinks > 1;
}
#endif

}  // namespace

std::filesystem::path path_of(const std::string& name) { return std::u8string(name.begin(), name.end()); }

std::string name_of(const std::filesystem::path& path) {
  const std::u8string name = path.u8string();
  return {name.begin(), name.end()};
}

std::optional<FileStatus> status_of(const std::string& path) {
  struct stat s {};
  if (stat(path.c_str(), &s) != 0) return std::nullopt;
  FileStatus status = from(s);
#if defined(_WIN32)
  const HANDLE file = CreateFileA(path.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                  nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  complete(file, status);
  if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
#endif
  return status;
}

std::optional<FileStatus> status_of(int descriptor) {
  struct stat s {};
  if (fstat(descriptor, &s) != 0) return std::nullopt;
  FileStatus status = from(s);
#if defined(_WIN32)
  if (status.regular) complete(reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)), status);
#endif
  return status;
}

bool file_exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace ctv::tools
