// SPDX-License-Identifier: BSD-3-Clause
// Other codecs, run through their own command lines as a user would: one table says for each how it is called
// and decoded. A peer that is not installed is told in one line and left out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/clip.h"
#include "bench/process.h"

namespace ctv::tools {

struct PeerJob {
  const Clip& clip;
  std::string y4m, raw;  // the clip as files
  std::string stream;    // to be written by the encoder
  double setting = 0;    // the peer's own quantiser, quality or rate
  int64_t key_interval = 10;
  int threads = 1;
};

/// The values that a codec's setting can have.
struct Scale {
  double lowest = 0, highest = 51, step = 1;
  bool rises = false;  // quality with the setting
};

struct Peer {
  std::string name;              // "x264-ultrafast"
  std::string setting;           // what its numbers are: "qp"
  std::vector<double> settings;  // some, from good to bad, for curves
  Scale scale;
  std::vector<std::string> programs;  // all are needed
  std::function<std::vector<std::string>(const PeerJob&)> encode;
  std::string decoded_format = "yuv420p";  // ffmpeg's name for the samples it was given
};

/// All that are known; the first few are run unless others are asked for.
const std::vector<Peer>& all_peers();
/// By names separated by commas, "all", "none" or "" for the usual ones. Throws Failure(kUsage).
std::vector<Peer> choose_peers(const std::string& names);
/// "" or what is missing.
std::string missing_program(const Peer& peer);

struct PeerStream {
  uint64_t bytes = 0;         // without x264's note about itself (a text of some 600 bytes)
  double encode_seconds = 0;  // of the process: start, reading and writing included
  double decode_seconds = 0;  // likewise, of ffmpeg
  std::string command;
};

/// Seconds of the peer's encoder and of ffmpeg, which decodes and forgets; of whole processes.
PeerStream time_peer(const Peer& peer, const PeerJob& job);

/// Encodes and decodes; `decoded` becomes raw video. Throws Failure(kFile) with the program's last line.
PeerStream run_peer(const Peer& peer, const PeerJob& job, const std::string& decoded);

/// Bytes of H.264 byte streams' supplemental information units (type 6), start codes included.
uint64_t sei_bytes(const std::vector<uint8_t>& stream);

}  // namespace ctv::tools
