// SPDX-License-Identifier: BSD-3-Clause
#include "bench/clip_sets.h"

#include <filesystem>

#include "cli/exit.h"

namespace ctv::tools {
namespace {

const ClipSet kSets[] = {
    {"calls",
     0,
     30,
     {"o02_vt2people_320x192", "o06_selfie_320x240", "o17_talkinghead_640x480", "o09_juggle_640x360"}},
    {"mixed",
     10,
     30,
     {"o02_vt2people_320x192", "o03_foreman_raw_352x288", "o05_mobile_352x288", "o06_selfie_320x240",
      "o08_parkjoy_480x270", "o11_roofs_1280x720", "o12_autumn_640x360", "o13_graffiti_1280x720"}},
    {"long", 0, 300, {"o09_juggle_640x360", "o10_flower_1280x720"}}};

}  // namespace

const ClipSet& clip_set(const std::string& name) {
  for (const ClipSet& set : kSets)
    if (set.name == name) return set;
  throw Failure(Exit::kUsage, "--set: '" + name + "' is not calls, mixed or long", "--set calls FOLDER");
}

std::vector<std::string> files_of(const ClipSet& set, const std::vector<std::string>& folder) {
  if (folder.size() != 1)
    throw Failure(Exit::kUsage, "--set wants one folder of clips", "--set calls FOLDER");
  std::vector<std::string> files;
  for (const std::string& clip : set.clips)
    files.push_back((std::filesystem::path(folder[0]) / clip).string() + ".y4m");
  return files;
}

}  // namespace ctv::tools
