// SPDX-License-Identifier: BSD-3-Clause
// libjpeg-turbo as a peer: its own benchmark, which repeats one picture in memory. The picture is the clip's
// middle frame as RGB (its samples taken as full-range), and its loss is counted from the luma of that:
// colours that RGB does not have are not the codec's fault.
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "bench/versus.h"
#include "cli/quality.h"
#include "cli/text.h"
#include "io/frame_writer.h"

namespace ctv::tools {
namespace {

void must_run(const std::vector<std::string>& command) {
  const ProcessResult run = run_process(command);
  if (run.code != 0) throw Failure(Exit::kFile, command[0] + " failed: " + run.last_line());
}

}  // namespace

std::string jpeg_turbo_missing() {
  for (const char* program : {"tjbench", "ffmpeg"})
    if (!find_program(program)) return program;
  return "";
}

bool read_tjbench(const std::string& output, uint64_t& bytes, double& encode_ms, double& decode_ms) {
  bytes = 0;
  encode_ms = decode_ms = 0;
  bool decompress = false;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    if (line.find("Decompress") != std::string::npos) decompress = true;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const double value = std::atof(line.c_str() + colon + 1);
    if (line.find("Frame rate") != std::string::npos && value > 0)
      (decompress ? decode_ms : encode_ms) = 1000 / value;
    if (line.find("Output image size") != std::string::npos) bytes = static_cast<uint64_t>(value);
  }
  return bytes > 0 && encode_ms > 0 && decode_ms > 0;
}

VersusRow measure_jpeg_turbo(const Clip& clip, const ScratchFolder& scratch, double decibels,
                             double seconds) {
  Clip middle;
  middle.video = clip.video;
  middle.frames = {clip.frames[clip.frames.size() / 2]};
  const std::string raw = scratch.file("middle.yuv"), image = scratch.file("middle.ppm"),
                    source = scratch.file("middle-source.yuv"), decoded = scratch.file("middle-decoded.yuv");
  write_clip(middle, raw, false);
  const std::string size = text("%dx%d", clip.video.width, clip.video.height);
  must_run({"ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "yuvj420p", "-s", size,
            "-i", raw, "-pix_fmt", "rgb24", image});
  const auto planes_of = [&](const std::string& from, const std::string& to) {
    must_run({"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", from, "-f", "rawvideo", "-pix_fmt", "yuvj420p",
              to});
    InputOptions input;
    input.path = to;
    input.size = {clip.video.width, clip.video.height};
    Frame frame;
    if (!open_input(input)->read(frame)) throw Failure(Exit::kFile, "ffmpeg decodes nothing of " + from);
    return frame;
  };
  const Frame original = planes_of(image, source);
  const auto bench = [&](double quality, double time) {
    return std::vector<std::string>{"tjbench",       image,     text("%.0f", quality), "-subsamp",
                                    "420",           "-warmup", text("%g", time / 4),  "-benchtime",
                                    text("%g", time)};
  };
  const auto yield = [&](double quality) {
    must_run(bench(quality, 0.01));
    const std::string jpeg = scratch.file(text("middle_420_Q%.0f.jpg", quality));
    Quality q;
    q.add(original.picture(), planes_of(jpeg, decoded).picture(), false);
    return Yield{psnr(q.channels()[0]), std::filesystem::file_size(jpeg)};
  };
  const Match match = match_quality({1, 100, 1, true}, decibels, yield);
  VersusRow row;
  row.codec = "libjpeg-turbo";
  row.setting_name = "quality";
  row.how = "1 thread, one RGB picture";
  row.setting = match.setting;
  const auto frames = static_cast<double>(clip.frames.size());
  row.yield = {match.yield.decibels, match.yield.bytes * clip.frames.size()};
  row.bytes_at_target = match.bytes_at(decibels) * frames;
  const std::vector<std::string> command = bench(match.setting, seconds);
  row.command = shown_command(command);
  const ProcessResult run = run_process(command);
  uint64_t bytes = 0;
  double encode = 0, decode = 0;
  if (run.code != 0 || !read_tjbench(run.output, bytes, encode, decode))
    throw Failure(Exit::kFile, "tjbench: " + run.last_line());
  row.encode_ms = {encode};
  row.decode_ms = {decode};
  return row;
}

}  // namespace ctv::tools
