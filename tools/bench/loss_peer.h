// SPDX-License-Identifier: BSD-3-Clause
// x264 under loss. Without feedback: slices of one datagram each, and intra refresh; ffmpeg decodes what
// arrives and conceals the rest. With picture loss indications (RFC 4585): the picture freezes from a loss
// until a requested key frame has arrived.
#pragma once

#include <string>
#include <vector>

#include "bench/clip.h"
#include "bench/process.h"
#include "ctcall/call.h"

namespace ctv::tools {

class X264Peer {
 public:
  /// Codes the clip, repeated until there are `call.frames`, at `call.bitrate`. Throws Failure.
  X264Peer(const Clip& clip, const std::string& preset, const CallOptions& call);

  struct Outcome {
    CallResult call;  // damaged: pictures that differ from those without loss
    double psnr = 0;  // luma, mean of the pictures shown
  };
  /// With intra refresh. Frame 0 always arrives. Throws Failure.
  Outcome call_with_refresh(const CallOptions& options);
  /// With key frames a round trip after a loss. Requests always arrive, and so does frame 0. Bursts end with
  /// their picture. Throws Failure.
  Outcome call_with_key_frames(const CallOptions& options);

 private:
  using Nal = std::vector<uint8_t>;  // with its start code
  struct Picture {
    std::vector<Nal> units, slices;
  };
  /// keys: positions of key frames besides frame 0; null: intra refresh.
  void encode(const std::vector<size_t>* keys);
  void split(const std::vector<uint8_t>& stream);
  /// The pictures that a player shows if it receives the slices whose `arrived` is true.
  std::string decode(const std::vector<std::vector<bool>>& arrived) const;
  std::vector<std::string> digests_of(const std::string& path, Outcome* outcome) const;

  const Clip& clip_;
  std::string preset_, rate_;
  int mtu_;
  int64_t frames_;
  std::vector<Picture> pictures_;
  std::vector<std::string> intact_;  // digests of the pictures without loss
  ScratchFolder scratch_;
};

}  // namespace ctv::tools
