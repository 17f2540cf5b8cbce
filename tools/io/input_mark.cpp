// SPDX-License-Identifier: BSD-3-Clause
#include "io/input_mark.h"

#include <set>

namespace ctv::tools {
namespace {

std::multiset<std::pair<uint64_t, uint64_t>>& marked() {
  static std::multiset<std::pair<uint64_t, uint64_t>> files;
  return files;
}

}  // namespace

InputMark::InputMark(const FileStatus& status) {
  if (!status.regular) return;
  file_ = status.identity;
  marked().insert(*file_);
}

InputMark::~InputMark() {
  if (file_) marked().erase(marked().find(*file_));
}

bool is_being_read(const FileStatus& status) { return status.regular && marked().contains(status.identity); }

}  // namespace ctv::tools
