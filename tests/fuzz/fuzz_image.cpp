// SPDX-License-Identifier: BSD-3-Clause
// Image files of arbitrary bytes: a picture of the size that the header says, or a Failure in one line; twice
// the same. A small pixel limit keeps it fast.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cli/exit.h"
#include "io/image_file.h"

namespace {

using namespace ctv::tools;

std::string read(std::span<const uint8_t> file, ctv_format format) {
  Frame frame;
  VideoFormat video;
  video.format = format;
  frame.describe(video);
  try {
    read_image(file, "image", 1 << 14, frame);
  } catch (const Failure& e) {
    return e.what();
  }
  if (frame.bytes().size() != frame.video().frame_bytes() || frame.video().width < 1) std::abort();
  return {frame.bytes().begin(), frame.bytes().end()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const ctv_format format : {CTV_FORMAT_NONE, CTV_FORMAT_GRAY8, CTV_FORMAT_RGB8})
    if (read({data, size}, format) != read({data, size}, format)) std::abort();
  return 0;
}
