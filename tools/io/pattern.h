// SPDX-License-Identifier: BSD-3-Clause
// Names of image sequences: "img_%05d.png". One %d, %Nd or %0Nd; the text is never given to printf.
#pragma once

#include <cstdint>
#include <string>

namespace ctv::tools {

class Pattern {
 public:
  /// A pattern without a number means one file. Throws Failure(kUsage) for other uses of '%'.
  explicit Pattern(const std::string& pattern);
  bool numbered() const { return numbered_; }
  std::string name(int64_t number) const;

 private:
  std::string before_, after_;
  bool numbered_ = false;
  size_t width_ = 0;
  char fill_ = ' ';
};

/// The extension of the name in lower case, without the point: "png"; "" if there is none.
std::string extension_of(const std::string& path);

}  // namespace ctv::tools
