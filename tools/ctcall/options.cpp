// SPDX-License-Identifier: BSD-3-Clause
#include "ctcall/options.h"

#include <cmath>

#include "cli/text.h"
#include "io/check_files.h"

namespace ctv::tools {
namespace {

constexpr int32_t kSubpel = 2;
constexpr int32_t kSlots = 8;  // they keep frames until they are acknowledged
constexpr const char* kGenerated = "generate:640x480@30:300";

double real(const std::string& option, const std::string& s, double least, double most) {
  const auto value = parse_real(s);
  if (!value || *value < least || *value > most) {
    throw Failure(Exit::kUsage,
                  text("%s: '%s' is not a number from %g to %g", option.c_str(), s.c_str(), least, most));
  }
  return *value;
}

std::vector<NetworkOptions::Step> bandwidth_steps(const std::string& s) {
  std::vector<NetworkOptions::Step> steps;
  for (const std::string& word : split(s, ',')) {
    const size_t colon = word.find(':');
    const double second = colon == std::string::npos ? 0 : real("--bandwidth", word.substr(0, colon), 0, 1e6);
    const std::string rate = colon == std::string::npos ? word : word.substr(colon + 1);
    steps.push_back({std::llround(1e6 * second), std::llround(1000 * real("--bandwidth", rate, 1, 1e7))});
    if (steps.size() == 1 ? second != 0 : steps.back().time_us <= steps[steps.size() - 2].time_us)
      throw Failure(Exit::kUsage, "--bandwidth: '" + s + "' has no rising times from 0 on");
  }
  return steps;
}

void add_network_options(Options& options, CallOptions& call) {
  NetworkOptions& network = call.network;
  const auto milliseconds = [&options](const char* name, const char* help, double most, auto set) {
    options.value(name, "MS", help, [=](const std::string& s) {
      set(static_cast<int64_t>(std::lround(1000 * real(name, s, 0, most))));
    });
  };
  options.section("Network, in both directions");
  options.value("--loss", "PERCENT", "Share of datagrams that are lost",
                [&](const std::string& s) { network.loss = real("--loss", s, 0, 100) / 100; });
  options.initially("0");
  options.value("--burst", "N", "Mean number lost in a row; 1: independent losses",
                [&](const std::string& s) { network.burst = real("--burst", s, 1, 100); });
  options.initially("1");
  milliseconds("--delay", "Time from end to end", 10000, [&](int64_t us) { network.delay_us = us; });
  options.initially("25");
  milliseconds("--rtt", "The same there and back", 20000, [&](int64_t us) { network.delay_us = us / 2; });
  milliseconds("--jitter", "Up to so much more, evenly distributed", 1000,
               [&](int64_t us) { network.jitter_us = us; });
  options.initially("0");
  options.value("--bandwidth", "KBPS[,S:KBPS...]",
                "Bandwidth of the slowest link to the receiver, and what it is from later seconds on",
                [&](const std::string& s) { network.steps = bandwidth_steps(s); });
  options.initially("unlimited");
  milliseconds("--queue", "Length of the queue before this link; what it cannot hold is lost", 10000,
               [&](int64_t us) { network.queue_us = us; });
  options.initially("200");
  options.integer("--seed", "N", "Other losses for every number", 0, UINT32_MAX,
                  [&](int64_t n) { network.seed = static_cast<uint64_t>(n); });
  options.initially("1");
  options.integer("--mtu", "BYTES", "Largest datagram", 64, 65000,
                  [&](int64_t n) { call.mtu = static_cast<int32_t>(n); });
  options.initially("1200");

  options.section("What is done about loss");
  milliseconds("--playout", "Added delay, in which repetition may come", 10000,
               [&](int64_t us) { call.playout_us = us; });
  options.initially("0");
  options.named("--repair", {"reference", "key-frame"},
                "After a loss refer to an acknowledged frame, or send a key frame",
                [&](size_t i) { call.strategy.references = i == 0; });
  options.initially("reference");
  options.named("--parts", {"on", "off"},
                "Vectors before levels; off: a frame is lost with any datagram of it",
                [&](size_t i) { call.strategy.parts = i == 0; });
  options.initially("on");
  options.named("--parity", {"auto", "none"}, "Parity by the loss that the receiver measures, or none",
                [&](size_t i) { call.strategy.parity = i == 0; });
  options.initially("auto");
  options.integer("--repeats", "N", "Lost datagrams are asked for at most so often; needs --playout", 0, 8,
                  [&](int64_t n) { call.strategy.repeats = static_cast<int32_t>(n); });
  options.initially("2 if they can come within --playout, else 0");
}

}  // namespace

ToolText ctcall_text() {
  ToolText about;
  about.name = "ctcall";
  about.summary = "hold a video call over a network that loses datagrams";
  about.description =
      "Codes a clip or a generated camera, sends it through a simulated network to a decoder in the same "
      "process, "
      "and says what a viewer sees: frozen and damaged pictures, PSNR, delay, bits of each kind. The clock "
      "is "
      "simulated, so a seed gives the same result on every machine. With --listen and --connect the ends are "
      "two "
      "processes that talk by UDP in real time; the simulated losses are then added by each sending end. "
      "--replay "
      "sends the sizes of a --trace again and again in the place of a codec.";
  about.examples = {
      {"ctcall clip.y4m --loss 5 --rtt 50", "one of twenty datagrams is lost, no delay is added"},
      {"ctcall clip.y4m --loss 5 --rtt 50 --playout 100", "with repetition"},
      {"ctcall clip.y4m --bitrate 800 --bandwidth 900,5:450 --queue 200",
       "a link that becomes narrower after 5 s"},
      {"ctcall --listen 5000 & ctcall clip.y4m --connect 127.0.0.1:5000", "two processes"},
      {"ctcall clip.y4m --trace clip.trace && ctcall --replay clip.trace --frames 18000 --loss 20",
       "ten minutes"}};
  return about;
}

void add_call_options(Options& options, CallCommand& c) {
  options.positional("INPUT", "Clip (y4m); unless given, a generated one of 640x480",
                     [&](const std::string& s) { c.input.path = s; });
  options.section("Picture");
  options.value("--generate", "WxH@FPS:N[:SEED]", "Instead of INPUT: a synthetic clip of N frames",
                [&](const std::string& s) { c.input.path = "generate:" + s, c.generated = true; });
  options.integer("--frames", "N", "Length of the call; a shorter clip begins again", 1, 10000000,
                  [&](int64_t n) { c.call.frames = n; });
  options.initially("300");
  options.value("--preset", "NAME", "Preset of the encoder", [&](const std::string& s) { c.preset = s; });
  options.initially("default");
  options.value("-b,--bitrate", "KBPS",
                "Bit rate of all that is sent, in kb/s; 2M is 2000. With --trace: of the packets",
                [&](const std::string& s) {
                  const auto rate = parse_kilobits(s);
                  if (!rate || *rate < 1)
                    throw Failure(Exit::kUsage, "--bitrate: '" + s + "' is not a bit rate");
                  c.call.bitrate = std::llround(1000 * *rate);
                });
  options.initially("1000");
  options.integer("--block", "N", "Motion blocks of 8, 16 or 32 luma samples; large ones make short vectors",
                  8, 32, [&](int64_t n) { c.block_size = static_cast<int32_t>(n); });
  options.initially("32");
  options.integer("--subpel", "N", "Vectors in 1 / 2^N luma samples", 0, 3,
                  [&](int64_t n) { c.subpel = static_cast<int32_t>(n); });
  options.initially("2 with picture prediction");
  add_network_options(options, c.call);
  options.section("Mode");
  options.value(
      "--replay", "FILE", "Send the sizes of a trace; no codec runs",
      [&](const std::string& s) { c.replay = s; }, ValueKind::kFile);
  options.value(
      "--trace", "FILE", "Code INPUT once and write the sizes of its parts; there is no call",
      [&](const std::string& s) { c.trace = s; }, ValueKind::kFile);
  options.integer("--listen", "PORT", "Be the receiver, at a UDP port; ends a second after the last datagram",
                  0, 65535, [&](int64_t n) { c.listen = n; });
  options.value("--connect", "HOST:PORT", "Be the sender, to a UDP port",
                [&](const std::string& s) { c.connect = s; });
  add_run_options(options, c.run);
}

void check_call_options(CallCommand& c) {
  exclude(c.given, {"--replay", "--trace", "--listen", "--connect"});
  exclude(c.given, {"--delay", "--rtt"});
  exclude(c.given, {"--generate", "--replay"});
  exclude(c.given, {"--bandwidth", "--connect", "--listen"});
  if (c.generated && c.given.contains("INPUT"))
    throw Failure(Exit::kUsage, "INPUT and --generate", "choose one");
  if ((!c.replay.empty() || c.listen >= 0) && !c.input.path.empty()) {
    throw Failure(Exit::kUsage, "an input has no effect here", "leave it out");
  }
  if (c.given.contains("--in-flight"))
    throw Failure(Exit::kUsage, "--in-flight: a call has one frame in flight");
  check_run_options(c.given, c.run);
  check_files({c.input.path, c.replay}, {c.trace, c.run.json});
  if (c.input.path.empty()) c.input.path = kGenerated;
  const int32_t wanted = c.call.strategy.repeats;
  choose_repeats(c.call);
  if (!c.given.contains("--repeats")) return;
  if (wanted > 0 && c.call.strategy.repeats == 0) {
    throw Failure(
        Exit::kUsage,
        text("--repeats: nothing comes within --playout %g", static_cast<double>(c.call.playout_us) / 1000),
        "the round trip, twice the jitter and 10 ms are needed");
  }
  c.call.strategy.repeats = wanted;
}

ctv_config encoder_config(const CallCommand& c, const VideoFormat& video) {
  Config config(c.preset.c_str());
  config.width = video.width;
  config.height = video.height;
  config.format = video.format;
  config.fps_num = video.fps_num;
  config.fps_den = video.fps_den;
  config.block_size = c.block_size;
  // Without picture prediction there are no vectors as side information and no references. The library
  // reports an unsuitable vector precision.
  const bool predicted = config.prediction == CTV_PREDICTION_PICTURE;
  if (predicted) config.slots = kSlots;
  if (predicted || c.subpel) config.subpel = c.subpel.value_or(kSubpel);
  config.key_interval = 0;  // on request
  config.error_resilient = 1;
  config.bitrate = c.call.bitrate;
  apply_run_options(c.run, config);
  config.frames_in_flight = 1;
  return config;
}

ctv_decoder_config decoder_config(const CallCommand& c) {
  DecoderConfig config;
  apply_run_options(c.run, config);
  config.frames_in_flight = 1;
  config.conceal = 1;
  return config;
}

}  // namespace ctv::tools
