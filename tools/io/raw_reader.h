// SPDX-License-Identifier: BSD-3-Clause
// Headerless video: planes in a format and size that the user gives.
#pragma once

#include <memory>

#include "io/byte_source.h"
#include "io/frame_reader.h"

namespace ctv::tools {

class RawReader : public FrameReader {
 public:
  RawReader(std::unique_ptr<ByteSource> source, const VideoFormat& video);
  bool read(Frame& frame) override;
  void skip(int64_t n) override;
  std::optional<int64_t> count() const override;

 private:
  [[noreturn]] void throw_cut(uint64_t got) const;
  std::unique_ptr<ByteSource> source_;
  int64_t next_frame_ = 0;
};

}  // namespace ctv::tools
