// SPDX-License-Identifier: BSD-3-Clause
// ctbench: measures this codec; the first argument selects the measurement.
#include <cstdio>
#include <cstring>
#include <string>

#include <ctv/ctv.h>

#include "bench/verbs.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

struct Verb {
  const char* name;
  const char* what;
  Exit (*run)(int argc, const char* const* argv);
};

constexpr Verb kVerbs[] = {
    {"rd", "bits and quality of clips, compared with other codecs", &run_rd},
    {"speedup", "the paper's comparison of CPU and GPU, on this machine", &run_speedup},
    {"peers", "speed and bytes compared with other codecs at equal luma PSNR", &run_peers},
    {"pictures", "what codecs make of one picture at equal bytes, side by side", &run_pictures},
    {"scale", "how cost grows with threads, resolution, search, levels, directions", &run_scale},
    {"latency", "what a viewer of a live source waits", &run_latency},
    {"streams", "how many live encoders one machine or device carries", &run_streams},
    {"loss", "what a viewer of a call sees when datagrams are lost", &run_loss},
    {"papers", "the papers' kernels, with their published figures and this machine's", &run_papers},
    {"all", "every measurement and the page, into one folder", &run_all},
    {"report", "one page from the JSON of runs: ctbench report run.json... -o report.html", &run_report},
};

/// For `ctbench --help` and the man page; every verb has its own --help.
ToolText about() {
  ToolText text;
  text.name = "ctbench";
  text.summary = "measure the ctv contourlet codec";
  text.description =
      "The first argument, VERB, says what is measured. ctbench VERB --help tells its options, and there is "
      "a man page of "
      "each, ctbench-VERB.";
  for (const Verb& verb : kVerbs) {
    text.examples.emplace_back(std::string("ctbench ") + verb.name, verb.what);
    text.verbs.emplace_back(verb.name);
  }
  return text;
}

}  // namespace
}  // namespace ctv::tools

int main(int argc, char** argv) {
  using namespace ctv::tools;
  return run_tool("ctbench", [&] {
    show_library_log(false);
    for (const Verb& verb : kVerbs)
      if (argc > 1 && std::strcmp(argv[1], verb.name) == 0) return verb.run(argc - 1, argv + 1);
    // Completions of the verbs precede the one that chooses among them.
    if (argc == 3 && std::strcmp(argv[1], "--completion") == 0) {
      if (std::strcmp(argv[2], "zsh") == 0) std::puts("#compdef ctbench");
      for (const Verb& verb : kVerbs) {
        const char* const words[] = {verb.name, argv[1], argv[2]};
        verb.run(3, words);
      }
    }
    Options options(about());
    std::string unknown;
    options.positional("VERB", "What to measure", [&](const std::string& s) { unknown = s; });
    if (!options.parse(argc, argv)) return Exit::kOk;
    std::string known;
    for (const Verb& verb : kVerbs) known += (known.empty() ? "" : ", ") + std::string(verb.name);
    throw Failure(Exit::kUsage, unknown.empty() ? "no verb" : "'" + unknown + "' is not a verb",
                  known + "; see ctbench --help");
  });
}
