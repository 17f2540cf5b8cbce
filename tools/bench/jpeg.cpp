// SPDX-License-Identifier: BSD-3-Clause
// JPEG codecs as peers. libjpeg-turbo by its benchmark, which repeats one picture in memory: the clip's
// middle frame as RGB (its samples taken as full-range), whose loss is counted from the luma of that, because
// colours that RGB does not have are not the codec's fault. nvJPEG: 4:2:0 frames one at a time, from and to
// pinned memory.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "bench/lab/nvjpeg/nvjpeg.hpp"
#include "bench/peers.h"
#include "bench/statistics.h"
#include "cli/text.h"
#include "io/frame_reader.h"

namespace ctv::tools {
namespace {

void must_run(const std::vector<std::string>& command) {
  const ProcessResult run = run_process(command);
  if (run.code != 0) throw Failure(Exit::kFile, command[0] + " failed: " + run.last_line());
}

lab::JpegRun code(const lab::NvjpegModule& module, const lab::JpegClip& clip, double quality, bool optimised,
                  int runs) {
  lab::JpegRun run;
  const Status status = module.code(clip, static_cast<int>(quality), optimised, runs, run);
  if (!status.ok()) throw Failure(Exit::kDevice, "nvjpeg: " + status.message());
  return run;
}

double luma_psnr(const Clip& clip, const lab::JpegRun& run) {
  Meter meter;
  Frame decoded;
  decoded.reset(clip.video);
  const size_t bytes = clip.video.frame_bytes();
  for (size_t i = 0; i < clip.frames.size(); ++i) {
    std::copy_n(run.decoded.begin() + static_cast<std::ptrdiff_t>(i * bytes), bytes, decoded.bytes().begin());
    meter.add(clip.frames[i].picture(), decoded.picture());
  }
  return meter.decibels();
}

}  // namespace

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

Json measure_jpeg_turbo(const Clip& clip, double decibels, double seconds) {
  for (const char* program : {"tjbench", "ffmpeg"})
    if (!find_program(program))
      throw Failure(Exit::kFile, std::string("libjpeg-turbo: ") + program + " is not installed");
  const ScratchFolder scratch;
  Clip middle;
  middle.video = clip.video;
  middle.frames = {clip.frames[clip.frames.size() / 2]};
  const std::string raw = scratch.file("middle.yuv"), image = scratch.file("middle.ppm");
  write_clip(middle, raw, false);
  must_run({"ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "yuvj420p", "-s",
            text("%dx%d", clip.video.width, clip.video.height), "-i", raw, "-pix_fmt", "rgb24", image});
  const auto planes_of = [&](const std::string& from) {
    InputOptions input;
    input.path = scratch.file("planes.yuv");
    input.size = {clip.video.width, clip.video.height};
    must_run({"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", from, "-f", "rawvideo", "-pix_fmt", "yuvj420p",
              input.path});
    Frame frame;
    if (!open_input(input)->read(frame)) throw Failure(Exit::kFile, "ffmpeg decodes nothing of " + from);
    return frame;
  };
  const Frame original = planes_of(image);
  const auto bench = [&](double quality, double time) -> std::vector<std::string> {
    return {"tjbench",       image,     text("%.0f", quality), "-subsamp",
            "420",           "-warmup", text("%g", time / 4),  "-benchtime",
            text("%g", time)};
  };
  const Match match = match_quality({1, 100, 1, true}, decibels, [&](double quality) {
    must_run(bench(quality, 0.01));
    const std::string jpeg = scratch.file(text("middle_420_Q%.0f.jpg", quality));
    Meter meter;
    meter.add(original.picture(), planes_of(jpeg).picture());
    return Yield{meter.decibels(), std::filesystem::file_size(jpeg) * clip.frames.size()};
  });
  const std::vector<std::string> command = bench(match.setting, seconds);
  const ProcessResult run = run_process(command);
  uint64_t bytes = 0;
  double encode = 0, decode = 0;
  if (run.code != 0 || !read_tjbench(run.output, bytes, encode, decode))
    throw Failure(Exit::kFile, "tjbench: " + run.last_line());
  return peer_row(clip, "libjpeg-turbo", "1 thread, one RGB picture", 1, "quality", match.setting,
                  match.yield, match.bytes_at(decibels), shown_command(command), {encode}, {decode});
}

Json measure_nvjpeg(const Clip& clip, double decibels, int runs) {
  std::string why;
  const lab::NvjpegModule* module = lab::nvjpeg_module(why);
  if (module == nullptr) throw Failure(Exit::kDevice, "nvjpeg: " + why);
  lab::JpegClip frames = {clip.video.width, clip.video.height, {}};
  for (const Frame& frame : clip.frames) frames.frames.push_back(frame.bytes().data());
  Json rows = Json::array();
  for (const bool optimised : {false, true}) {
    const Match match = match_quality({1, 100, 1, true}, decibels, [&](double quality) {
      const lab::JpegRun run = code(*module, frames, quality, optimised, 1);
      return Yield{luma_psnr(clip, run), run.bytes};
    });
    const lab::JpegRun run = code(*module, frames, match.setting, optimised, runs);
    rows.push_back(peer_row(
        clip, "nvjpeg",
        text("%s Huffman tables, 1 in flight, pinned memory (by device events %.3f and %.3f ms)",
             optimised ? "own" : "standard", median(run.encode_device_ms), median(run.decode_device_ms)),
        1, "quality", match.setting, match.yield, match.bytes_at(decibels), "ctbench peers", run.encode_ms,
        run.decode_ms));
  }
  return rows;
}

}  // namespace ctv::tools
