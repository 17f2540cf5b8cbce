// SPDX-License-Identifier: BSD-3-Clause
// `ctbench loss`: quality for a viewer of a call at each loss, burst length, round trip and playout delay.
// The codec is real; the network is ctcall's, on a virtual clock, so the figures are the same on every
// machine.
#include <cmath>
#include <memory>

#include "bench/loss_peer.h"
#include "bench/measurement.h"
#include "bench/peers.h"
#include "bench/verbs.h"
#include "cli/text.h"
#include "ctcall/codec_ends.h"
#include "ctcall/options.h"
#include "ctcall/report.h"

namespace ctv::tools {
namespace {

/// A named reaction to loss.
struct Way {
  const char* name;
  Strategy strategy;
};
const Way kWays[] = {{"ctv", {}},
                     {"ctv, key frames on loss", {.references = false, .parts = false, .parity = false}}};
constexpr const char* kPeerPresets[] = {"ultrafast", "veryfast"};

struct Matrix {
  std::vector<double> loss = {0, 5, 20}, burst = {1, 3}, round_trip = {50}, playout = {0, 100};
  std::vector<double> bandwidth, queue = {200};  // kb/s, none: unlimited; ms
  int64_t seeds = 1;

  /// Every combination; without loss, only one of bursts and seeds.
  std::vector<CallOptions> calls(const CallOptions& base) const {
    if (bandwidth.empty()) return calls_over(base);
    std::vector<CallOptions> all;
    CallOptions call = base;
    for (const double kilobits : bandwidth) {
      for (const double length : queue) {
        call.network.steps = {{0, std::llround(1000 * kilobits)}};
        call.network.queue_us = std::llround(1000 * length);
        const std::vector<CallOptions> calls = calls_over(call);
        all.insert(all.end(), calls.begin(), calls.end());
      }
    }
    return all;
  }

 private:
  std::vector<CallOptions> calls_over(const CallOptions& base) const {
    std::vector<CallOptions> calls;
    for (const double rtt : round_trip) {
      for (const double delay : playout) {
        for (const double length : burst) {
          for (const double share : loss) {
            for (int64_t seed = 1; seed <= seeds; ++seed) {
              if (share == 0 && (seed > 1 || length != burst[0])) continue;
              CallOptions call = base;
              call.network.loss = share / 100;
              call.network.burst = length;
              call.network.delay_us = static_cast<int64_t>(500 * rtt);
              call.network.seed = static_cast<uint64_t>(seed);
              call.playout_us = static_cast<int64_t>(1000 * delay);
              choose_repeats(call);
              calls.push_back(call);
            }
          }
        }
      }
    }
    return calls;
  }
};

/// A clip that is repeated endlessly.
class ClipLoop : public FrameReader {
 public:
  explicit ClipLoop(const Clip& clip) : clip_(clip) { video_ = clip.video; }
  bool read(Frame& frame) override {
    frame = clip_.frames[next_++ % clip_.frames.size()];
    return true;
  }

 private:
  const Clip& clip_;
  size_t next_ = 0;
};

class LossRun {
 public:
  LossRun(Measurement& m, Json& results, const CallCommand& command, const Matrix& matrix)
      : m_(m), results_(results), command_(command), matrix_(matrix) {}

  void measure(const Clip& clip) {
    command_.call.fps = clip.video.rate();
    const std::vector<CallOptions> calls = matrix_.calls(command_.call);
    for (const Way& way : kWays) {
      for (const CallOptions& call : calls) measure_ours(clip, way, call);
    }
    if (!matrix_.bandwidth.empty()) return;  // the peers do not adapt their rate
    for (const char* preset : kPeerPresets) {
      const std::string name = std::string("x264-") + preset;
      m_.attempt(clip.name + " with " + name, [&] {
        const std::string why = hindrance("x264", clip);
        if (!why.empty()) throw Failure(Exit::kFile, why);
        X264Peer peer(clip, preset, command_.call);
        for (const bool refresh : {true, false}) {
          for (const CallOptions& call : calls) {
            if (call.playout_us > 0) continue;  // there is no repetition that could use it
            const X264Peer::Outcome outcome =
                refresh ? peer.call_with_refresh(call) : peer.call_with_key_frames(call);
            add(clip, name + (refresh ? ", intra refresh" : ", key frames on loss"), call, outcome.call,
                outcome.psnr);
          }
        }
      });
    }
  }

