// SPDX-License-Identifier: BSD-3-Clause
// nvJPEG as a peer: 4:2:0 frames one at a time, from and to pinned memory.
#include <algorithm>

#include "bench/lab/gpu.hpp"
#include "bench/peers.h"

namespace ctv::tools {

Json measure_nvjpeg(const Clip& clip, double decibels, int runs) {
  lab::JpegClip frames = {clip.video.width, clip.video.height, {}};
  for (const Frame& frame : clip.frames) frames.frames.push_back(frame.bytes().data());
  const auto code = [&](double quality, int passes) {
    lab::JpegRun run;
    const Status status = lab::code_nvjpeg(frames, static_cast<int>(quality), passes, run);
    if (!status.ok()) throw Failure(Exit::kDevice, "nvjpeg: " + status.message());
    return run;
  };
  const Match match = match_quality({1, 100, 1, true}, decibels, [&](double quality) {
    const lab::JpegRun run = code(quality, 1);
    Meter meter;
    Frame decoded;
    decoded.reset(clip.video);
    auto from = run.decoded.begin();
    for (const Frame& frame : clip.frames) {
      std::copy_n(from, decoded.bytes().size(), decoded.bytes().begin());
      from += static_cast<std::ptrdiff_t>(decoded.bytes().size());
      meter.add(frame.picture(), decoded.picture());
    }
    return Yield{meter.decibels(), run.bytes};
  });
  const lab::JpegRun run = code(match.setting, runs);
  return peer_row(clip, "nvjpeg", "1 in flight, pinned memory", 1, "quality", match.setting, match.yield,
                  match.bytes_at(decibels), "ctbench peers", run.encode_ms, run.decode_ms);
}

}  // namespace ctv::tools
