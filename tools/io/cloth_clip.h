// SPDX-License-Identifier: BSD-3-Clause
// A clip that distinguishes transforms. Its left half is woven cloth in folds: stripes of a few samples in
// every direction. Its right half has smooth shades and a few sharp outlines. It moves by fractions of a
// sample per frame. Integers only, the same on every machine.
#pragma once

#include "io/clip_generator.h"

namespace ctv::tools {

class ClothClip : public FrameReader {
 public:
  /// I420; the seed is not used.
  explicit ClothClip(const ClipSpec& spec);
  bool read(Frame& frame) override;
  void skip(int64_t n) override { next_ += n < frames_ - next_ ? n : frames_ - next_; }
  std::optional<int64_t> count() const override { return frames_; }

 private:
  int64_t frames_;
  int64_t next_ = 0;
};

}  // namespace ctv::tools
