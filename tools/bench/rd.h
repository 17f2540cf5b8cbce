// SPDX-License-Identifier: BSD-3-Clause
// Rate and distortion: every clip through every codec at several qualities, and what that says about bits.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bench/bd_rate.h"
#include "bench/coding.h"
#include "bench/machine.h"
#include "bench/peers.h"
#include "cli/quality.h"

namespace ctv::tools {

/// The measures that curves are drawn over.
enum class Measure { kY, kYuv, kSsim };
inline constexpr std::array<Measure, 3> kMeasures = {Measure::kY, Measure::kYuv, Measure::kSsim};
/// "y", "yuv", "ssim".
const char* measure_name(Measure measure);

struct RdPoint {
  double setting = 0;
  uint64_t bytes = 0;
  std::vector<double> psnr;                       // of Y, U, V (or Y): squared error of all frames together
  std::vector<double> psnr_mean;                  // mean of the frames' PSNRs; infinite if one frame is
  double yuv = 0, yuv_mean = 0;                   // (6 Y + U + V) / 8 of the above
  double ssim = 0;                                // of luma, mean of the frames
  double encode_seconds = 0, decode_seconds = 0;  // of all frames
};

struct RdCurve {
  std::string codec, setting_name, command;
  std::vector<RdPoint> points;
  std::array<std::optional<BdRate>, 3> bd;  // as kMeasures, against the anchor
};

struct RdClip {
  std::string name, digest;
  VideoFormat video;
  int64_t frames = 0;
  std::vector<RdCurve> curves;
};

struct RdOptions {
  std::vector<std::string> clips;
  std::vector<Variant> ours;
  std::vector<Peer> peers;
  std::vector<double> qps;
  std::string anchor = "x264-ultrafast";
  int64_t frames = 30, key_interval = 10;
  bool mean_psnr = false;        // curves over the mean of the frames' PSNRs
  QualityRange range{30, 44};    // of PSNR, where BD-rates are taken; SSIM: all that curves share
  std::vector<std::string> run;  // ctenc's options for how to run ours: --threads and the like
  bool points = false, progress = true, quiet = false;
  std::string json, csv;
};

struct RdResult {
  std::vector<RdClip> clips;
  std::vector<std::string> left_out;  // one line each
  bool complete = true;               // false: interrupted
};

/// Adds frames up to one point of a curve.
class RdMeter {
 public:
  void add(const ctv_picture& source, const ctv_picture& decoded);
  void finish(RdPoint& point) const;
  size_t frames() const { return frames_; }

 private:
  Quality total_;
  std::vector<double> psnr_sums_;
  double yuv_sum_ = 0;
  size_t frames_ = 0;
};

RdResult measure_rd(const RdOptions& options);
/// BD-rates of all curves against the anchor's, in place.
void compare_with_anchor(RdClip& clip, const RdOptions& options);
/// A point on the axis of a measure, in dB: SSIM as -10 log10(1 - SSIM).
double quality_of(const RdPoint& point, Measure measure, bool mean_psnr);

/// Tables as text; JSON after schema/rd.schema.json; one CSV line a point.
std::string rd_text(const RdOptions& options, const RdResult& result);
Json rd_json(const RdOptions& options, const RdResult& result);
std::string rd_csv(const RdResult& result);

}  // namespace ctv::tools
