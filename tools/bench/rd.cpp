// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rd.h"

#include <algorithm>
#include <cmath>

#include "bench/status_line.h"
#include "cli/exit.h"
#include "cli/signals.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

double weighted(const std::vector<double>& p) { return p.size() == 3 ? (6 * p[0] + p[1] + p[2]) / 8 : p[0]; }

class RdRun {
 public:
  explicit RdRun(const RdOptions& options) : options_(options), status_(options.progress && !options.quiet) {}

  RdResult run() {
    std::vector<Peer> peers;
    for (const Peer& peer : options_.peers) {
      const std::string missing = missing_program(peer);
      if (missing.empty()) {
        peers.push_back(peer);
      } else {
        leave_out(peer.name + ": " + missing + " is not installed");
      }
    }
    size_t per_clip = options_.ours.size() * options_.qps.size();
    for (const Peer& peer : peers) per_clip += peer.settings.size();
    status_.expect(static_cast<int64_t>(per_clip * options_.clips.size()));
    try {
      for (const std::string& path : options_.clips) measure_clip(path, peers);
    } catch (const Interrupted&) {
      put_off_signal();
      result_.complete = false;  // what has been measured is worth keeping
    }
    status_.clear();
    for (RdClip& clip : result_.clips) compare_with_anchor(clip, options_);
    return std::move(result_);
  }

 private:
  void leave_out(const std::string& why) { tools::leave_out(status_, options_.quiet, why, result_.left_out); }

  void measure_clip(const std::string& path, const std::vector<Peer>& peers) {
    Clip clip;
    try {
      clip = load_clip(path, options_.frames);
    } catch (const Failure& e) {
      return leave_out(e.what());
    }
    result_.clips.push_back(
        {clip.name, clip.digest, clip.video, static_cast<int64_t>(clip.frames.size()), {}});
    for (const Variant& variant : options_.ours) measure_variant(clip, variant);
    if (peers.empty()) return;
    if (clip.video.format != CTV_FORMAT_I420)
      return leave_out(clip.name + " with peers: they are run on 4:2:0 only");
    const ScratchFolder scratch;
    const std::string y4m = scratch.file("clip.y4m"), raw = scratch.file("clip.yuv");
    write_clip(clip, y4m, true);
    write_clip(clip, raw, false);
    for (const Peer& peer : peers) {
      try {
        measure_peer(clip, peer, {clip, y4m, raw, scratch.file("stream"), 0, options_.key_interval},
                     scratch.file("decoded.yuv"));
      } catch (const Failure& e) {
        leave_out(clip.name + " with " + peer.name + ": " + e.what());
      }
    }
  }

  RdCurve& begin_curve(const std::string& codec, const std::string& setting) {
    std::vector<RdCurve>& curves = result_.clips.back().curves;
    curves.push_back({codec, setting, "", {}, {}});
    return curves.back();
  }

  void measure_variant(const Clip& clip, const Variant& variant) {
    std::vector<std::string> before = {"--keyint", std::to_string(options_.key_interval)};
    const auto& own = variant.arguments;
    if (std::find(own.begin(), own.end(), "--scenecut") == own.end()) before.emplace_back("--no-scenecut");
    before.insert(before.end(), options_.run.begin(), options_.run.end());
    RdCurve& curve = begin_curve(variant.name, "qp");
    for (const double qp : options_.qps) {
      status_.show(text("%s, %s at qp %g", clip.name.c_str(), variant.name.c_str(), qp));
      const EncodeOptions encode = variant_options(variant, before, {"--qp", text("%g", qp)});
      ctv_config config = make_config(encode, clip.video);
      if (encode.choose_directions) {
        const ctv_picture first = clip.frames[0].picture();
        check(ctv_config_choose_transform(&config, &first));
      }
      const CodedClip coded = encode_clip(config, clip);
      RdPoint point;
      point.setting = qp;
      point.bytes = coded.bytes;
      point.encode_seconds = coded.times.seconds[0];
      // Looked at afterwards, so that the time is the decoder's (and that of a copy).
      std::vector<Frame> decoded;
      const PassTimes times =
          decode_clip(decoder_like(config), coded.units, clip.frames.size(), [&](const ctv_picture& picture) {
            decoded.emplace_back();
            copy_picture(picture, decoded.back());
          });
      point.decode_seconds = times.seconds[0];
      RdMeter meter;
      for (size_t i = 0; i < decoded.size(); ++i) meter.add(clip.frames[i].picture(), decoded[i].picture());
      meter.finish(point);
      curve.points.push_back(point);
      curve.command = "ctenc";
      for (const std::string& word : before) curve.command += " " + word;
      for (const std::string& word : own) curve.command += " " + word;
      status_.step();
    }
  }

