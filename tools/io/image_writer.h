// SPDX-License-Identifier: BSD-3-Clause
// Writes image sequences: out_%05d.png or .ppm (.pgm for grey). RGB and grey only: the library converts YCbCr
// if RGB is requested. All files get their names at the end.
#pragma once

#include <vector>

#include "io/frame_writer.h"
#include "io/output_file.h"
#include "io/pattern.h"

namespace ctv::tools {

/// Compresses an RGB or grey picture in host memory to the bytes of a PNG file. Throws Failure(kFile) on
/// failure.
std::vector<uint8_t> png_of(const ctv_picture& picture);

class ImageWriter : public FrameWriter {
 public:
  ImageWriter(const OutputOptions& options, bool png);
  void write(const ctv_picture& picture) override;
  void finish() override;
  std::string keep() override;
  uint64_t size() const override { return size_; }

 private:
  Pattern pattern_;
  std::string path_;
  bool png_;
  int64_t next_;
  std::vector<std::unique_ptr<OutputFile>> files_;  // complete, under temporary names
  size_t written_ = 0;                              // of them
  uint64_t size_ = 0;
};

}  // namespace ctv::tools
