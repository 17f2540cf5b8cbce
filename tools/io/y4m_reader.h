// SPDX-License-Identifier: BSD-3-Clause
// YUV4MPEG2: a line of parameters, then for each frame a line "FRAME..." and its planes. 8 bits; 4:2:0 in all
// its sitings (they differ in chroma's position, not in storage), 4:2:2, 4:4:4, mono.
#pragma once

#include <memory>
#include <string_view>

#include "io/byte_source.h"
#include "io/frame_reader.h"

namespace ctv::tools {

/// Reads the header line without its newline. Throws Failure; `name` is for messages.
VideoFormat parse_y4m_header(std::string_view line, const std::string& name,
                             uint64_t max_pixels = kMaxPixels);

class Y4mReader : public FrameReader {
 public:
  /// Reads the header, and no more bytes from the source than needed.
  explicit Y4mReader(std::unique_ptr<ByteSource> source, uint64_t max_pixels = kMaxPixels);
  bool read(Frame& frame) override;
  void skip(int64_t n) override;
  std::optional<int64_t> count() const override;

 private:
  bool read_frame_header();
  [[noreturn]] void throw_cut(uint64_t got) const;
  std::unique_ptr<ByteSource> source_;
  size_t header_bytes_ = 0;
  int64_t next_frame_ = 0;
};

}  // namespace ctv::tools
