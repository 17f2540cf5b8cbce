// SPDX-License-Identifier: BSD-3-Clause
// The y4m reader on arbitrary bytes, as a file and as a pipe: pictures or a Failure, nothing else, and the
// same number of pictures both ways. A small pixel limit keeps it fast; the limit itself is tested elsewhere.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "cli/exit.h"
#include "io/y4m_reader.h"

namespace {

int64_t read_all(std::span<const uint8_t> bytes, bool seekable) {
  using namespace ctv::tools;
  int64_t frames = 0;
  try {
    Y4mReader reader(std::make_unique<MemorySource>(bytes, seekable), 1 << 16);
    Frame frame;
    while (reader.read(frame)) {
      if (frame.bytes().size() != reader.video().frame_bytes()) std::abort();
      ++frames;
    }
  } catch (const Failure&) {
  }
  return frames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (read_all({data, size}, true) != read_all({data, size}, false)) std::abort();
  return 0;
}
