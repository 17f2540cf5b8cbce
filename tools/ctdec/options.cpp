// SPDX-License-Identifier: BSD-3-Clause
#include "ctdec/options.h"

#include "cli/names.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

struct Kind {
  const char* name;
  OutputKind value;
};
constexpr Kind kKinds[] = {{"y4m", OutputKind::kY4m},
                           {"raw", OutputKind::kRaw},
                           {"png", OutputKind::kPng},
                           {"ppm", OutputKind::kPpm},
                           {"null", OutputKind::kNull}};

void add_limit(Options& options, const char* name, const char* help, std::optional<uint64_t>& target) {
  options.value(name, "N", help, [name, &target](const std::string& s) {
    target = parse_bytes(s);
    if (!target)
      throw Failure(Exit::kUsage, std::string(name) + ": '" + s + "' is not a size",
                    "for example 4096, 64k, 512M, 2G");
  });
}

}  // namespace

ToolText ctdec_text() {
  ToolText text;
  text.name = "ctdec";
  text.summary = "decode video of the ctv contourlet codec";
  text.description =
      "INPUT is a ctv stream, - for standard input; a stream without an index, from a pipe or a crash, "
      "decodes as well. "
      "What is written follows from the output's name: .y4m, an image sequence such as out_%05d.png or .ppm, "
      "raw "
      "samples as .yuv or .rgb, null for nothing; - is y4m on standard output.";
  text.examples = {
      {"ctdec in.ctv -o out.y4m", "decode a file"},
      {"ctdec in.ctv -o - | ffplay -", "watch it"},
      {"ctdec in.ctv --resolution 1/4 --seek 100 --frames 1 -o still.png", "a small still"},
      {"ctdec in.ctv --md5", "the digest of all pictures"},
  };
  return text;
}

void add_decode_options(Options& options, DecodeOptions& decode) {
  options.positional("INPUT", "Stream to decode; - is standard input",
                     [&](const std::string& s) { decode.input = s; });
  options.section("Output");
  options.value(
      "-o,--output", "FILE", "Where the pictures go; - is standard output, null nowhere",
      [&](const std::string& s) { decode.output.path = s; }, ValueKind::kFile);
  options.choice("--output-format", kKinds, "What is written, if the name does not tell",
                 [&](OutputKind kind) { decode.output.kind = kind; });
  options.choice("--format", kFormats,
                 "Sample format of the pictures; rgb for images, else as the stream was made from",
                 [&](ctv_format format) { decode.format = format; });
  options.value("--resolution", "full|1/2|1/4|...", "Decode at a reduced resolution, from fewer bytes",
                [&](const std::string& s) {
                  if (s == "full" || s == "1" || s == "1/1") {
                    decode.reduction = 0;
                    return;
                  }
                  for (int32_t i = 1; i <= CTV_MAX_SCALES; ++i) {
                    decode.reduction = i;
                    if (s == "1/" + std::to_string(1 << i)) return;
                  }
                  throw Failure(Exit::kUsage, "--resolution: '" + s + "' is not known",
                                "full, 1/2, 1/4, 1/8, ...");
                });
  options.integer("--seek", "N", "Begin with frame N, counted from 0", 0, INT64_MAX,
                  [&](int64_t n) { decode.seek = n; });
  options.integer("--frames", "N", "Write at most N frames", 1, INT64_MAX,
                  [&](int64_t n) { decode.frames = n; });
  options.integer("--start-number", "N", "First number of an image sequence", 0, INT32_MAX,
                  [&](int64_t n) { decode.output.start_number = n; });
  options.flag("--md5", "Print the MD5 of all pictures' samples", [&] { decode.md5 = true; });
  options.value("--expect-md5", "HEX", "Fail with exit code 3 unless the pictures have this MD5",
                [&](const std::string& s) { decode.expected_md5 = s; });
  options.flag("--benchmark", "Print stage times; without -o nothing is written",
               [&] { decode.benchmark = true; });

  options.section("Safety");
  options.flag("--keep-going",
               "Leave out what is damaged, go on with the next unit; exit code 3 if anything was",
               [&] { decode.keep_going = true; });
  add_limit(options, "--max-pixels", "Refuse larger pictures (width x height)", decode.max_pixels);
  add_limit(options, "--max-memory", "Refuse streams that need more bytes of memory", decode.max_memory);
  add_limit(options, "--max-packet", "Refuse larger packets, in bytes", decode.max_packet_size);
  add_run_options(options, decode.run);
}

void complete_decode_options(DecodeOptions& decode) {
  const char* const see = "see ctdec --help";
  if (decode.input.empty()) throw Failure(Exit::kUsage, "no input", see);
  if (decode.output.path.empty() && decode.output.kind != OutputKind::kNull && !decode.md5 &&
      !decode.benchmark && decode.expected_md5.empty())
    throw Failure(Exit::kUsage, "no output: -o FILE is missing", see);
  const int uses_of_stdout = (decode.output.path == "-") + (decode.run.json == "-") + decode.md5;
  if (uses_of_stdout > 1) throw Failure(Exit::kUsage, "standard output is asked for more than once");
  if (decode.output.kind == OutputKind::kAuto) decode.output.kind = kind_of_output(decode.output.path);
  if (decode.format == CTV_FORMAT_NONE && is_image(decode.output.kind)) decode.format = CTV_FORMAT_RGB8;
}

}  // namespace ctv::tools
