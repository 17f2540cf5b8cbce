// SPDX-License-Identifier: BSD-3-Clause
// x264 under loss as it is used without feedback: slices of one datagram each, and intra refresh. ffmpeg
// decodes what arrives and conceals the rest.
#pragma once

#include <string>
#include <vector>

#include "bench/clip.h"
#include "bench/process.h"
#include "ctcall/call.h"

namespace ctv::tools {

class RefreshPeer {
 public:
  /// Encodes the clip, again and again until there are `call.frames`. Throws Failure.
  RefreshPeer(const Clip& clip, const std::string& preset, double kilobits, const CallOptions& call);

  struct Outcome {
    CallResult call;  // damaged: unlike the picture without loss
    double psnr = 0;  // luma, mean of the pictures on the screen
  };
  /// Frame 0 arrives. Throws Failure.
  Outcome call(const CallOptions& options) const;

 private:
  using Nal = std::vector<uint8_t>;  // with its start code
  struct Picture {
    std::vector<Nal> units, slices;
  };
  void split(const std::vector<uint8_t>& stream);
  /// The pictures that a player shows, with all slices of which `arrived` is true.
  std::string decode(const std::vector<std::vector<bool>>& arrived) const;
  std::vector<std::string> digests_of(const std::string& path, Outcome* outcome) const;

  const Clip& clip_;
  std::vector<Picture> pictures_;
  std::vector<std::string> intact_;  // digests of the pictures without loss
  ScratchFolder scratch_;
};

}  // namespace ctv::tools
