// SPDX-License-Identifier: BSD-3-Clause
// ctbeside: the same part of several images, twice as large, two in a row, each under its label.
//   ctbeside OUTPUT.png X,Y,WxH LABEL INPUT.png [LABEL INPUT.png]...
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/exit.h"
#include "cli/text.h"
#include "dev/label.h"
#include "io/frame_reader.h"
#include "io/frame_writer.h"

namespace ctv::tools {
namespace {

constexpr int32_t kGap = 8;      // white samples between two pictures
constexpr int32_t kEnlarge = 2;  // by repeating samples: nothing is smoothed away
constexpr int32_t kLetter = 2;   // samples of a label's dot

struct Part {
  int32_t x, y, width, height;
};

Part parse_part(const std::string& s) {
  const std::vector<std::string> words = split(s, ',');
  if (words.size() == 3) {
    const auto x = parse_integer(words[0], 0, 65535), y = parse_integer(words[1], 0, 65535);
    const auto size = parse_size(words[2]);
    if (x && y && size)
      return {static_cast<int32_t>(*x), static_cast<int32_t>(*y), size->first, size->second};
  }
  throw Failure(Exit::kUsage, "'" + s + "' is no part of a picture", "X,Y,WxH");
}

Frame picture_of(const std::string& path) {
  InputOptions input;
  input.path = path;
  const auto reader = open_input(input);
  Frame frame;
  if (!reader->read(frame)) throw Failure(Exit::kFile, path + " has no picture");
  if (frame.video().format != CTV_FORMAT_RGB8) throw Failure(Exit::kUsage, path + " is not RGB");
  return frame;
}

/// Puts a part of `from`, enlarged, at (left, top) of `to`; it ends where one of them does.
void draw_part(Frame& from, const Part& part, Frame& to, int32_t left, int32_t top) {
  for (int32_t y = 0; y < part.height * kEnlarge; ++y) {
    for (int32_t x = 0; x < part.width * kEnlarge; ++x) {
      const int32_t fx = part.x + x / kEnlarge, fy = part.y + y / kEnlarge;
      if (fx >= from.video().width || fy >= from.video().height) continue;
      std::copy_n(
          from.plane(0) + static_cast<size_t>(fy) * from.stride(0) + static_cast<size_t>(fx) * 3, 3,
          to.plane(0) + static_cast<size_t>(top + y) * to.stride(0) + static_cast<size_t>(left + x) * 3);
    }
  }
}

Exit run(int argc, char** argv) {
  if (argc < 5 || argc % 2 == 0)
    throw Failure(Exit::kUsage, "usage: ctbeside OUTPUT.png X,Y,WxH LABEL INPUT.png [LABEL INPUT.png]...");
  const Part part = parse_part(argv[2]);
  const int32_t count = (argc - 3) / 2, columns = std::min(2, count), rows = (count + 1) / 2;
  const int32_t width = part.width * kEnlarge + kGap,
                height = part.height * kEnlarge + label_height(kLetter) + kGap;
  Frame all;
  VideoFormat video;
  video.format = CTV_FORMAT_RGB8;
  video.width = columns * width - kGap;
  video.height = rows * height - kGap;
  all.reset(video);
  std::fill(all.bytes().begin(), all.bytes().end(), uint8_t{255});
  for (int32_t i = 0; i < count; ++i) {
    Frame picture = picture_of(argv[4 + 2 * i]);
    const int32_t left = i % 2 * width, top = i / 2 * height;
    draw_label(all, argv[3 + 2 * i], left, top, kLetter);
    draw_part(picture, part, all, left, top + label_height(kLetter));
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
