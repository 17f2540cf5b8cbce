// SPDX-License-Identifier: BSD-3-Clause
// A survey as JSON for programs.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/description.h"
#include "cli/names.h"
#include "cli/parameters.h"
#include "ctinfo/survey.h"

namespace ctv::tools {
namespace {

using Json = nlohmann::ordered_json;

Json header_json(const ctv_stream_info& i) {
  Json j;
  j["width"] = i.width;
  j["height"] = i.height;
  j["format"] = name_of(kFormats, i.format);
  j["frame_rate"] = {i.fps_num, i.fps_den};
  add_description(j, i);
  j["chroma_420"] = i.chroma_420 != 0;
  j["pyramid"] = name_of(kPyramids, i.pyramid);
  j["scales"] = i.scales;
  j["directions"] =
      std::vector<int32_t>(i.directions, i.directions + std::clamp(i.scales, 0, CTV_MAX_SCALES));
  j["prediction"] = name_of(kPredictions, i.prediction);
  j["entropy_coding"] = name_of(kEntropyCodings, i.entropy_coding);
  // All other parameters of the library: flags and numbers. fps_* is frame_rate, aspect_* is aspect.
  for (const ctv_parameter_info& p : parameters()) {
    const std::string key = p.name;
    if (j.contains(key) || key.starts_with("fps_") || key.starts_with("aspect_")) continue;
    const int32_t value = value_of(p, i);
    j[key] = p.minimum == 0 && p.maximum == 1 ? Json(value != 0) : Json(value);
  }
  j["planes"] = i.planes;
  j["subbands"] = std::vector<int32_t>(i.subbands, i.subbands + std::clamp(i.planes, 0, 3));
  j["components"] = i.components;
  j["layers"] = i.layers;
  return j;
}

}  // namespace

std::string survey_json(const std::string& name, const Survey& s, bool frames) {
  Json j;
  j["tool"] = "ctinfo";
  j["version"] = ctv_version();
  j["input"] = name;
  j["stream"] = header_json(s.stream);
  j["index_entries"] = s.index_entries ? Json(*s.index_entries) : Json(nullptr);
  j["frames"] = s.frames;
  j["key_frames"] = s.key_frames;
  j["bytes"] = s.bytes;
  j["seconds"] = s.seconds();
  j["bits_per_pixel"] = s.bits_per_pixel();
  j["header_bytes"] = s.header_bytes;
  j["key_frame_bytes"] = s.key_bytes;
  j["packet_header_bytes"] = s.packet_header_bytes;
  j["side_bytes"] = s.side_bytes;
  j["slope_blocks"] = s.slope_blocks;
  j["slanted_blocks"] = s.slanted_blocks;
  j["directed_key_frames"] = s.directed_frames;
  std::vector<uint64_t> layers(static_cast<size_t>(std::clamp(s.stream.layers, 0, CTV_MAX_SCALES + 1)), 0);
  Json components = Json::array();
  for (const ComponentSurvey& c : s.components) {
    if (c.info.layer >= 0 && static_cast<size_t>(c.info.layer) < layers.size())
      layers[static_cast<size_t>(c.info.layer)] += c.bytes;
    components.push_back({{"layer", c.info.layer},
                          {"planes", {c.info.first_plane, c.info.last_plane}},
                          {"subbands", {c.info.first_subband, c.info.last_subband}},
                          {"coefficients", c.info.coefficients},
                          {"bytes", c.bytes}});
  }
  j["layer_bytes"] = layers;
  j["region_bytes"] = s.region_bytes;
  j["components"] = components;
  if (frames) {
    Json list = Json::array();
    for (const PacketSurvey& p : s.packets)
      list.push_back({{"frame", p.info.frame_number},
                      {"type", p.info.key_frame != 0 ? "I" : "P"},
                      {"reference", p.info.key_frame != 0 ? Json(nullptr) : Json(p.info.reference_frame)},
                      {"slot", p.info.keep_in == CTV_KEEP_NOWHERE ? Json(nullptr) : Json(p.info.keep_in)},
                      {"temporal_id", p.info.temporal_id},
                      {"timestamp", p.info.timestamp},
                      {"duration", p.info.duration},
                      {"offset", p.offset},
                      {"bytes", p.size},
                      {"header_bytes", p.info.header_size},
                      {"side_bytes", p.info.side_size},
                      {"slope_blocks", p.info.slope_blocks},
                      {"slanted_blocks", p.info.slanted_blocks},
                      {"band_directions", {p.info.band_directions[0], p.info.band_directions[1]}},
                      {"step", p.info.step}});
    j["packets"] = list;
  }
  if (!s.damage.empty()) j["damage"] = s.damage;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ctv::tools
