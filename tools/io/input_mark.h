// SPDX-License-Identifier: BSD-3-Clause
// Files that are being read: an output that would replace one of them, under any name, is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "io/file_status.h"

namespace ctv::tools {

/// Marks a regular file as an input during its lifetime. Other kinds of files are not marked.
class InputMark {
 public:
  explicit InputMark(const FileStatus& status);
  ~InputMark();
  InputMark(InputMark&& other) noexcept : file_(std::exchange(other.file_, std::nullopt)) {}
  InputMark& operator=(InputMark&&) = delete;

 private:
  std::optional<std::pair<uint64_t, uint64_t>> file_;
};

/// Whether a file with this status is an input.
bool is_being_read(const FileStatus& status);

}  // namespace ctv::tools
