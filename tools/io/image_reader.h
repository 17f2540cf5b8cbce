// SPDX-License-Identifier: BSD-3-Clause
// Image sequences: img_%05d.png, .jpg, .ppm, .pgm, .bmp, or one such file; RGB or grey after the first image.
#pragma once

#include "io/frame_reader.h"
#include "io/input_mark.h"
#include "io/pattern.h"

namespace ctv::tools {

/// Whether a file name has an image's extension.
bool is_image_name(const std::string& path);

class ImageReader : public FrameReader {
 public:
  explicit ImageReader(const InputOptions& options);
  bool read(Frame& frame) override;
  void skip(int64_t n) override;
  std::optional<int64_t> count() const override { return count_; }

 private:
  void load(const std::string& path, Frame& frame);
  Pattern pattern_;
  int64_t next_ = 0;
  int64_t end_ = 0;  // one past the last number
  int64_t count_ = 0;
  uint64_t max_pixels_;
  std::vector<InputMark> marks_;  // prevent outputs from replacing an image of the sequence
};

}  // namespace ctv::tools
