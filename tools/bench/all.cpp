// SPDX-License-Identifier: BSD-3-Clause
// `ctbench all`: runs every verb into one folder, and makes the page. A verb that cannot run is reported in
// one line and left out.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "bench/measurement.h"
#include "bench/verbs.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

using Run = Exit (*)(int argc, const char* const* argv);

struct Step {
  const char* name;  // of the output files
  Run run;
  // Options of each effort. CLIP stands for the first clip, CLIPS for all.
  const char* quick;
  const char* usual;
};

constexpr Step kSteps[] = {
    {"speedup", &run_speedup, "CLIPS --sizes 320x240,640x480 --frames 3 --runs 2", "CLIPS --frames 6"},
    {"speedup-default", &run_speedup, "CLIPS --variant default --sizes 320x240,640x480 --frames 3 --runs 2",
     "CLIPS --variant default --frames 6"},
    {"rd", &run_rd, "CLIPS --frames 3 --qp 24,32,40",
     "CLIPS --frames 10 --ours default --ours paper:preset=paper,keyint=10"},
    {"peers", &run_peers, "CLIP --size 320x240 --frames 20 --runs 1 --peers x264-ultrafast",
     "CLIP --frames 20 --peers x264-ultrafast,x264-veryfast,mjpeg,svt-av1-p10"},
    {"pictures", &run_pictures, "CLIP --size 320x240 --frames 2 --peers x264-ultrafast", "CLIP"},
    {"pictures-transforms", &run_pictures, "CLIP --transforms --frames 1 --qp 42 --size 160x96",
     "CLIP --transforms --frames 1 --qp 42"},
    {"scale", &run_scale, "CLIP --size 320x240 --frames 2 --runs 1", "CLIP --frames 4"},
    {"scale-cpu", &run_scale, "", "CLIP --backend cpu --frames 4"},
    {"latency", &run_latency, "CLIP --size 640x480 --seconds 1", "CLIP --seconds 5"},
    {"streams", &run_streams, "CLIP --size 320x240 --most 2 --frames 5 --runs 1", "CLIP --frames 10"},
    {"loss", &run_loss, "CLIP --frames 20 --loss 5 --burst 1", "CLIP --frames 90 --burst 1"},
    {"papers", &run_papers, "--quick --runs 1", "--runs 5"}};

/// Verb, options and clips; empty if the step is not run.
std::vector<std::string> words_of(const Step& step, const char* options,
                                  const std::vector<std::string>& clips) {
  const bool again =
      std::string_view(step.name) == "scale-cpu";  // the number of threads matters most in this step
  if (*options == 0 || (again && ctv_device_count() <= 0)) return {};
  std::vector<std::string> words = {split(step.name, '-')[0]};
  for (const std::string& word : split(options, ' ')) {
    if (word == "CLIPS") {
      words.insert(words.end(), clips.begin(), clips.end());
    } else if (word == "CLIP") {
      words.insert(words.end(), clips.begin(), clips.begin() + (clips.empty() ? 0 : 1));
    } else {
      words.push_back(word);
    }
  }
  return words;
}

Exit call(Run run, const std::vector<std::string>& words) {
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  return run(static_cast<int>(argv.size()), argv.data());
}

}  // namespace

Exit run_all(int argc, const char* const* argv) {
  ToolText about;
  about.name = "ctbench all";
  about.summary = "every measurement and the page, into one folder";
  about.description =
      "Runs speedup with the paper's and the default preset, rd, peers, pictures, scale, latency, "
      "streams, loss and "
      "papers on CLIPs, or on generated ones, writes JSON of each into a folder and draws the page, "
      "index.html. "
      "Interrupted, it keeps what it has: ctbench report makes the page of that.";
  about.examples = {{"ctbench all -o out", "some minutes on two cores"}};
  about.operands = "[CLIP...]";
  Options options(about);
  std::string folder;
  const char* Step::*effort = &Step::usual;
  bool progress = true;
  options.value(
      "-o,--output", "DIR", "Where everything goes; is made if it is not there",
      [&](const std::string& s) { folder = s; }, ValueKind::kFile);
  options.flag("--quick", "A first impression, in seconds", [&] { effort = &Step::quick; });
  options.flag("--no-progress", "No moving line on the terminal", [&] { progress = false; });
  const Arguments arguments = take_arguments(argc, argv, options, {});
  if (!options.parse(static_cast<int>(arguments.rest.size()), arguments.rest.data())) return Exit::kOk;
  if (folder.empty()) throw Failure(Exit::kUsage, "no folder for the results", "ctbench all -o DIR");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Failure(Exit::kFile, "cannot make " + folder + ": " + error.message());

  std::vector<std::string> page = {"report"};
  Exit worst = Exit::kOk;
  const auto start = std::chrono::steady_clock::now();
  for (const Step& step : kSteps) {
    const std::string file = folder + "/" + step.name;
    std::vector<std::string> words = words_of(step, step.*effort, arguments.positional);
    if (words.empty()) continue;
    words.insert(words.end(), {"--json", file + ".json"});
    if (!progress) words.emplace_back("--no-progress");
    std::string shown = "ctbench";
    for (const std::string& word : words) shown += " " + word;
    std::printf("== %s\n\n", shown.c_str());
    std::fflush(stdout);
    const auto failed = [&](Exit code, const char* why) {
      std::fprintf(stderr, "ctbench: %s: %s\n", step.name, why);
      return code;
    };
    std::error_code none;  // of an earlier run, which the page would show otherwise
    std::filesystem::remove(file + ".json", none);
    Exit code = Exit::kOk;
    try {
      code = call(step.run, words);
    } catch (const Failure& e) {
      code = failed(e.code(), e.what());
    } catch (const Error& e) {
      code = failed(exit_of(e.status()), e.what());
    }
    if (code == Exit::kDefect || worst == Exit::kOk) worst = code;
    if (std::filesystem::exists(file + ".json")) page.push_back(file + ".json");
    std::printf("\n");
  }
  if (page.size() == 1) throw Failure(Exit::kFile, "nothing could be measured");
  page.insert(page.end(), {"-o", folder + "/index.html"});
  try {
    call(&run_report, page);
    std::printf("%s/index.html shows all of it.\n", folder.c_str());
  } catch (const Failure& e) {  // the figures are valid nevertheless
    std::fprintf(stderr, "ctbench: no page: %s\n", e.what());
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  std::printf("All of it took %.0f s.\n", passed.count());
  return worst;
}

}  // namespace ctv::tools
