// SPDX-License-Identifier: BSD-3-Clause
// Speed and bytes beside other codecs at equal luma PSNR, in one run on one machine.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/common_options.h"
#include "bench/peers.h"
#include "bench/runner.h"

namespace ctv::tools {

struct VersusOptions {
  CommonOptions common;
  std::vector<Peer> peers;
  double decibels = 40;  // of luma, that all are set to
  int64_t key_interval = 10;
};

/// What a setting yields.
struct Yield {
  double decibels = 0;
  uint64_t bytes = 0;
};

/// The setting whose quality is nearest to a target, and how bytes grow there.
struct Match {
  double setting = 0;
  Yield yield;
  double bytes_per_decibel = 0;  // of the logarithm of bytes
  /// Bytes at another quality nearby, along that slope.
  double bytes_at(double decibels) const;
};

/// By bisection of the scale; each setting is tried once. The slope is that between the settings on both
/// sides of the target, 0 if all lie on one side.
Match match_quality(const Scale& scale, double decibels, const std::function<Yield(double)>& measure);

struct VersusRow {
  std::string codec, setting_name, how;  // how it ran: backend, threads, frames in flight
  std::string command;
  int threads = 1;
  double setting = 0;
  Yield yield;
  double bytes_at_target = 0;                // of all frames
  std::vector<double> encode_ms, decode_ms;  // a frame, one for each run
};

struct VersusResult {
  std::vector<VersusRow> rows;
  std::vector<std::string> missing;
  bool complete = true;
  int64_t frames = 0;
  std::string clip, digest;
};

VersusResult measure_versus(const VersusOptions& options);
std::string versus_text(const VersusOptions& options, const VersusResult& result);
Json versus_json(const VersusOptions& options, const VersusResult& result);

/// Speed of libjpeg-turbo by its own tjbench, on the middle frame; start-up and files do not count.
VersusRow measure_jpeg_turbo(const Clip& clip, const ScratchFolder& scratch, double decibels, double seconds);
/// "" or the program that is missing.
std::string jpeg_turbo_missing();
/// nvJPEG on device 0, on all frames.
std::vector<VersusRow> measure_nvjpeg(const Clip& clip, double decibels, int runs);
/// "" or why it cannot be run.
std::string nvjpeg_missing();
/// What tjbench says: bytes, milliseconds to compress and to decompress. False if it says something else.
bool read_tjbench(const std::string& output, uint64_t& bytes, double& encode_ms, double& decode_ms);

}  // namespace ctv::tools
