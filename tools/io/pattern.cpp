// SPDX-License-Identifier: BSD-3-Clause
#include "io/pattern.h"

#include <cctype>

#include "cli/exit.h"

namespace ctv::tools {

Pattern::Pattern(const std::string& pattern) {
  std::string* side = &before_;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      side->push_back(pattern[i]);
      continue;
    }
    if (i + 1 < pattern.size() && pattern[i + 1] == '%') {
      side->push_back('%');
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (end < pattern.size() && pattern[end] == '0') fill_ = '0', ++end;
    size_t width = 0;
    while (end < pattern.size() && std::isdigit(static_cast<unsigned char>(pattern[end])) && width < 100)
      width = width * 10 + static_cast<size_t>(pattern[end++] - '0');
    if (numbered_ || end >= pattern.size() || pattern[end] != 'd' || width > 20)
      throw Failure(Exit::kUsage, "'" + pattern + "' is not a name pattern",
                    "one number, such as img_%05d.png");
    width_ = width;
    numbered_ = true;
    side = &after_;
    i = end;
  }
}

std::string Pattern::name(int64_t number) const {
  if (!numbered_) return before_;
  std::string digits = std::to_string(number);
  if (digits.size() < width_) digits.insert(0, width_ - digits.size(), fill_);
  return before_ + digits + after_;
}

std::string extension_of(const std::string& path) {
  const size_t dot = path.rfind('.');
  const size_t slash = path.rfind('/');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
  std::string end = path.substr(dot + 1);
  for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return end;
}

}  // namespace ctv::tools
