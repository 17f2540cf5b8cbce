// SPDX-License-Identifier: BSD-3-Clause
// Names of image sequences: "img_%05d.png". One %d, %Nd or %0NNd; the text is never given to printf. Any
// other % is a character of the name, and so are all in the name of a folder that exists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ctv::tools {

class Pattern {
 public:
  /// A pattern without a number means one file. `literal`: so does this one. Throws Failure(kUsage) for two
  /// numbers.
  explicit Pattern(const std::string& pattern, bool literal = false);
  bool numbered() const { return numbered_; }
  std::string name(int64_t number) const;
  /// The smallest number from `from` on of which a file exists; nothing if there is none.
  std::optional<int64_t> next_existing(int64_t from) const;

 private:
  std::string before_, after_;
  bool numbered_ = false;
  size_t width_ = 0;
  char fill_ = ' ';
};

/// The extension of the name in lower case, without the point: "png"; "" if there is none.
std::string extension_of(const std::string& path);

}  // namespace ctv::tools
