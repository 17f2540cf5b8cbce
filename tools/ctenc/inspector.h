// SPDX-License-Identifier: BSD-3-Clause
// Checks packets while encoding: decodes each packet, measures it against its source, and for --verify
// decodes it a second time in another way (CPU, the other engine, another number of threads), because equal
// bytes must give equal pictures. Works with pipes, too; holds only the frames in flight.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <ctv/ctv.hpp>

#include "cli/quality.h"
#include "io/frame.h"

namespace ctv::tools {

struct Inspection {
  bool psnr = false, ssim = false, verify = false;
  bool any() const { return psnr || ssim || verify; }
};

class Inspector {
 public:
  Inspector(const Inspection& what, const ctv_config& config, std::span<const uint8_t> header);
  /// Goes on with another header, once all expected pictures have been checked.
  void restart(const ctv_config& config, std::span<const uint8_t> header);
  /// Adds a picture that was sent to the encoder.
  void expect(const Frame& frame);
  /// Checks the packet of the oldest expected picture; returns its quality. Throws Failure(kStream) if the
  /// packet is wrong.
  Quality packet(const Unit& unit);
  std::string verified() const;

 private:
  ctv_picture decode(Decoder& decoder, const Unit& unit) const;

  Inspection what_;
  bool lossless_;
  std::unique_ptr<Decoder> decoder_, second_;
  std::deque<Frame> expected_;
  std::vector<Frame> spare_;
  int64_t frames_ = 0;
};

}  // namespace ctv::tools
