// SPDX-License-Identifier: BSD-3-Clause
#include "bench/clip.h"

#include "cli/exit.h"
#include "cli/signals.h"
#include "io/frame_writer.h"

namespace ctv::tools {

std::string clip_name(const std::string& path) {
  if (path.starts_with("generate:") || path.starts_with("cloth:")) return path;
  std::string name = path.substr(path.find_last_of('/') + 1);
  if (const size_t point = name.find_last_of('.'); point != std::string::npos && point > 0)
    name.resize(point);
  return name;
}

std::string digest_of(std::span<const Frame> frames) {
  Md5 md5;
  for (const Frame& frame : frames) md5.add(frame.bytes());
  return md5.finish();
}

Clip load_clip(const std::string& path, int64_t limit) {
  InputOptions input;
  input.path = path;
  const std::unique_ptr<FrameReader> reader = open_input(input);
  Clip clip;
  clip.name = clip_name(path);
  clip.video = reader->video();
  Frame frame;
  while (static_cast<int64_t>(clip.frames.size()) < limit && reader->read(frame)) {
    check_interrupted();
    clip.frames.push_back(frame);
  }
  if (clip.frames.empty()) throw Failure(Exit::kFile, path + " holds no pictures");
  clip.digest = digest_of(clip.frames);
  return clip;
}

void lay_out_for(const ctv_config& config, Clip& clip) {
  for (Frame& frame : clip.frames) {
    Frame moved(config.backend, config.device);
    moved = frame;
    frame = std::move(moved);
  }
}

void write_clip(const Clip& clip, const std::string& path, bool y4m, size_t frames) {
  OutputOptions output;
  output.path = path;
  output.kind = y4m ? OutputKind::kY4m : OutputKind::kRaw;
  output.fps_num = clip.video.fps_num;
  output.fps_den = clip.video.fps_den;
  const std::unique_ptr<FrameWriter> writer = open_output(output);
  const size_t count = frames > 0 ? frames : clip.frames.size();
  for (size_t i = 0; i < count; ++i) writer->write(clip.frames[i % clip.frames.size()].picture());
  writer->finish();
}

}  // namespace ctv::tools
