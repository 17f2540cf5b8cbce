// SPDX-License-Identifier: BSD-3-Clause
// The final report of ctdec: as text and as JSON.
#include <nlohmann/json.hpp>

#include "cli/description.h"
#include "cli/names.h"
#include "cli/text.h"
#include "ctdec/decode.h"

namespace ctv::tools {

std::string decode_summary(const DecodeOptions& options, const DecodeResult& r) {
  std::string out = "running   " + r.running + "\n";
  out += text("decoded   %lld frames of %dx%d %s in %.2f s, %.2f fps\n", static_cast<long long>(r.frames),
              r.width, r.height, name_of(kFormats, r.format), r.seconds, r.fps());
  if (options.reduction > 0 && r.stream.prediction == CTV_PREDICTION_PICTURE && r.stream.lossless != 0)
    out += "drift     at a reduced resolution errors add up from key frame to key frame\n";
  if (options.stage_times) out += "\n" + stage_table(r.stages);
  return out;
}

std::string decode_damage(const DecodeResult& r) {
  std::string out =
      text("damage in %lld places; %lld further frames lost their reference; %lld repeated pictures",
           static_cast<long long>(r.damaged), static_cast<long long>(r.dropped),
           static_cast<long long>(r.repeated));
  if (r.concealed > 0) out += text("; %lld pictures lack detail", static_cast<long long>(r.concealed));
  return out;
}

std::string decode_json(const DecodeOptions& options, const DecodeResult& r) {
  using Json = nlohmann::ordered_json;
  Json j;
  j["tool"] = "ctdec";
  j["version"] = ctv_version();
  j["input"] = options.input;
  j["output"] = options.output.path;
  j["width"] = r.width;
  j["height"] = r.height;
  j["format"] = name_of(kFormats, r.format);
  j["frame_rate"] = {r.stream.fps_num, r.stream.fps_den};
  add_description(j, r.stream);
  add_running(j, r.running);
  j["complete"] = r.complete();
  j["frames"] = r.frames;
  j["repeated_frames"] = r.repeated;
  j["damaged_places"] = r.damaged;
  j["dropped_frames"] = r.dropped;
  j["concealed_frames"] = r.concealed;
  j["bytes"] = r.bytes;
  j["bytes_written"] = r.written;
  j["seconds"] = r.seconds;
  j["fps"] = r.fps();
  if (!r.md5.empty()) j["md5"] = r.md5;
  Json stages = Json::array();
  for (const ctv_stage_time& s : r.stages)
    stages.push_back({{"name", s.name}, {"seconds", s.seconds}, {"calls", s.calls}});
  j["stages"] = stages;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";  // paths may not be UTF-8
}

}  // namespace ctv::tools
