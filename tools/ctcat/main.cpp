// SPDX-License-Identifier: BSD-3-Clause
// ctcat: joins streams, and cuts one out of another, without coding them again.
#include <ctv/ctv.h>

#include <algorithm>
#include <optional>

#include "cli/arguments.h"
#include "cli/exit.h"
#include "cli/messages.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "ctcat/stream_joiner.h"
#include "io/check_files.h"
#include "io/container.h"
#include "io/unit_reader.h"

namespace ctv::tools {
namespace {

struct Cut {
  int64_t from = 0;
  std::optional<int64_t> frames;
};

/// Appends the frames of a file that are within the cut, and counts the file's frames.
void append(StreamJoiner& joiner, const std::string& path, const Cut& cut) {
  UnitReader units(open_stream(path));
  joiner.begin(path);
  int64_t position = 0, last_key = 0;
  bool empty = true;
  const int64_t end = cut.frames ? cut.from + *cut.frames : INT64_MAX;
  while (position < end) {
    check_interrupted();
    const std::optional<StreamUnit> unit = units.next();
    if (!unit) break;
    empty = false;
    if (unit->kind == CTV_UNIT_HEADER) joiner.header(unit->bytes);
    if (unit->kind != CTV_UNIT_PACKET) continue;
    if (position <= cut.from && joiner.is_key(unit->bytes)) last_key = position;
    if (position == cut.from && last_key != position)
      throw Failure(
          Exit::kUsage,
          text("--from: frame %lld of ", static_cast<long long>(position)) + path + " is no key frame",
          text("the key frame before it is %lld", static_cast<long long>(last_key)));
    if (position >= cut.from) joiner.packet(unit->bytes);
    ++position;
  }
  if (empty) throw Failure(Exit::kFile, units.source().name() + " is empty");
  if (cut.frames && position < end)
    throw Failure(Exit::kUsage, path + text(" has %lld frames only", static_cast<long long>(position)));
  if (position <= cut.from && cut.from > 0)
    throw Failure(Exit::kUsage, path + text(" has %lld frames only", static_cast<long long>(position)));
}

ToolText about() {
  ToolText text;
  text.name = "ctcat";
  text.summary = "join ctv streams, or cut one out of another";
  text.operands = "INPUT...";
  text.description =
      "Writes the frames of all INPUTs behind each other, in one stream with one index. Nothing is coded "
      "anew. "
      "All headers must be equal, and each INPUT begins with a key frame. Frames are numbered from 0 and "
      "shown "
      "from time 0 on, each INPUT where the one before it ends. Segments of a clip that were encoded alone, "
      "by "
      "ctenc --seek and --frames at a fixed quantiser, are joined to the bytes of one run, if each has whole "
      "intervals of key frames.";
  text.examples = {
      {"ctcat a.ctv b.ctv c.ctv -o all.ctv", "one stream of three"},
      {"ctcat all.ctv --from 100 --frames 50 -o cut.ctv", "frames 100 to 149; 100 is a key frame"}};
  return text;
}

}  // namespace
}  // namespace ctv::tools

int main(int argc, char** argv) {
  using namespace ctv::tools;
  return run_tool("ctcat", [&] {
    Options options(about());
    std::string output;
    Cut cut;
    options.section("Output");
    options.value(
        "-o,--output", "FILE", "Stream to write; - is standard output",
        [&](const std::string& s) { output = s; }, ValueKind::kFile);
    options.section("Cutting");
    options.integer("--from", "N", "First frame, counted from 0 in one INPUT: a key frame", 0, INT64_MAX / 2,
                    [&](int64_t n) { cut.from = n; });
    options.integer("--frames", "N", "So many frames of one INPUT", 1, INT64_MAX / 2,
                    [&](int64_t n) { cut.frames = n; });
    options.section("Reports");
    options.flag("-q,--quiet", "Say nothing but errors", [] { show_warnings(false); });
    const Arguments arguments = take_arguments(argc, argv, options, {});
    if (!options.parse(static_cast<int>(arguments.rest.size()), arguments.rest.data())) return Exit::kOk;
    if (arguments.positional.empty()) throw Failure(Exit::kUsage, "no input", "see ctcat --help");
    if (output.empty()) throw Failure(Exit::kUsage, "no output", "ctcat a.ctv b.ctv -o all.ctv");
    if (arguments.positional.size() > 1 && (cut.from > 0 || cut.frames))
      throw Failure(Exit::kUsage, "--from and --frames cut one INPUT", "join what was cut in another call");
    check_files(arguments.positional, {output});
    OutputFile out(output);
    StreamJoiner joiner(out);
    for (const std::string& path : arguments.positional) append(joiner, path, cut);
    joiner.finish();
    out.commit();
    return Exit::kOk;
  });
}
