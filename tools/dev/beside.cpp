// SPDX-License-Identifier: BSD-3-Clause
// ctbeside: several images side by side in one, for the demonstration.
//   ctbeside OUTPUT.png INPUT.png...
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/exit.h"
#include "io/frame_reader.h"
#include "io/frame_writer.h"

namespace ctv::tools {
namespace {

constexpr int32_t kGap = 8;  // white samples between two pictures

Frame picture_of(const std::string& path) {
  InputOptions input;
  input.path = path;
  const auto reader = open_input(input);
  Frame frame;
  if (!reader->read(frame)) throw Failure(Exit::kFile, path + " has no picture");
  if (frame.video().format != CTV_FORMAT_RGB8) throw Failure(Exit::kUsage, path + " is not RGB");
  return frame;
}

Exit run(int argc, char** argv) {
  if (argc < 3) throw Failure(Exit::kUsage, "usage: ctbeside OUTPUT.png INPUT.png...");
  std::vector<Frame> frames;
  int32_t width = -kGap;
  int32_t height = 0;
  for (int i = 2; i < argc; ++i) {
    frames.push_back(picture_of(argv[i]));
    width += frames.back().video().width + kGap;
    height = std::max(height, frames.back().video().height);
  }
  Frame all;
  all.reset({CTV_FORMAT_RGB8, width, height});
  std::fill(all.bytes().begin(), all.bytes().end(), uint8_t{255});
  size_t left = 0;
  for (Frame& frame : frames) {
    for (size_t r = 0; r < frame.rows(0); ++r) {
      std::copy_n(frame.plane(0) + r * frame.stride(0), frame.stride(0),
                  all.plane(0) + r * all.stride(0) + left);
    }
    left += frame.stride(0) + size_t{3} * kGap;
  }
  OutputOptions output;
  output.path = argv[1];
  const auto writer = open_output(output);
  writer->write(all.picture());
  writer->finish();
  return Exit::kOk;
}

}  // namespace
}  // namespace ctv::tools

int main(int argc, char** argv) {
  return ctv::tools::run_tool("ctbeside", [&] { return ctv::tools::run(argc, argv); });
}
