// SPDX-License-Identifier: BSD-3-Clause
#include "io/input_mark.h"

#include <set>

namespace ctv::tools {
namespace {

std::multiset<std::pair<dev_t, ino_t>>& marked() {
  static std::multiset<std::pair<dev_t, ino_t>> files;
  return files;
}

}  // namespace

InputMark::InputMark(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return;
  file_.emplace(status.st_dev, status.st_ino);
  marked().insert(*file_);
}

InputMark::~InputMark() {
  if (file_) marked().erase(marked().find(*file_));
}

bool is_being_read(const struct stat& status) {
  return S_ISREG(status.st_mode) && marked().contains({status.st_dev, status.st_ino});
}

}  // namespace ctv::tools
