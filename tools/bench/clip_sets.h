// SPDX-License-Identifier: BSD-3-Clause
// Named sets of clips that docs/compression.md reports on, with how they are coded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ctv::tools {

struct ClipSet {
  std::string name;
  int64_t key_interval;  // 0: one key frame
  int64_t frames;        // at most, of each clip
  std::vector<std::string> clips;
};

/// Fails with a hint unless there is one of that name.
const ClipSet& clip_set(const std::string& name);

/// The set's files in a folder; fails unless there is one folder.
std::vector<std::string> files_of(const ClipSet& set, const std::vector<std::string>& folder);

}  // namespace ctv::tools
