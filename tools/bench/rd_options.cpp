// SPDX-License-Identifier: BSD-3-Clause
// `ctbench rd`: its command line.
#include <cstdio>

#include "bench/arguments.h"
#include "bench/outputs.h"
#include "bench/rd.h"
#include "bench/verbs.h"
#include "cli/signals.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

std::vector<double> numbers(const std::string& option, const std::string& s) {
  std::vector<double> list;
  for (const std::string& part : split(s, ',')) {
    const auto value = parse_real(part);
    if (!value) throw Failure(Exit::kUsage, option + ": '" + s + "' is not a list of numbers");
    list.push_back(*value);
  }
  return list;
}

ToolText rd_about() {
  ToolText about;
  about.name = "ctbench rd";
  about.summary = "bits and quality of clips, beside other codecs";
  about.description =
      "CLIPs (y4m, image sequences, generate:WxH@FPS:N) are encoded at several qualities by variants of this "
      "codec and by installed peers through their own command lines, decoded, and compared: PSNR of Y, U, V, "
      "6:1:1, SSIM, and BD-rates against an anchor. Prints a table for each clip and a summary.";
  about.examples = {{"ctbench rd a.y4m b.y4m --json run.json", "our default beside x264 and Motion JPEG"},
                    {"ctbench rd a.y4m --ours default --ours flat:preset=default,directions=0 --anchor "
                     "default --peers none",
                     "what directions are worth"}};
  return about;
}

void add_rd_options(Options& options, RdOptions& rd) {
  options.section("Measuring");
  options.value("--ours", "VARIANT",
                "A preset, or NAME:KEY=VALUE,... with ctenc's options as keys; may be given several times; "
                "default unless given",
                [](const std::string&) {});
  options.value("--qp", "LIST", "Quantisers of ours; 16,20,...,44 unless given",
                [&](const std::string& s) { rd.qps = numbers("--qp", s); });
  options.value("--peers", "LIST",
                "x264-ultrafast, x264-veryfast, mjpeg (these unless given), svt-av1-p10, vc2; all; none",
                [&](const std::string& s) { rd.peers = choose_peers(s); });
  options.value("--anchor", "CODEC", "What BD-rates are against: a variant's or peer's name; x264-ultrafast",
                [&](const std::string& s) { rd.anchor = s; });
  options.integer("--frames", "N", "At most so many frames of each clip; 30 unless given", 1, 1 << 20,
                  [&](int64_t n) { rd.frames = n; });
  options.integer("--keyint", "N", "Frames from key frame to key frame, 0: only the first; 10 unless given",
                  0, 1 << 30, [&](int64_t n) { rd.key_interval = n; });
  options.flag("--mean-psnr", "Curves over the mean of the frames' PSNRs, not over that of the total error",
               [&] { rd.mean_psnr = true; });
  options.value("--range", "FROM,TO", "Luma and 6:1:1 PSNR where BD-rates are taken; 30,44 unless given",
                [&](const std::string& s) {
                  const std::vector<double> ends = numbers("--range", s);
                  if (ends.size() != 2 || ends[0] >= ends[1])
                    throw Failure(Exit::kUsage, "--range: '" + s + "' is no range", "30,44");
                  rd.range = {ends[0], ends[1]};
                });
  for (const char* name : {"--threads", "--backend", "--engine", "--device", "--in-flight"})
    options.value(name, "X", "As ctenc's: how ours run", [&rd, name](const std::string& s) {
      rd.run.emplace_back(name);
      rd.run.push_back(s);
    });
  options.section("Reports");
  options.flag("--points", "Print every point as well", [&] { rd.points = true; });
  options.value(
      "--json", "FILE", "Write all as JSON; - is standard output", [&](const std::string& s) { rd.json = s; },
      ValueKind::kFile);
  options.value(
      "--csv", "FILE", "Write every point as a line", [&](const std::string& s) { rd.csv = s; },
      ValueKind::kFile);
  options.flag("-q,--quiet", "Say nothing but errors", [&] { rd.quiet = true; });
  options.flag("--no-progress", "No moving line on the terminal", [&] { rd.progress = false; });
}

}  // namespace

Exit run_rd(int argc, const char* const* argv) {
  RdOptions rd;
  rd.qps = {16, 20, 24, 28, 32, 36, 40, 44};
  rd.peers = choose_peers("");
  Options options(rd_about());
  add_rd_options(options, rd);
  const Arguments arguments = take_arguments(argc, argv, options, {"--ours"});
  if (!options.parse(static_cast<int>(arguments.rest.size()), arguments.rest.data())) return Exit::kOk;
  rd.clips = arguments.positional;
  if (rd.clips.empty())
    throw Failure(Exit::kUsage, "no clips", "ctbench rd CLIP.y4m..., see ctbench rd --help");
  for (const std::string& text : arguments.repeated[0]) rd.ours.push_back(parse_variant(text));
  if (rd.ours.empty()) rd.ours.push_back(parse_variant("default"));
  for (const Variant& variant : rd.ours) variant_options(variant, rd.run, {"--qp", "30"});  // wrong ones now
  Outputs outputs({rd.json, rd.csv});
  const RdResult result = measure_rd(rd);
  if (result.clips.empty()) throw Failure(Exit::kFile, "no clip could be measured");
  outputs.write(0, dump(rd_json(rd, result)));
  outputs.write(1, rd_csv(result));
  if (!rd.quiet && !outputs.uses_stdout()) std::fputs(rd_text(rd, result).c_str(), stdout);
  return end_of_run(result.complete);
}

}  // namespace ctv::tools
