// SPDX-License-Identifier: BSD-3-Clause
// `ctbench all`: every verb after the other into one folder, and the page. A verb that cannot be run is told
// in one line and left out.
#include <chrono>
#include <cstdio>
#include <filesystem>

#include <ctv/ctv.hpp>

#include "bench/arguments.h"
#include "bench/verbs.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

enum class Effort { kQuick, kUsual, kFull };

struct Step {
  const char* name;  // of its files
  Exit (*run)(int argc, const char* const* argv);
  std::vector<std::string> words;  // the verb and its options
};

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (const std::string& word : split(line, ' '))
    if (!word.empty()) words.push_back(word);
  return words;
}

/// Clips: all for what is averaged over clips, the first for the rest.
std::vector<Step> steps(Effort effort, const std::vector<std::string>& clips) {
  const auto chosen = [&](const char* quick, const char* usual, const char* full) {
    return words_of(effort == Effort::kQuick ? quick : effort == Effort::kUsual ? usual : full);
  };
  std::vector<Step> list = {
      {"speedup", &run_speedup,
       chosen("speedup --sizes 320x240,640x480 --frames 3 --runs 2", "speedup --frames 6 --runs 10",
              "speedup --frames 20 --runs 10")},
      {"speedup-default", &run_speedup,
       chosen("speedup --variant default --sizes 320x240,640x480 --frames 3 --runs 2",
              "speedup --variant default --frames 6 --runs 10",
              "speedup --variant default --frames 20 --runs 10")},
      {"stages", &run_stages, chosen("stages --size 640x480 --runs 3", "stages", "stages")},
      {"rd", &run_rd,
       chosen("rd --frames 3 --qp 24,32,40",
              "rd --frames 10 --ours default --ours paper:preset=paper,keyint=10",
              "rd --frames 20 --peers all --ours default --ours paper:preset=paper,keyint=10")},
      {"peers", &run_peers,
       chosen("peers --size 320x240 --frames 3 --runs 1 --peers x264-ultrafast",
              "peers --frames 20 --peers x264-ultrafast,x264-veryfast,mjpeg,svt-av1-p10",
              "peers --size 1920x1080 --frames 30 --peers x264-ultrafast,x264-veryfast,mjpeg,svt-av1-p10")},
      {"pictures", &run_pictures,
       chosen("pictures --size 320x240 --frames 2 --peers x264-ultrafast", "pictures --frames 10",
              "pictures --frames 30")},
      {"pictures-transforms", &run_pictures,
       words_of(std::string("pictures --transforms --frames 1 --qp 42") +
                (effort == Effort::kQuick ? " --size 160x96" : ""))},
      {"scale", &run_scale,
       chosen("scale --size 320x240 --frames 2 --runs 1", "scale --frames 4 --runs 3",
              "scale --frames 10 --runs 3 --large")},
      {"latency", &run_latency,
       chosen("latency --size 640x480 --seconds 1", "latency --seconds 5", "latency --seconds 6 --fps 60")},
      {"streams", &run_streams,
       chosen("streams --size 320x240 --most 2 --frames 5 --runs 1", "streams --most 8 --frames 10",
              "streams --most 32 --frames 20 --runs 2")},
      {"papers", &run_papers, chosen("papers --quick --runs 1", "papers", "papers")}};
  if (effort != Effort::kQuick && ctv_device_count() > 0)  // threads matter most where they do all
    list.insert(list.end() - 3,
                {"scale-cpu", &run_scale,
                 words_of(effort == Effort::kFull ? "scale --backend cpu --frames 10 --runs 3"
                                                  : "scale --backend cpu --frames 4 --runs 3")});
  for (Step& step : list) {
    const bool averaged = step.run == &run_speedup || step.run == &run_rd;
    if (step.run == &run_stages || step.run == &run_papers) continue;
    if (averaged) step.words.insert(step.words.end(), clips.begin(), clips.end());
    if (!averaged && !clips.empty()) step.words.push_back(clips.front());
    if (step.run == &run_rd && clips.empty())
      step.words.push_back(effort == Effort::kQuick ? "generate:320x240@30:3" : "generate:640x360@30:30");
  }
  return list;
}

Exit call(Exit (*run)(int, const char* const*), const std::vector<std::string>& words) {
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
      "Runs speedup with the paper's and the default preset, stages, rd, scale, latency, streams and papers "
      "on "
      "CLIPs, or on "
      "generated ones, writes JSON and CSV of each into a folder and draws the page, index.html. "
      "Interrupted, "
      "it keeps what it has: ctbench report makes the page of that.";
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
  for (const Step& step : steps(effort, arguments.positional)) {
    const std::string file = folder + "/" + step.name;
    std::vector<std::string> words = step.words;
    words.insert(words.end(), {"--json", file + ".json", "--csv", file + ".csv"});
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
