// SPDX-License-Identifier: BSD-3-Clause
#include "bench/judges.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "bench/peers.h"
#include "cli/exit.h"
#include "io/image_writer.h"

namespace ctv::tools {
namespace {

void write_png(const std::string& path, const Frame& frame) {
  const Frame rgb = to_rgb(frame);
  const std::vector<uint8_t> png = png_of(rgb.picture());
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(png.data()), static_cast<std::streamsize>(png.size()));
  if (!out.flush()) throw Failure(Exit::kFile, "cannot write " + path);
}

/// The programs print their value last; butteraugli_main prints two, the norm 3 behind "3-norm:".
double last_number(const ProcessResult& result) {
  const std::string line = result.last_line();
  return std::atof(line.c_str() + line.find_last_of(' ') + 1);
}

}  // namespace

Judges::Judges()
    : judges_{
          {{"ssimulacra2", {"ssimulacra2", "ssymulacra2"}, ""}, {"butteraugli", {"butteraugli_main"}, ""}}} {
  for (Judge& judge : judges_) {
    const auto found = std::find_if(judge.programs.begin(), judge.programs.end(), &find_program);
    if (found != judge.programs.end()) judge.program = *found;
  }
}

std::vector<std::string> Judges::missing() const {
  std::vector<std::string> names;
  for (const Judge& judge : judges_)
    if (judge.program.empty()) names.emplace_back(judge.programs[0]);
  return names;
}

Json Judges::judge(const Frame& source, const ctv_picture& decoded) const {
  Json values = Json::object();
  if (missing().size() == judges_.size()) return values;
  Frame copy;
  copy_picture(decoded, copy);
  const std::string files[2] = {scratch_.file("source.png"), scratch_.file("decoded.png")};
  write_png(files[0], source);
  write_png(files[1], copy);
  for (const Judge& judge : judges_)
    if (!judge.program.empty())
      values[judge.name] = last_number(run_checked({judge.program, files[0], files[1]}));
  return values;
}

uint64_t SecondHalf::bytes(const std::vector<uint64_t>& frame_bytes) {
  const auto from = static_cast<std::ptrdiff_t>(first(frame_bytes.size()));
  return std::accumulate(frame_bytes.begin() + from, frame_bytes.end(), uint64_t{0});
}

void SecondHalf::see(size_t frame, const ctv_picture& decoded) {
  const size_t from = first(clip_.frames.size()), count = clip_.frames.size() - from;
  if (frame < from) return;
  const Frame& source = clip_.frames[frame];
  meter_.add(source.picture(), decoded);
  // The middles of kJudged equal parts, or every frame.
  const size_t parts = std::min(kJudged, count), part = (frame - from) * parts / count;
  if (frame == from + (2 * part + 1) * count / (2 * parts)) judged_.push_back(judges_.judge(source, decoded));
}

Json SecondHalf::json(const std::vector<uint64_t>& frame_bytes) const {
  const uint64_t sum = bytes(frame_bytes);
  const double seconds = static_cast<double>(meter_.frames()) / clip_.video.rate();
  Json json = {{"bytes", sum}, {"kilobits_per_second", 8e-3 * static_cast<double>(sum) / seconds}};
  json.update(meter_.json());
  for (const Json& values : judged_)
    for (const auto& [name, value] : values.items())
      json[name] = json.value(name, 0.0) + value.get<double>() / static_cast<double>(judged_.size());
  return json;
}

}  // namespace ctv::tools
