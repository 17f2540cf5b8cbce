// SPDX-License-Identifier: BSD-3-Clause
// `ctbench peers`: its command line, table and document.
#include <algorithm>
#include <cstdio>

#include "bench/outputs.h"
#include "bench/table.h"
#include "bench/verbs.h"
#include "bench/versus.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

Json timing(const std::vector<double>& runs) {
  return {{"ms_per_frame", median(runs)},
          {"quartiles", {quantile(runs, 0.25), quantile(runs, 0.75)}},
          {"runs", runs}};
}

}  // namespace

std::string versus_text(const VersusOptions& options, const VersusResult& result) {
  const CommonOptions& common = options.common;
  std::string out = text("%s, %dx%d, %lld frames, a key frame every %lld, set to %g dB of luma; %s\n\n",
                         result.clip.c_str(), common.size.first, common.size.second,
                         static_cast<long long>(result.frames), static_cast<long long>(options.key_interval),
                         options.decibels, machine_line(machine_json()).c_str());
  Table table({"codec", "how", "setting", "dB", text("bytes a frame at %g dB", options.decibels), "encode ms",
               "decode ms"});
  for (const VersusRow& row : result.rows)
    table.add({row.codec, row.how, text("%s %g", row.setting_name.c_str(), row.setting),
               text("%.2f", row.yield.decibels),
               text("%.0f", row.bytes_at_target / static_cast<double>(std::max<int64_t>(result.frames, 1))),
               text("%.3f", median(row.encode_ms)), text("%.3f", median(row.decode_ms))});
  out += table.text();
  out +=
      "\nMedians. Other codecs run as programs: the time of all frames less that of one, so that start-up "
      "does not "
      "count;\nffmpeg decodes for all of them. Bytes are those of the nearest setting, moved to the same "
      "PSNR along "
      "the curve.\n";
  for (const std::string& missing : result.missing) out += "left out: " + missing + "\n";
  return out + (result.complete ? "" : "Interrupted: some is missing.\n");
}

Json versus_json(const VersusOptions& options, const VersusResult& result) {
  Json j = common_json("peers", options.common, result.complete);
  j["width"] = options.common.size.first;
  j["height"] = options.common.size.second;
  j["decibels"] = options.decibels;
  j["key_interval"] = options.key_interval;
  j["clip"] = result.clip;
  j["digest"] = result.digest;
  j["frames"] = result.frames;
  j["left_out"] = result.missing;
  j["results"] = Json::array();
  const auto frames = static_cast<double>(std::max<int64_t>(result.frames, 1));
  for (const VersusRow& row : result.rows)
    j["results"].push_back({{"codec", row.codec},
                            {"how", row.how},
                            {"threads", row.threads},
                            {"setting_name", row.setting_name},
                            {"setting", row.setting},
                            {"psnr_y", number(row.yield.decibels)},
                            {"bytes", row.yield.bytes},
                            {"bytes_per_frame", number(row.bytes_at_target / frames)},
                            {"command", row.command},
                            {"encode", timing(row.encode_ms)},
                            {"decode", timing(row.decode_ms)}});
  return j;
}

Exit run_peers(int argc, const char* const* argv) {
  ToolText about;
  about.name = "ctbench peers";
  about.summary = "speed and bytes beside other codecs at equal luma PSNR";
  about.description =
      "CLIP, or a generated one, is encoded and decoded by this codec on every backend and by the peers that "
      "are "
      "installed, each at the setting whose luma PSNR is nearest to the one asked for, in the same run.";
  about.examples = {{"ctbench peers a.y4m --size 1920x1080",
                     "beside x264, Motion JPEG, SVT-AV1, VC-2, libjpeg-turbo, nvJPEG"}};
  Options options(about);
  VersusOptions versus;
  versus.common.frames = 30;
  versus.peers = choose_peers("all");
  add_common_options(options, versus.common);
  options.section("Measuring");
  options.value("--peers", "LIST",
                "x264-ultrafast, x264-veryfast, mjpeg, svt-av1-p10, vc2; all unless given; none",
                [&](const std::string& s) { versus.peers = choose_peers(s); });
  options.value("--psnr", "DB", "Luma PSNR that all are set to; 40 unless given", [&](const std::string& s) {
    const auto value = parse_real(s);
    if (!value || *value < 10 || *value > 70)
      throw Failure(Exit::kUsage, "--psnr: '" + s + "' is no quality", "10 to 70");
    versus.decibels = *value;
  });
  options.integer("--keyint", "N", "Frames from key frame to key frame; 10 unless given", 1, 1 << 30,
                  [&](int64_t n) { versus.key_interval = n; });
  if (!parse_common(argc, argv, options, versus.common)) return Exit::kOk;
  Outputs outputs({versus.common.json, versus.common.csv});
  const VersusResult result = measure_versus(versus);
  const Json document = versus_json(versus, result);
  outputs.write(0, dump(document));
  outputs.write(1, csv_of(document["results"]));
  if (!versus.common.quiet && !outputs.uses_stdout()) std::fputs(versus_text(versus, result).c_str(), stdout);
  return end_of_run(result.complete);
}

}  // namespace ctv::tools
