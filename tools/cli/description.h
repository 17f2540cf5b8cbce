// SPDX-License-Identifier: BSD-3-Clause
// Parts that several tools' JSON has: a stream's description of its pictures, and what ran.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "cli/names.h"

namespace ctv::tools {

/// `About` is a ctv_config or a ctv_stream_info.
template <class About>
void add_description(nlohmann::ordered_json& j, const About& about) {
  j["aspect"] = {about.aspect_width, about.aspect_height};
  j["range"] = name_of(kRanges, about.range);
  j["primaries"] = about.primaries;
  j["transfer"] = about.transfer;
  j["matrix"] = about.matrix;
  j["siting"] = name_of(kSitings, about.siting);
  j["interlace"] = name_of(kInterlaces, about.interlace);
  j["mastering_primaries"] = about.mastering_primaries;
  j["mastering_luminance"] = about.mastering_luminance;
  j["content_light"] = about.content_light;
}

/// `running` is that of ctv_encoder_description(): "cpu: AVX2, 8 threads".
inline void add_running(nlohmann::ordered_json& j, const std::string& running) {
  const size_t colon = running.find(": ");
  j["backend"] = running.substr(0, colon);
  j["processor"] = running.substr(colon + 2, running.find(',') - colon - 2);
  j["running"] = running;
}

}  // namespace ctv::tools
