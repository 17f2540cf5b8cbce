// SPDX-License-Identifier: BSD-3-Clause
// This codec under measurement: a variant (any of ctenc's options under a name), and the loops that encode
// and decode a clip in memory, timed without the disk.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/clip.h"
#include "bench/machine.h"
#include "cli/quality.h"
#include "ctenc/options.h"

namespace ctv::tools {

struct Variant {
  std::string name;
  std::vector<std::string> arguments;  // as ctenc's command line
};

/// "paper" (a preset), or "NAME:preset=default,directions=4,2,overlap=0": ctenc's long options without
/// dashes, and the fields of --set. Throws Failure(kUsage) for a text of another shape; values are checked by
/// configuration().
Variant parse_variant(const std::string& text);
/// ctenc's options: `before` (defaults, which the variant overrides), the variant's, then `after`.
EncodeOptions variant_options(const Variant& variant, const std::vector<std::string>& before,
                              const std::vector<std::string>& after);

/// Times of a clip that runs through one encoder or decoder several times without a pause, like a live
/// source. With frames in flight, a pass ends when its last result arrives.
struct PassTimes {
  std::vector<double> seconds;  // per pass; the first includes lazy initialisation
  std::string running;          // backend and engine
};

struct CodedClip {
  std::vector<std::vector<uint8_t>> units;  // header, then one packet a frame, pass after pass
  uint64_t bytes = 0;                       // of the header and the first pass, without a file's index
  PassTimes times;

  /// Sizes of the first pass's packets.
  std::vector<uint64_t> frame_bytes(size_t frames) const;
};

/// Every pass begins with a key frame. Pictures are borrowed, which saves a GPU a copy on the host if
/// lay_out_for() was called.
CodedClip encode_clip(const ctv_config& config, const Clip& clip, int passes = 1);

/// As encode_clip(). `see`, if set, receives every picture; its time is included, so leave it out where times
/// matter.
PassTimes decode_clip(const ctv_decoder_config& config, const std::vector<std::vector<uint8_t>>& units,
                      size_t frames_per_pass, const std::function<void(const ctv_picture&)>& see = {});
/// The configuration of a decoder that runs like the encoder.
DecoderConfig decoder_like(const ctv_config& encoder);

/// Distances between decoded pictures and their sources.
class Meter {
 public:
  void add(const ctv_picture& source, const ctv_picture& decoded);
  size_t frames() const { return frames_; }
  /// PSNR of luma, or the mean of R, G and B, from the squared error of all frames.
  double decibels() const;
  double ssim() const { return total_.ssim().value_or(0); }  // of luma, mean of the frames
  /// "psnr" of the squared error of all frames, as y, u, v and weighted (6 Y + U + V) / 8, or r, g, b and
  /// their mean as weighted; "ssim".
  Json json() const;

 private:
  Quality total_;
  size_t frames_ = 0;
};

/// Receives the number of every decoded frame, and the frame.
using Viewer = std::function<void(size_t frame, const ctv_picture& decoded)>;

struct Seen {
  Meter meter;
  std::string md5;
};
Seen look_at(const ctv_config& config, const Clip& clip, const CodedClip& coded, const Viewer& viewer = {});

/// A clip encoded and decoded. All of ctbench's times of this codec come from here.
struct TimedClip {
  CodedClip coded;
  PassTimes decoded;
  std::vector<double> encode_ms, decode_ms;  // per frame, one value per run; with frames in flight their mean
};
/// One warm-up pass and `runs` measured passes; with 0 runs, the first pass is measured. With frames in
/// flight more passes follow, so that measured passes begin and end with a full pipeline.
TimedClip time_clip(const ctv_config& config, const Clip& clip, int64_t runs);
/// "ms_per_frame" (median; null if it is not positive: a difference below the noise), "quartiles", "runs".
Json timing_json(const std::vector<double>& ms_per_frame);

/// A way to run the codec on this machine: a backend and an engine.
struct Runner {
  ctv_backend backend = CTV_BACKEND_CPU;
  ctv_engine engine = CTV_ENGINE_DIRECT;
  /// "cpu direct"
  std::string name() const;
  Json json() const;
  bool gpu() const { return backend == CTV_BACKEND_CUDA; }
  void apply(ctv_config& config) const {
    config.backend = backend;
    config.engine = engine;
  }
};

/// Opens an encoder for each of cpu and cuda with direct and, where the transform has convolutions, fft;
/// `config` is complete otherwise. missing() gets a line of each that does not open: which, and why.
std::vector<Runner> available_runners(const ctv_config& config,
                                      const std::function<void(const std::string&)>& missing);

}  // namespace ctv::tools
