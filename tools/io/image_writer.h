// SPDX-License-Identifier: BSD-3-Clause
// Image sequences out: out_%05d.png or .ppm (.pgm for grey), each file whole or not there. YCbCr pictures are
// converted as BT.601, limited range: the stream does not tell, and the generated and usual test clips are
// that.
#pragma once

#include <vector>

#include "io/frame_writer.h"
#include "io/pattern.h"

namespace ctv::tools {

/// Any picture as RGB8 (grey stays grey).
void to_rgb(const ctv_picture& picture, Frame& rgb);

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
  Frame rgb_;
  std::vector<uint8_t> encoded_;
};

}  // namespace ctv::tools
