// SPDX-License-Identifier: BSD-3-Clause
#include "bench/common_options.h"

#include "bench/arguments.h"
#include "bench/scaler.h"
#include "cli/text.h"

namespace ctv::tools {

void add_common_options(Options& options, CommonOptions& common) {
  options.section("Measuring");
  options.value("--size", "WxH", "Size that the clip is scaled to; 1280x720 unless given",
                [&](const std::string& s) {
                  const auto size = parse_size(s);
                  if (!size) throw Failure(Exit::kUsage, "--size: '" + s + "' is not WIDTHxHEIGHT");
                  common.size = *size;
                });
  options.value("--variant", "VARIANT",
                "A preset, or NAME:KEY=VALUE,... with ctenc's options as keys; default unless given",
                [&](const std::string& s) { common.variant = parse_variant(s); });
  options.integer("--frames", "N", "Frames of the clip; 20 unless given", 1, 1 << 16,
                  [&](int64_t n) { common.frames = n; });
  options.integer("--runs", "N", "Runs that count, after one to warm up; 3 unless given", 1, 1000,
                  [&](int64_t n) { common.runs = static_cast<int>(n); });
  for (const char* name : {"--threads", "--backend", "--engine", "--device", "--in-flight"})
    options.value(name, "X", "As ctenc's", [&common, name](const std::string& s) {
      common.run.emplace_back(name);
      common.run.push_back(s);
    });
  options.section("Reports");
  options.value(
      "--json", "FILE", "Write all as JSON; - is standard output",
      [&](const std::string& s) { common.json = s; }, ValueKind::kFile);
  options.value(
      "--csv", "FILE", "Write every measurement as a line", [&](const std::string& s) { common.csv = s; },
      ValueKind::kFile);
  options.flag("-q,--quiet", "Say nothing but errors", [&] { common.quiet = true; });
  options.flag("--no-progress", "No moving line on the terminal", [&] { common.progress = false; });
}

bool parse_common(int argc, const char* const* argv, Options& options, CommonOptions& common) {
  const Arguments arguments = take_arguments(argc, argv, options, {});
  if (!options.parse(static_cast<int>(arguments.rest.size()), arguments.rest.data())) return false;
  if (arguments.positional.size() > 1) throw Failure(Exit::kUsage, "one clip at most", "see --help");
  if (!arguments.positional.empty()) common.clip = arguments.positional[0];
  variant_options(common.variant, common.run, {});  // what is wrong shows now
  return true;
}

Clip load_common_clip(const CommonOptions& common, std::pair<int32_t, int32_t> size) {
  const std::string path = common.clip.empty() ? text("generate:%dx%d@30:%lld", size.first, size.second,
                                                      static_cast<long long>(common.frames))
                                               : common.clip;
  Clip clip = load_clip(path, common.frames);
  if (common.clip.empty()) clip.name = "generated";
  return resized(clip, size.first, size.second, false);
}

ctv_config common_config(const CommonOptions& common, const Clip& clip,
                         const std::vector<std::string>& more) {
  return make_config(variant_options(common.variant, common.run, more), clip.video);
}

Json common_json(const char* kind, const CommonOptions& common, bool complete) {
  Json j = {{"tool", "ctbench"}, {"kind", kind}, {"schema", 1}, {"complete", complete}};
  j["machine"] = machine_json();
  j["settings"] = {{"variant", common.variant.name},
                   {"arguments", common.variant.arguments},
                   {"run", common.run},
                   {"clip", common.clip.empty() ? "generated" : clip_name(common.clip)},
                   {"frames", common.frames},
                   {"runs", common.runs}};
  return j;
}

}  // namespace ctv::tools
