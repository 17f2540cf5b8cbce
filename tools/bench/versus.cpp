// SPDX-License-Identifier: BSD-3-Clause
// `ctbench peers`: measuring.
#include "bench/versus.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <thread>

#include "bench/rd.h"
#include "bench/status_line.h"
#include "bench/table.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "io/frame_writer.h"

namespace ctv::tools {
namespace {

constexpr Scale kOurScale = {1, 51, 1, false};

/// Ours in one way: on which backend, with how many threads and frames in flight.
struct Way {
  Runner runner;
  int threads = 1, in_flight = 1;
};

class VersusRun {
 public:
  explicit VersusRun(const VersusOptions& options)
      : options_(options),
        status_(options.common.progress && !options.common.quiet),
        cores_(static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 256U))) {}

  VersusResult run() {
    try {
      Clip clip = load_common_clip(options_.common, options_.common.size);
      result_.frames = static_cast<int64_t>(clip.frames.size());
      result_.clip = clip.name;
      result_.digest = clip.digest;
      lay_out_for(config(clip, {Runner(), cores_, 1}, kOurScale.highest), clip);
      measure_ours(clip);
      if (clip.video.format == CTV_FORMAT_I420 && clip.frames.size() > 1) {
        measure_peers(clip);
      } else {
        leave_out("peers: they are run on 4:2:0 and at least two frames only");
      }
    } catch (const Interrupted&) {
      put_off_signal();
      result_.complete = false;
    }
    status_.clear();
    return std::move(result_);
  }

 private:
  void leave_out(const std::string& why) {
    tools::leave_out(status_, options_.common.quiet, why, result_.missing);
  }

  ctv_config config(const Clip& clip, const Way& way, double qp) const {
    ctv_config c = common_config(
        options_.common, clip,
        {"--qp", text("%g", qp), "--keyint", std::to_string(options_.key_interval), "--threads",
         std::to_string(way.threads), "--in-flight", std::to_string(way.in_flight), "--no-scenecut"});
    way.runner.apply(c);
    return c;
  }

  Yield yield(const Clip& clip, const ctv_config& c) const {
    const CodedClip coded = encode_clip(c, clip);
    RdMeter meter;
    decode_clip(decoder_like(c), coded.units, clip.frames.size(),
                [&](const ctv_picture& p) { meter.add(clip.frames[meter.frames()].picture(), p); });
    RdPoint point;
    meter.finish(point);
    return {point.psnr[0], coded.bytes};
  }

  void measure_ours(const Clip& clip) {
    const std::string& name = options_.common.variant.name;
    const Way searching = {Runner(), cores_, 1};
    const Match match = match_quality(kOurScale, options_.decibels, [&](double qp) {
      status_.show(name + text(" at qp %g", qp));
      return yield(clip, config(clip, searching, qp));
    });
    const Runners runners = available_runners(config(clip, searching, match.setting));
    for (const std::string& missing : runners.missing) leave_out(missing);
    std::vector<Way> ways;
    for (const Runner& runner : runners.list) {
      if (runner.engine != CTV_ENGINE_DIRECT) continue;  // the other one gives the same bytes, later
      if (!runner.gpu() && cores_ > 1) ways.push_back({runner, 1, 1});
      for (const int in_flight : {1, 16}) ways.push_back({runner, cores_, in_flight});
    }
    for (const Way& way : ways) {
      VersusRow row = {
          name, "qp", "", "", way.threads, match.setting, match.yield, match.bytes_at(options_.decibels),
          {},   {}};
      row.how = text("%s, %d thread%s, %d in flight", way.runner.gpu() ? "cuda" : "cpu", way.threads,
                     way.threads > 1 ? "s" : "", way.in_flight);
      status_.show(name + ", " + row.how);
      const ctv_config c = config(clip, way, match.setting);
      const CodedClip coded = encode_clip(c, clip, options_.common.runs + 1);
      const PassTimes decoded = decode_clip(decoder_like(c), coded.units, clip.frames.size());
      for (size_t i = 1; i < coded.times.seconds.size(); ++i) {
        row.encode_ms.push_back(1000 * coded.times.seconds[i] / static_cast<double>(clip.frames.size()));
        row.decode_ms.push_back(1000 * decoded.seconds[i] / static_cast<double>(clip.frames.size()));
      }
      row.command = "ctenc --qp " + text("%g", match.setting);
      for (const std::string& word : options_.common.variant.arguments) row.command += " " + word;
      result_.rows.push_back(row);
    }
  }

