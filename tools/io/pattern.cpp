// SPDX-License-Identifier: BSD-3-Clause
#include "io/pattern.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cli/exit.h"
#include "cli/text.h"
#include "io/file_status.h"

namespace ctv::tools {

namespace {

bool digit(const std::string& s, size_t at) {
  return at < s.size() && std::isdigit(static_cast<unsigned char>(s[at])) != 0;
}

/// Length of the conversion at s[at] == '%': %d, %Nd or %0NNd; 0: it is none. "%20d" is a blank and a d, as
/// browsers write it.
size_t conversion(const std::string& s, size_t at) {
  size_t end = at + 1;
  const size_t most = end < s.size() && s[end] == '0' ? 3 : 1;
  while (end - at <= most && digit(s, end)) ++end;
  return end < s.size() && s[end] == 'd' ? end + 1 - at : 0;
}

}  // namespace

Pattern::Pattern(const std::string& pattern, bool literal) : before_(pattern) {
  if (literal) return;
  const size_t slash = pattern.find_last_of(kSlashes);
  size_t begin = slash == std::string::npos ? 0 : slash + 1;
  std::error_code error;
  if (begin > 0 && !std::filesystem::exists(path_of(pattern.substr(0, begin)), error)) begin = 0;
  before_.resize(begin);
  std::string* side = &before_;
  for (size_t i = begin; i < pattern.size(); ++i) {
    const size_t length = pattern[i] == '%' ? conversion(pattern, i) : 0;
    if (length == 0) {
      side->push_back(pattern[i]);
      if (pattern.compare(i, 2, "%%") == 0) ++i;
      continue;
    }
    if (numbered_)
      throw Failure(Exit::kUsage, "'" + pattern + "' is not a name pattern",
                    "one number, such as img_%05d.png");
    fill_ = pattern[i + 1] == '0' ? '0' : ' ';
    width_ = length > 2 ? static_cast<size_t>(std::stoi(pattern.substr(i + 1, length - 2))) : 0;
    numbered_ = true;
    side = &after_;
    i += length - 1;
  }
}

std::string Pattern::name(int64_t number) const {
  if (!numbered_) return before_;
  std::string digits = std::to_string(number);
  if (digits.size() < width_) digits.insert(0, width_ - digits.size(), fill_);
  return before_ + digits + after_;
}

std::optional<int64_t> Pattern::next_existing(int64_t from) const {
  namespace fs = std::filesystem;
  const size_t slash = before_.find_last_of(kSlashes);
  const std::string folder = slash == std::string::npos ? "" : before_.substr(0, slash + 1);
  std::optional<int64_t> least;
  std::error_code error;
  for (fs::directory_iterator entry(path_of(folder.empty() ? "." : folder), error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string file = folder + name_of(entry->path().filename());
    const size_t begin = file.find_first_not_of(' ', before_.size());
    if (!numbered_ || !file.starts_with(before_) || begin == std::string::npos) continue;
    const size_t length = std::min(file.find_first_not_of("0123456789", begin), file.size()) - begin;
    const auto number = parse_integer(std::string_view(file).substr(begin, length), from, INT64_MAX);
    if (number && name(*number) == file && (!least || *number < *least)) least = number;
  }
  return least;
}

std::string extension_of(const std::string& path) {
  const size_t dot = path.rfind('.');
  const size_t slash = path.find_last_of(kSlashes);
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
  std::string end = path.substr(dot + 1);
  for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return end;
}

}  // namespace ctv::tools
