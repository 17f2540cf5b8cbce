// SPDX-License-Identifier: BSD-3-Clause
// nvJPEG as a peer: 4:2:0 frames one at a time, pictures from and to pinned memory, with the standard Huffman
// tables and with each picture's own.
#include <algorithm>

#include "bench/lab/nvjpeg/nvjpeg.hpp"
#include "bench/table.h"
#include "bench/versus.h"
#include "cli/quality.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

lab::JpegRun code(const lab::JpegClip& clip, double quality, bool optimised, int runs) {
  std::string why;
  lab::JpegRun run;
  const Status status = lab::nvjpeg_module(why)->code(clip, static_cast<int>(quality), optimised, runs, run);
  if (!status.ok()) throw Failure(Exit::kDevice, "nvJPEG: " + status.message());
  return run;
}

double luma_psnr(const Clip& clip, const lab::JpegRun& run) {
  Quality quality;
  Frame decoded;
  decoded.reset(clip.video);
  const size_t bytes = clip.video.frame_bytes();
  for (size_t i = 0; i < clip.frames.size(); ++i) {
    std::copy_n(run.decoded.begin() + static_cast<std::ptrdiff_t>(i * bytes), bytes, decoded.bytes().begin());
    quality.add(clip.frames[i].picture(), decoded.picture(), false);
  }
  return psnr(quality.channels()[0]);
}

}  // namespace

std::string nvjpeg_missing() {
  std::string why;
  return lab::nvjpeg_module(why) == nullptr ? why : "";
}

std::vector<VersusRow> measure_nvjpeg(const Clip& clip, double decibels, int runs) {
  lab::JpegClip frames = {clip.video.width, clip.video.height, {}};
  for (const Frame& frame : clip.frames) frames.frames.push_back(frame.bytes().data());
  std::vector<VersusRow> rows;
  for (const bool optimised : {false, true}) {
    const Match match = match_quality({1, 100, 1, true}, decibels, [&](double quality) {
      const lab::JpegRun run = code(frames, quality, optimised, 1);
      return Yield{luma_psnr(clip, run), run.bytes};
    });
    const lab::JpegRun run = code(frames, match.setting, optimised, runs);
    VersusRow row;
    row.codec = "nvjpeg";
    row.setting_name = "quality";
    row.how =
        text("%s Huffman tables, 1 in flight, pinned memory (by device events %.3f and %.3f ms)",
             optimised ? "own" : "standard", median(run.encode_device_ms), median(run.decode_device_ms));
    row.command = "ctbench peers";
    row.setting = match.setting;
    row.yield = match.yield;
    row.bytes_at_target = match.bytes_at(decibels);
    row.encode_ms = run.encode_ms;
    row.decode_ms = run.decode_ms;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace ctv::tools
