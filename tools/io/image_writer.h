// SPDX-License-Identifier: BSD-3-Clause
// Image sequences out: out_%05d.png or .ppm (.pgm for grey), each file whole or not there. RGB and grey only:
// the library converts YCbCr, when asked for RGB.
#pragma once

#include <vector>

#include "io/frame_writer.h"
#include "io/pattern.h"

namespace ctv::tools {

/// An RGB or grey picture in host memory as a PNG file's bytes. Throws Failure(kFile) if it cannot be
/// compressed.
std::vector<uint8_t> png_of(const ctv_picture& picture);

class ImageWriter : public FrameWriter {
 public:
  ImageWriter(const OutputOptions& options, bool png);
  void write(const ctv_picture& picture) override;
  uint64_t size() const override { return size_; }

 private:
  Pattern pattern_;
  std::string path_;
  bool png_;
  int64_t next_;
  bool single_written_ = false;
  uint64_t size_ = 0;
};

}  // namespace ctv::tools