  void measure_peer(const Clip& clip, const Peer& peer, PeerJob job, const std::string& decoded) {
    RdCurve& curve = begin_curve(peer.name, peer.setting);
    InputOptions input;
    input.path = decoded;
    input.size = {clip.video.width, clip.video.height};
    for (const double setting : peer.settings) {
      status_.show(
          text("%s, %s at %s %g", clip.name.c_str(), peer.name.c_str(), peer.setting.c_str(), setting));
      job.setting = setting;
      const PeerStream stream = run_peer(peer, job, decoded);
      RdPoint point;
      point.setting = setting;
      point.bytes = stream.bytes;
      point.encode_seconds = stream.encode_seconds;
      point.decode_seconds = stream.decode_seconds;
      RdMeter meter;
      const std::unique_ptr<FrameReader> reader = open_input(input);
      Frame frame;
      while (meter.frames() < clip.frames.size() && reader->read(frame)) {
        check_interrupted();
        meter.add(clip.frames[meter.frames()].picture(), frame.picture());
      }
      meter.finish(point);
      curve.points.push_back(point);
      curve.command = stream.command;
      status_.step();
    }
  }

  const RdOptions& options_;
  StatusLine status_;
  RdResult result_;
};

}  // namespace

const char* measure_name(Measure measure) {
  constexpr const char* kNames[] = {"y", "yuv", "ssim"};
  return kNames[static_cast<size_t>(measure)];
}

void RdMeter::add(const ctv_picture& source, const ctv_picture& decoded) {
  Quality frame;
  frame.add(source, decoded, true);
  psnr_sums_.resize(frame.channels().size());
  for (size_t c = 0; c < psnr_sums_.size(); ++c) psnr_sums_[c] += psnr(frame.channels()[c]);
  yuv_sum_ += frame.weighted_psnr();
  total_.merge(frame);
  ++frames_;
}

void RdMeter::finish(RdPoint& point) const {
  if (frames_ == 0) return;
  const auto n = static_cast<double>(frames_);
  for (size_t c = 0; c < psnr_sums_.size(); ++c) {
    point.psnr.push_back(psnr(total_.channels()[c]));
    point.psnr_mean.push_back(psnr_sums_[c] / n);
  }
  point.yuv = weighted(point.psnr);
  point.yuv_mean = yuv_sum_ / n;
  point.ssim = total_.ssim().value_or(0);
}

double quality_of(const RdPoint& point, Measure measure, bool mean_psnr) {
  switch (measure) {
    case Measure::kY:
      return mean_psnr ? point.psnr_mean[0] : point.psnr[0];
    case Measure::kYuv:
      return mean_psnr ? point.yuv_mean : point.yuv;
    default:
      return -10 * std::log10(1 - point.ssim);
  }
}

void compare_with_anchor(RdClip& clip, const RdOptions& options) {
  const auto curve_of = [&](const RdCurve& curve, Measure measure) {
    std::vector<RatePoint> points;
    for (const RdPoint& p : curve.points)
      points.push_back({static_cast<double>(p.bytes), quality_of(p, measure, options.mean_psnr)});
    return points;
  };
  const auto anchor = std::find_if(clip.curves.begin(), clip.curves.end(),
                                   [&](const RdCurve& c) { return c.codec == options.anchor; });
  if (anchor == clip.curves.end()) return;
  for (RdCurve& curve : clip.curves)
    for (const Measure m : kMeasures)
      curve.bd[static_cast<size_t>(m)] = bd_rate(curve_of(*anchor, m), curve_of(curve, m),
                                                 m == Measure::kSsim ? QualityRange() : options.range);
}

RdResult measure_rd(const RdOptions& options) { return RdRun(options).run(); }

}  // namespace ctv::tools