 private:
  void measure_ours(const Clip& clip, const Way& way, CallOptions call) {
    m_.show(text("%s, %s, loss %g %%", clip.name.c_str(), way.name, 100 * call.network.loss));
    const int32_t repeats = call.strategy.repeats;
    call.strategy = way.strategy;
    call.strategy.repeats = repeats;
    ClipLoop reader(clip);
    Originals originals;
    CodecSource source(encoder_config(command_, clip.video), reader, &originals, call.strategy.references);
    CodecSink sink(decoder_config(command_), &originals);
    const CallResult result = run_call(call, source, sink);
    add(clip, way.name, call, result, sink.psnr());
  }

  void add(const Clip& clip, const std::string& codec, const CallOptions& call, const CallResult& result,
           std::optional<double> psnr) {
    CallCommand command = command_;
    command.call = call;
    Json row = {{"clip", clip.name}, {"codec", codec}};
    row.update(call_json(command, result, psnr, 0));
    row.erase("tool"), row.erase("version");
    results_.push_back(row);
  }

  Measurement& m_;
  Json& results_;
  CallCommand command_;
  const Matrix& matrix_;
};

}  // namespace

Exit run_loss(int argc, const char* const* argv) {
  Measurement m(
      "loss", "what a viewer of a call sees when datagrams are lost or the network is narrow",
      "CLIPs, or a generated one, go through ctcall's simulated call at every combination of loss, burst, "
      "round trip and playout delay: with acknowledged references, parts and parity, and with key frames on "
      "loss. x264 goes through the same network with intra refresh and slices of one datagram, and with key "
      "frames "
      "on loss.",
      {{"ctbench loss a.y4m --loss 0,5,20 --burst 1,3 --seeds 3", "a table"},
       {"ctbench loss a.y4m --loss 5 --rtt 50,150 --playout 0,100,200", "delay against loss"},
       {"ctbench loss a.y4m --loss 0 --bitrate 800 --bandwidth 400,900 --queue 100,500", "narrow links"}});
  m.most_clips = SIZE_MAX;
  m.frames = 150;
  Matrix matrix;
  CallCommand command;
  double kilobits = 2000;
  const auto list = [&](const char* name, const char* help, double least, double most,
                        std::vector<double>& out) {
    m.options.value(name, "LIST", help, [=, &out](const std::string& s) {
      out = numbers(name, s);
      for (const double x : out) {
        if (x < least || x > most)
          throw Failure(Exit::kUsage, text("%s: %g is out of range", name, x), text("%g to %g", least, most));
      }
    });
  };
  list("--loss", "Lost datagrams in %; 0,5,20 unless given", 0, 100, matrix.loss);
  list("--burst", "Mean numbers lost in a row; 1,3 unless given", 1, 100, matrix.burst);
  list("--rtt", "Round trips in ms; 50 unless given", 0, 20000, matrix.round_trip);
  list("--bandwidth", "Bandwidths in kb/s of the slowest link; unlimited unless given. No peers then", 1, 1e7,
       matrix.bandwidth);
  list("--queue", "Lengths of the queue before it in ms; 200 unless given", 0, 10000, matrix.queue);
  list("--playout", "Added delays in ms; 0,100 unless given", 0, 10000, matrix.playout);
  m.count("--seeds", "Calls with other losses of each kind", 1, 1000, matrix.seeds);
  m.real("--bitrate", "kb/s of all that is sent", 1, 1e6, kilobits);
  m.count("--frames", "Length of each call; a shorter clip begins again", 1, 1 << 20, m.frames);
  m.options.value("--preset", "NAME", "Preset of the encoder; default unless given",
                  [&](const std::string& s) { command.preset = s; });
  const auto measure = [&](Json& j) {
    command.call.frames = m.frames;
    command.call.bitrate = std::llround(1000 * kilobits);
    j["settings"] = {
        {"frames", m.frames}, {"bitrate", kilobits}, {"preset", command.preset}, {"mtu", command.call.mtu}};
    j["results"] = Json::array();
    if (m.clips.empty()) m.clips.push_back("generate:640x480@30:150");
    LossRun run(m, j["results"], command, matrix);
    for (const std::string& path : m.clips)
      m.attempt(clip_name(path), [&] { run.measure(load_clip(path, m.frames)); });
  };
  return m.run(argc, argv, {.measure = measure});
}

}  // namespace ctv::tools
