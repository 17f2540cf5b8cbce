// SPDX-License-Identifier: BSD-3-Clause
// `ctbench all`: every verb after the other into one folder, and the page. A verb that cannot be run is told
// in one line and left out.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "bench/measurement.h"
#include "bench/verbs.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

enum class Effort { kQuick, kUsual, kFull };

using Run = Exit (*)(int argc, const char* const* argv);

struct Step {
  const char* name;  // of its files
  Run run;
  const char* quick;  // options of each effort
  const char* usual;
  const char* full;
  enum { kNone, kFirst, kAll } clips;  // which it is given
};

constexpr Step kSteps[] = {
    {"speedup", &run_speedup, "--sizes 320x240,640x480 --frames 3 --runs 2", "--frames 6", "--frames 20",
     Step::kAll},
    {"speedup-default", &run_speedup, "--variant default --sizes 320x240,640x480 --frames 3 --runs 2",
     "--variant default --frames 6", "--variant default --frames 20", Step::kAll},
    {"rd", &run_rd, "--frames 3 --qp 24,32,40",
     "--frames 10 --ours default --ours paper:preset=paper,keyint=10",
     "--frames 20 --peers all --ours default --ours paper:preset=paper,keyint=10", Step::kAll},
    {"peers", &run_peers, "--size 320x240 --frames 20 --runs 1 --peers x264-ultrafast",
     "--frames 20 --peers x264-ultrafast,x264-veryfast,mjpeg,svt-av1-p10",
     "--size 1920x1080 --frames 30 --peers x264-ultrafast,x264-veryfast,mjpeg,svt-av1-p10", Step::kFirst},
    {"pictures", &run_pictures, "--size 320x240 --frames 2 --peers x264-ultrafast", "", "--frames 30",
     Step::kFirst},
    {"pictures-transforms", &run_pictures, "--transforms --frames 1 --qp 42 --size 160x96",
     "--transforms --frames 1 --qp 42", "--transforms --frames 1 --qp 42", Step::kFirst},
    {"scale", &run_scale, "--size 320x240 --frames 2 --runs 1", "--frames 4", "--large", Step::kFirst},
    {"scale-cpu", &run_scale, nullptr, "--backend cpu --frames 4", "--backend cpu", Step::kFirst},
    {"latency", &run_latency, "--size 640x480 --seconds 1", "--seconds 5", "--seconds 6 --fps 60",
     Step::kFirst},
    {"streams", &run_streams, "--size 320x240 --most 2 --frames 5 --runs 1", "--frames 10",
     "--most 32 --runs 2", Step::kFirst},
    {"loss", &run_loss, "--frames 20 --loss 5 --burst 1", "--frames 90 --burst 1", "--frames 600 --seeds 3",
     Step::kFirst},
    {"papers", &run_papers, "--quick --runs 1", "", "", Step::kNone}};

/// Verb, options and clips; empty for what is not run.
std::vector<std::string> words_of(const Step& step, Effort effort, const std::vector<std::string>& clips) {
  const char* options = effort == Effort::kQuick   ? step.quick
                        : effort == Effort::kUsual ? step.usual
                                                   : step.full;
  const bool again = std::string_view(step.name) == "scale-cpu";  // threads matter most where they do all
  if (options == nullptr || (again && ctv_device_count() <= 0)) return {};
  std::vector<std::string> words = {split(step.name, '-')[0]};
  for (const std::string& word : split(options, ' '))
    if (!word.empty()) words.push_back(word);
  const size_t most = step.clips == Step::kAll ? clips.size() : step.clips == Step::kFirst ? 1 : 0;
  words.insert(words.end(), clips.begin(),
               clips.begin() + static_cast<std::ptrdiff_t>(std::min(most, clips.size())));
  if (step.run == &run_rd && clips.empty())
    words.emplace_back(effort == Effort::kQuick ? "generate:320x240@30:3" : "generate:640x360@30:30");
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
  about.examples = {{"ctbench all -o out", "some minutes on two cores"},
                    {"ctbench all --full -o out a.y4m b.y4m c.y4m", "for a record, on a fast machine"}};
  Options options(about);
  std::string folder;
  Effort effort = Effort::kUsual;
  bool progress = true;
  options.value(
      "-o,--output", "DIR", "Where everything goes; is made if it is not there",
      [&](const std::string& s) { folder = s; }, ValueKind::kFile);
  options.flag("--quick", "A first impression, in seconds", [&] { effort = Effort::kQuick; });
  options.flag("--full", "More frames, all peers, larger pictures: for a record",
               [&] { effort = Effort::kFull; });
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
    std::vector<std::string> words = words_of(step, effort, arguments.positional);
    if (words.empty()) continue;
    words.insert(words.end(), {"--json", file + ".json"});
    if (!progress) words.emplace_back("--no-progress");
    std::string shown = "ctbench";
    for (const std::string& word : words) shown += " " + word;
    std::printf("== %s\n\n", shown.c_str());
    std::fflush(stdout);
    Exit code = Exit::kOk;
    try {
      code = call(step.run, words);
    } catch (const Failure& e) {
      code = e.code();
      std::fprintf(stderr, "ctbench: %s: %s\n", step.name, e.what());
    } catch (const Error& e) {
      code = exit_of(e.status());
      std::fprintf(stderr, "ctbench: %s: %s\n", step.name, e.what());
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
  } catch (const Failure& e) {  // the figures are there all the same
    std::fprintf(stderr, "ctbench: no page: %s\n", e.what());
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  std::printf("All of it took %.0f s.\n", passed.count());
  return worst;
}

}  // namespace ctv::tools