  void measure_peers(const Clip& clip) {
    const ScratchFolder scratch;
    Clip first;
    first.video = clip.video;
    first.frames = {clip.frames.front()};
    write_clip(clip, scratch.file("all.y4m"), true);
    write_clip(clip, scratch.file("all.yuv"), false);
    write_clip(first, scratch.file("one.y4m"), true);
    write_clip(first, scratch.file("one.yuv"), false);
    for (const Peer& peer : options_.peers) {
      try {
        if (const std::string missing = missing_program(peer); !missing.empty()) {
          leave_out(peer.name + ": " + missing + " is not installed");
        } else {
          measure_peer(clip, first, peer, scratch);
        }
      } catch (const Failure& e) {
        leave_out(peer.name + ": " + e.what());
      }
    }
    if (options_.peers.empty()) return;
    try {
      if (const std::string missing = jpeg_turbo_missing(); !missing.empty()) {
        leave_out("libjpeg-turbo: " + missing + " is not installed");
      } else {
        status_.show("libjpeg-turbo");
        result_.rows.push_back(
            measure_jpeg_turbo(clip, scratch, options_.decibels, 0.5 * options_.common.runs));
      }
    } catch (const Failure& e) {
      leave_out(std::string("libjpeg-turbo: ") + e.what());
    }
    try {
      if (const std::string missing = nvjpeg_missing(); !missing.empty()) {
        leave_out("nvjpeg: " + missing);
      } else {
        status_.show("nvjpeg");
        for (VersusRow& row : measure_nvjpeg(clip, options_.decibels, options_.common.runs))
          result_.rows.push_back(std::move(row));
      }
    } catch (const Failure& e) {
      leave_out(e.what());
    }
  }

  Yield peer_yield(const Clip& clip, const Peer& peer, const PeerJob& job,
                   const ScratchFolder& scratch) const {
    InputOptions input;
    input.path = scratch.file("decoded.yuv");
    input.size = {clip.video.width, clip.video.height};
    const PeerStream stream = run_peer(peer, job, input.path);
    RdMeter meter;
    const std::unique_ptr<FrameReader> reader = open_input(input);
    Frame frame;
    while (meter.frames() < clip.frames.size() && reader->read(frame))
      meter.add(clip.frames[meter.frames()].picture(), frame.picture());
    RdPoint point;
    meter.finish(point);
    return {point.psnr[0], stream.bytes};
  }

  void measure_peer(const Clip& clip, const Clip& first, const Peer& peer, const ScratchFolder& scratch) {
    PeerJob job = {clip, scratch.file("all.y4m"), scratch.file("all.yuv"), scratch.file("all.stream"),
                   0,    options_.key_interval};
    PeerJob one = {first, scratch.file("one.y4m"), scratch.file("one.yuv"), scratch.file("one.stream"),
                   0,     options_.key_interval};
    const Match match = match_quality(peer.scale, options_.decibels, [&](double setting) {
      status_.show(peer.name + text(" at %s %g", peer.setting.c_str(), setting));
      job.setting = setting;
      return peer_yield(clip, peer, job, scratch);
    });
    for (const int threads : cores_ > 1 ? std::vector<int>{1, cores_} : std::vector<int>{1}) {
      VersusRow row = {peer.name,
                       peer.setting,
                       text("%d thread%s", threads, threads > 1 ? "s" : ""),
                       "",
                       threads,
                       match.setting,
                       match.yield,
                       match.bytes_at(options_.decibels),
                       {},
                       {}};
      status_.show(peer.name + ", " + row.how);
      job.setting = one.setting = match.setting;
      job.threads = one.threads = threads;
      if (threads > 1) {  // some codecs then cut pictures into pieces, which costs bytes
        row.yield = peer_yield(clip, peer, job, scratch);
        row.bytes_at_target = static_cast<double>(row.yield.bytes) *
                              std::exp(match.bytes_per_decibel * (options_.decibels - row.yield.decibels));
      }
      for (int i = 0; i < options_.common.runs; ++i) {
        const PeerStream all = time_peer(peer, job), start = time_peer(peer, one);
        const auto ms = [&](double seconds) {
          return 1000 * std::max(seconds, 0.0) / static_cast<double>(clip.frames.size() - 1);
        };
        row.encode_ms.push_back(ms(all.encode_seconds - start.encode_seconds));
        row.decode_ms.push_back(ms(all.decode_seconds - start.decode_seconds));
        row.command = all.command;
      }
      result_.rows.push_back(row);
    }
  }

  const VersusOptions& options_;
  StatusLine status_;
  const int cores_;
  VersusResult result_;
};

}  // namespace

double Match::bytes_at(double decibels) const {
  return static_cast<double>(yield.bytes) * std::exp(bytes_per_decibel * (decibels - yield.decibels));
}

Match match_quality(const Scale& scale, double decibels, const std::function<Yield(double)>& measure) {
  const auto steps = std::lround((scale.highest - scale.lowest) / scale.step);
  std::map<long, Yield> known;  // by steps from the worst quality
  const auto setting = [&](long i) {
    return scale.rises ? scale.lowest + scale.step * static_cast<double>(i)
                       : scale.highest - scale.step * static_cast<double>(i);
  };
  const auto at = [&](long i) {
    const auto found = known.find(i);
    return found != known.end() ? found->second : known[i] = measure(setting(i));
  };
  long below = 0, above = steps;
  while (above - below > 1) {
    const long middle = (below + above) / 2;
    (at(middle).decibels < decibels ? below : above) = middle;
  }
  const Yield low = at(below), high = at(above);
  const bool upper = std::abs(high.decibels - decibels) < std::abs(low.decibels - decibels);
  Match match{setting(upper ? above : below), upper ? high : low};
  if (low.decibels < decibels && high.decibels > decibels && std::isfinite(high.decibels) && low.bytes > 0)
    match.bytes_per_decibel =
        (std::log(static_cast<double>(high.bytes)) - std::log(static_cast<double>(low.bytes))) /
        (high.decibels - low.decibels);
  return match;
}

VersusResult measure_versus(const VersusOptions& options) { return VersusRun(options).run(); }

}  // namespace ctv::tools
