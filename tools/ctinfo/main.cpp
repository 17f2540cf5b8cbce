// SPDX-License-Identifier: BSD-3-Clause
// ctinfo: shows a ctv stream's header and the distribution of its bytes.
#include <cstdio>

#include "cli/exit.h"
#include "cli/options.h"
#include "ctinfo/survey.h"
#include "io/check_files.h"
#include "io/container.h"
#include "io/output_file.h"

int main(int argc, char** argv) {
  using namespace ctv::tools;
  return run_tool("ctinfo", [&] {
    ToolText about;
    about.name = "ctinfo";
    about.summary = "describe a ctv stream";
    about.description =
        "Header, sizes by layer and component, bits per pixel; nothing is decoded. INPUT may be - for "
        "standard input.";
    about.examples = {{"ctinfo in.ctv --frames", "with a line for each frame"},
                      {"ctinfo in.ctv --json -", "for programs"}};
    Options options(about);
    std::string input, json;
    bool frames = false;
    options.positional("INPUT", "Stream to describe; - is standard input",
                       [&](const std::string& s) { input = s; });
    options.section("Output");
    options.flag("--frames", "A line for each frame too", [&] { frames = true; });
    options.value(
        "--json", "FILE", "Write all as JSON; - is standard output, without the text then",
        [&](const std::string& s) { json = s; }, ValueKind::kFile);
    if (!options.parse(argc, argv)) return Exit::kOk;
    if (input.empty()) throw Failure(Exit::kUsage, "no input", "see ctinfo --help");
    check_files({input}, {json});

    UnitReader units(open_stream(input));
    const Survey result = survey(units, frames);
    if (!result.has_header) throw Failure(Exit::kFile, units.source().name() + " is empty");
    if (json != "-") OutputFile("-").write(survey_text(input, result, frames));
    if (!json.empty()) {
      OutputFile out(json);
      out.write(survey_json(input, result, frames));
      out.commit();
    }
    if (!result.damage.empty()) throw Failure(Exit::kStream, result.damage);
    return Exit::kOk;
  });
}
