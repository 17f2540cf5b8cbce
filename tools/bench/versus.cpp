// SPDX-License-Identifier: BSD-3-Clause
// `ctbench peers`: speed and bytes compared with other codecs at equal luma PSNR, in one run on one machine.
#include <algorithm>
#include <cmath>

#include "bench/measurement.h"
#include "bench/peers.h"
#include "bench/verbs.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

constexpr int kManyInFlight = 16;  // a clip with no more frames would be sent before the first result

struct Versus {
  Measurement& m;
  Json& results;
  const Clip& clip;
  double decibels;
  int64_t key_interval;

  /// The configuration of this codec on a backend, with these numbers of threads and frames in flight.
  ctv_config config(const Runner& runner, int threads, int in_flight, double qp) const {
    ctv_config c =
        m.config(clip, {"--qp", text("%g", qp), "--keyint", std::to_string(key_interval), "--threads",
                        std::to_string(threads), "--in-flight", std::to_string(in_flight), "--no-scenecut"});
    runner.apply(c);
    return c;
  }

  void ours() const {
    const std::string& name = m.variant.name;
    const Match match = match_quality(51, decibels, [&](double qp) {
      m.show(name + text(" at qp %g", qp));
      const ctv_config c = config(Runner(), cores(), 1, qp);
      const CodedClip coded = encode_clip(c, clip);
      return Yield{look_at(c, clip, coded).meter.decibels(), coded.bytes};
    });
    for (const Runner& runner : m.runners(config(Runner(), cores(), 1, match.setting))) {
      if (runner.engine != CTV_ENGINE_DIRECT) continue;  // the other engine gives the same bytes, more slowly
      if (!runner.gpu() && cores() > 1) ours(match, runner, 1, 1);
      ours(match, runner, cores(), 1);
      if (clip.frames.size() > kManyInFlight) {
        ours(match, runner, cores(), kManyInFlight);
      } else {
        m.leave_out(
            text("%d frames in flight: the clip has only %zu frames", kManyInFlight, clip.frames.size()));
      }
    }
  }

  void ours(const Match& match, const Runner& runner, int threads, int in_flight) const {
    const std::string how = text("%s, %d thread%s, %d in flight", runner.gpu() ? "cuda" : "cpu", threads,
                                 threads > 1 ? "s" : "", in_flight);
    m.show(m.variant.name + ", " + how);
    const TimedClip timed = time_clip(config(runner, threads, in_flight, match.setting), clip, m.runs);
    std::string command = text("ctenc --keyint %lld --no-scenecut --qp %g",
                               static_cast<long long>(key_interval), match.setting);
    for (const std::string& word : m.variant.arguments) command += " " + word;
    add(m.variant.name, how, threads, "qp", match, command, timed.encode_ms, timed.decode_ms);
  }

  void add(const std::string& codec, const std::string& how, int threads, const std::string& setting_name,
           const Match& match, const std::string& command, const std::vector<double>& encode_ms,
           const std::vector<double>& decode_ms) const {
    const double equal = match.bytes_at(decibels) / static_cast<double>(clip.frames.size());
    results.push_back({{"codec", codec},
                       {"how", how},
                       {"threads", threads},
                       {"setting_name", setting_name},
                       {"setting", match.setting},
                       {"psnr_y", number(match.yield.decibels)},
                       {"bytes", match.yield.bytes},
                       {"bytes_per_frame", match.reached() ? number(equal) : Json()},
                       {"command", command},
                       {"encode", timing_json(encode_ms)},
                       {"decode", timing_json(decode_ms)}});
  }

  void peer(const Peer& p, const PeerClip& files) const {
    const auto yield = [&](double setting, int threads) {
      m.show(p.name + text(" at %s %g, %d threads", p.setting.c_str(), setting, threads));
      const PeerClip::Coded coded = files.code(p, setting, threads);
      return Yield{coded.meter.decibels(), coded.bytes};
    };
    Match match = match_quality(p.worst, decibels, [&](double setting) { return yield(setting, 1); });
    for (const int threads : cores() > 1 ? std::vector<int>{1, cores()} : std::vector<int>{1}) {
      // With threads some codecs divide pictures, which costs bytes.
      if (threads > 1) match.yield = yield(match.setting, threads);
      const PeerClip::Times times = files.time(p, match.setting, threads, m.runs);
      add(p.name, text("%d thread%s", threads, threads > 1 ? "s" : ""), threads, p.setting, match,
          times.command, times.encode_ms, times.decode_ms);
    }
  }

  void others(const std::vector<Peer>& peers) const {
    if (peers.empty()) return;
    if (clip.frames.size() < 2) return m.leave_out("peers: they are timed on at least two frames");
    const std::vector<Peer> usable = usable_peers(m, peers, clip);
    if (usable.empty()) return;
    const PeerClip files(clip, key_interval);
    for (const Peer& p : usable) m.attempt(p.name, [&] { peer(p, files); });
  }
};

}  // namespace

Exit run_peers(int argc, const char* const* argv) {
  Measurement m(
      "peers", "speed and bytes compared with other codecs at equal luma PSNR",
      "CLIP, or a generated one, is encoded and decoded by this codec on every backend and by the peers "
      "that are installed, each at the setting whose luma PSNR is nearest to the one asked for, in the "
      "same run.",
      {{"ctbench peers a.y4m --size 1920x1080", "with x264, Motion JPEG, SVT-AV1"}});
  m.frames = 30;
  m.fixed = {"--threads", "--backend", "--engine",   "--in-flight", "--qp",      "--step",
             "--crf",     "--bitrate", "--lossless", "--keyint",    "--scenecut"};
  std::vector<Peer> peers = choose_peers("all");
  double decibels = 40;
  int64_t key_interval = 10;
  m.clip_options();
  m.options.value(
      "--peers", "LIST",
      "x264-ultrafast, x264-veryfast, mjpeg, x264-medium, x265-medium, svt-av1-p10; all unless given; "
      "none",
      [&](const std::string& s) { peers = choose_peers(s); });
  m.real("--psnr", "Luma PSNR that all are set to, in dB", 10, 70, decibels);
  m.count("--keyint", "Frames from key frame to key frame", 1, 1 << 30, key_interval);
  const auto measure = [&](Json& j) {
    Clip clip = m.load(m.size);
    j["settings"] = m.settings(clip.frames.size());
    j.update({{"width", m.size.first},
              {"height", m.size.second},
              {"decibels", decibels},
              {"key_interval", key_interval},
              {"clip", clip.name},
              {"digest", clip.digest},
              {"frames", clip.frames.size()},
              {"results", Json::array()}});
    const Versus versus = {m, j["results"], clip, decibels, key_interval};
    lay_out_for(versus.config(Runner(), cores(), 1, 51), clip);
    versus.ours();
    versus.others(peers);
  };
  return m.run(argc, argv, {.measure = measure});
}

}  // namespace ctv::tools
