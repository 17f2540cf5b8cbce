// SPDX-License-Identifier: BSD-3-Clause
// A stream's description of its pictures, as JSON. `About` is a ctv_config or a ctv_stream_info.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/names.h"

namespace ctv::tools {

template <class About>
void add_description(nlohmann::ordered_json& j, const About& about) {
  j["aspect"] = {about.aspect_width, about.aspect_height};
  j["range"] = name_of(kRanges, about.range);
  j["primaries"] = about.primaries;
  j["transfer"] = about.transfer;
  j["matrix"] = about.matrix;
  j["siting"] = name_of(kSitings, about.siting);
  j["interlace"] = name_of(kInterlaces, about.interlace);
}

}  // namespace ctv::tools
