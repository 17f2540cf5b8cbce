// SPDX-License-Identifier: BSD-3-Clause
// Other codecs, run by their command lines as a user would; one table defines the commands. A peer that is
// not installed is reported in one line and left out. Also finds the setting at which codecs can be compared.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/coding.h"
#include "bench/measurement.h"
#include "bench/process.h"

namespace ctv::tools {

struct Peer {
  std::string name;              // "x264-ultrafast"
  std::string setting;           // meaning of the setting: "qp"
  std::vector<double> settings;  // settings for curves, best quality first
  int worst;                     // settings range from 1, the best, to this one
  std::string format;            // ffmpeg's name of the sample format
  std::string command;  // words of the command; {y4m}, {raw}, {stream}, {setting} and others are replaced
};

/// Chooses by names separated by commas, "all", "none", or "" for the default ones. Throws Failure(kUsage).
std::vector<Peer> choose_peers(const std::string& names);
/// Of "NAME=SETTINGS:COMMAND": a peer of the user's own, in 4:2:0, whose stream ffmpeg decodes. Throws
/// Failure(kUsage).
Peer parse_peer(const std::string& words);
/// The peer with a bitrate in kb/s instead of its setting, and a buffer of one second. Throws Failure(kUsage)
/// for others than x264.
Peer at_bitrates(Peer peer);
/// "", or the reason why a program cannot code a clip, or ffmpeg cannot decode it.
std::string hindrance(const std::string& program, const Clip& clip);
/// The peers that can code the clip here; the others are left out.
std::vector<Peer> usable_peers(Measurement& m, const std::vector<Peer>& peers, const Clip& clip);
/// Throws Failure(kFile) with the program's last line if it fails.
ProcessResult run_checked(const std::vector<std::string>& command);

/// A clip as files, for programs.
class PeerClip {
 public:
  /// key_interval: distance of key frames; 0: only the first frame.
  PeerClip(const Clip& clip, int64_t key_interval);

  struct Coded {
    uint64_t bytes = 0;  // without x264's information SEI (a text of about 600 bytes)
    double encode_seconds = 0, decode_seconds = 0;  // of whole processes; ffmpeg decodes
    std::string command;
    Meter meter;
    std::vector<uint64_t> frame_bytes;  // of x264 with one thread; else empty
  };
  /// Encodes and decodes. Throws Failure(kFile) with the program's last line.
  Coded code(const Peer& peer, double setting, int threads = 1, const Viewer& viewer = {}) const;

  struct Times {
    std::vector<double> encode_ms, decode_ms;  // per frame, for each run
    std::string command;
  };
  /// Times of all frames minus those of the first one, which removes the start-up.
  Times time(const Peer& peer, double setting, int threads, int64_t runs) const;
  /// `input`: "clip", or "first" for only the first frame.
  std::vector<std::string> command(const Peer& peer, double setting, int threads,
                                   const std::string& input = "clip") const;

 private:
  Coded run(const std::vector<std::string>& encode, const std::vector<std::string>& decode) const;

  const Clip& clip_;
  int64_t key_interval_;
  ScratchFolder scratch_;
};

/// Result of a setting: its quality, or another value to match.
struct Yield {
  double decibels = 0;
  uint64_t bytes = 0;
};

/// The setting whose quality is nearest to a target, and how bytes grow there.
struct Match {
  double setting = 0;
  Yield yield;
  double bytes_per_decibel = 0;  // change of log(bytes) per decibel
  /// Whether the target lies between two settings.
  bool reached() const { return bytes_per_decibel != 0; }
  /// Bytes at another quality nearby, extrapolated along that slope.
  double bytes_at(double decibels) const;
};

/// Bisects the settings 1 to `worst`, each tried once. The slope is that between the settings on both sides
/// of the target, 0 if all are on one side.
Match match_quality(int worst, double decibels, const std::function<Yield(double)>& measure);
/// Logarithm of bytes, which grows evenly with quality: the value to match.
Yield loudness(uint64_t bytes);
/// The bitrate for which `bytes_at` returns about `bytes`, within 2 % if it lies between a quarter of `guess`
/// and four times `guess`.
double match_bitrate(double guess, uint64_t bytes, const std::function<uint64_t(double)>& bytes_at);

/// Calls each(type, bytes with the start code) for every NAL unit of an H.264 byte stream.
void each_nal(const std::vector<uint8_t>& stream,
              const std::function<void(int, std::span<const uint8_t>)>& each);
/// Bytes of each picture, if each has one slice. What is before a slice belongs to its picture.
std::vector<uint64_t> picture_bytes(const std::vector<uint8_t>& stream);
/// Bytes of SEI NAL units (type 6).
uint64_t sei_bytes(const std::vector<uint8_t>& stream);

}  // namespace ctv::tools
