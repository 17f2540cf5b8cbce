// SPDX-License-Identifier: BSD-3-Clause
#include "ctdec/options.h"

#include "cli/names.h"
#include "cli/text.h"
#include "io/check_files.h"
#include "io/container.h"
#include "io/pattern.h"

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

/// Formats bytes like "256M", as add_limit reads it.
std::string size_text(uint64_t bytes) {
  constexpr uint64_t kMega = uint64_t{1} << 20;
  return bytes % (kMega << 10) == 0 ? text("%lluG", static_cast<unsigned long long>(bytes >> 30))
                                    : text("%lluM", static_cast<unsigned long long>(bytes >> 20));
}

/// In lower case, as Md5 returns it.
std::string parse_md5(const std::string& s) {
  std::string digest = s;
  for (char& c : digest)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  if (digest.size() != 32 || digest.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw Failure(Exit::kUsage, "--expect-md5: '" + s + "' is not an MD5", "32 hexadecimal digits");
  return digest;
}

/// Options without effect on --mux are refused.
void check_mux(const DecodeOptions& decode) {
  for (const std::string& name : decode.given)
    if (name.starts_with("--") && name != "--mux" && name != "--quiet" && name != "--no-progress")
      throw Failure(Exit::kUsage, name + " has no effect with --mux, which decodes nothing", "leave one out");
  if (container_of(decode.mux).empty())
    throw Failure(Exit::kUsage, "--mux: '" + decode.mux + "' is no container that is known",
                  "name it .mkv, .nut or .mov");
}

}  // namespace

ToolText ctdec_text() {
  ToolText text;
  text.name = "ctdec";
  text.summary = "decode video of the ctv contourlet codec";
  text.description =
      "INPUT is a ctv stream, - for standard input; a stream without an index, from a pipe or a crash, "
      "decodes as well, and so does a container that --mux has written. "
      "What is written follows from the output's name: .y4m, an image sequence such as out_%05d.png or .ppm, "
      "raw samples as planar YCbCr (.yuv), .rgb, .rgba, .nv12, .gray or as the stream has them (.raw), null "
      "for nothing; - is y4m on standard output.";
  text.examples = {
      {"ctdec in.ctv -o out.y4m", "decode a file"},
      {"ctdec in.ctv -o - | ffplay -", "watch it"},
      {"ctdec in.ctv --resolution 1/4 --seek 100 --frames 1 -o still.png", "a small still"},
      {"ctdec in.ctv --md5", "the digest of all pictures"},
      {"ctdec in.ctv --mux out.mkv", "into Matroska, without coding anew"},
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
  options.choice("--output-format", kKinds, "What is written",
                 [&](OutputKind kind) { decode.output.kind = kind; });
  decode.output.kind_option = "--output-format";
  options.initially("as the name tells");
  options.choice("--format", kFormats, "Sample format of the pictures",
                 [&](ctv_format format) { decode.format = format; });
  options.initially("rgb for images, as the name of raw video tells, else as the stream was made from");
  options.value("--resolution", "full|1/2|1/4|...",
                "Decode at a reduced resolution, from fewer bytes; with picture prediction, the default of "
                "ctenc, key frames only. Lossless streams have all frames, and errors add up until the next "
                "key frame",
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
  options.initially("full");
  options.value(
      "--mux", "FILE",
      "Decode nothing: put the stream into a container, .mkv, .nut or .mov, with its times; needs a build "
      "with libavformat",
      [&](const std::string& s) { decode.mux = s; }, ValueKind::kFile);
  options.integer("--seek", "N", "Begin with frame N, counted from 0", 0, INT64_MAX,
                  [&](int64_t n) { decode.seek = n; });
  options.initially("0");
  options.integer("--frames", "N", "Write at most N frames", 1, INT64_MAX,
                  [&](int64_t n) { decode.frames = n; });
  options.initially("all");
  options.integer("--start-number", "N", "First number of an image sequence", 0, INT32_MAX,
                  [&](int64_t n) { decode.output.start_number = n; });
  options.initially("0");
  options.flag("--md5", "Print the MD5 of all pictures' samples", [&] { decode.md5 = true; });
  options.value("--expect-md5", "HEX", "Fail with exit code 3 unless the pictures have this MD5",
                [&](const std::string& s) { decode.expected_md5 = parse_md5(s); });
  options.flag("--benchmark", "Decode for the speed alone; without -o nothing is written",
               [&] { decode.benchmark = true; });
  options.flag("--stage-times", "Print the time of each stage; to measure it costs a GPU some speed",
               [&] { decode.stage_times = true; });

  options.section("Safety");
  options.flag("--keep-going",
               "Leave out what is damaged, go on with the next unit and repeat a picture where one is "
               "missing; exit code 3 if anything was",
               [&] { decode.keep_going = true; });
  options.flag(
      "--conceal",
      "With --keep-going: where a packet's vectors are sound, decode it without the parts that are not",
      [&] { decode.conceal = true; });
  const ctv_limits limits = DecoderConfig().limits;
  add_limit(options, "--max-pixels", "Refuse larger pictures (width x height)", decode.max_pixels);
  options.initially(size_text(limits.max_pixels));
  add_limit(options, "--max-memory", "Refuse streams that need more bytes of memory", decode.max_memory);
  options.initially(size_text(limits.max_memory));
  add_limit(options, "--max-packet", "Refuse larger packets, in bytes", decode.max_packet_size);
  options.initially(size_text(limits.max_packet_size));
  add_run_options(options, decode.run);
}

void complete_decode_options(DecodeOptions& decode) {
  const char* const see = "see ctdec --help";
  if (decode.input.empty()) throw Failure(Exit::kUsage, "no input", see);
  check_files({decode.input}, {decode.output.path, decode.run.json, decode.mux});
  if (!decode.mux.empty()) return check_mux(decode);
  if (decode.output.path.empty() && decode.output.kind != OutputKind::kNull && !decode.md5 &&
      !decode.benchmark && decode.expected_md5.empty())
    throw Failure(Exit::kUsage, "no output: -o FILE is missing", see);
  if (decode.given.contains("--start-number") && !Pattern(decode.output.path).numbered())
    throw Failure(Exit::kUsage, "--start-number is for image sequences", "such as out_%05d.png");
  if (decode.keep_going && decode.run.frames_in_flight > 1)
    throw Failure(Exit::kUsage,
                  "--in-flight has no effect with --keep-going, which decodes one frame at a time",
                  "leave one out");
  if (decode.conceal && !decode.keep_going)
    throw Failure(Exit::kUsage, "--conceal has no effect without --keep-going", "add it");
  check_run_options(decode.given, decode.run);
  const int uses_of_stdout = (decode.output.path == "-") + (decode.run.json == "-") + decode.md5;
  if (uses_of_stdout > 1) throw Failure(Exit::kUsage, "standard output is asked for more than once");
  complete_output(decode.output, decode.format);
}

}  // namespace ctv::tools
