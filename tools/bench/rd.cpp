// SPDX-License-Identifier: BSD-3-Clause
// `ctbench rd`.
#include <algorithm>
#include <optional>

#include "bench/judges.h"
#include "bench/measurement.h"
#include "bench/peers.h"
#include "bench/verbs.h"
#include "cli/names.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

/// Clips of docs/compression.md, with their settings.
struct ClipSet {
  std::string name;
  int64_t key_interval;  // 0: one key frame
  int64_t frames;        // at most, of each clip
  std::vector<std::string> clips;
};
const ClipSet kSets[] = {
    {"calls",
     0,
     60,
     {"o02_vt2people_320x192", "o06_selfie_640x480", "o17_talkinghead_640x480", "o09_juggle_640x360",
      "o18_cups_640x360"}},
    {"mixed",
     10,
     30,
     {"o02_vt2people_320x192", "o03_foreman_raw_352x288", "o05_mobile_352x288", "o06_selfie_320x240",
      "o08_parkjoy_480x270", "o11_roofs_1280x720", "o12_autumn_640x360", "o13_graffiti_1280x720"}},
    {"long", 0, 300, {"o09_juggle_640x360", "o10_flower_1280x720"}}};

struct RdRun {
  Measurement& m;
  std::vector<Variant> ours;
  std::vector<Peer> peers;
  std::vector<double> qps;
  int64_t key_interval;
  std::vector<double> bitrates = {};  // kb/s; empty: qps
  const Judges* judges = nullptr;     // with bitrates

  Json& add_point(Json& curve, const Clip& clip, double setting, uint64_t bytes, const Meter& meter,
                  double encode_seconds, double decode_seconds) const {
    const double pixels = static_cast<double>(clip.video.width) * clip.video.height;
    Json point = {{"setting", setting},
                  {"bytes", bytes},
                  {"bits_per_pixel",
                   8 * static_cast<double>(bytes) / (pixels * static_cast<double>(clip.frames.size()))}};
    point.update(meter.json());
    point["encode_seconds"] = encode_seconds;
    point["decode_seconds"] = decode_seconds;
    curve["points"].push_back(point);
    return curve["points"].back();
  }

  /// Codes a clip with a viewer of the decoded frames, and adds the point.
  template <typename Code>
  void add_seen_point(Json& curve, const Clip& clip, double setting, const Code& code) const {
    std::optional<SecondHalf> half;
    if (judges != nullptr) half.emplace(*judges, clip);
    const PeerClip::Coded c =
        code(half ? Viewer([&](size_t i, const ctv_picture& p) { half->see(i, p); }) : Viewer());
    Json& point = add_point(curve, clip, setting, c.bytes, c.meter, c.encode_seconds, c.decode_seconds);
    if (half) point["second_half"] = half->json(c.frame_bytes);
  }

  void measure_variant(Json& curve, const Clip& clip, const Variant& variant) const {
    std::vector<std::string> before = {"--keyint", std::to_string(key_interval)};
    const auto& own = variant.arguments;
    if (std::find(own.begin(), own.end(), "--scenecut") == own.end()) before.emplace_back("--no-scenecut");
    before.insert(before.end(), m.run_words.begin(), m.run_words.end());
    std::string command = "ctenc";
    for (const std::vector<std::string>& words : {before, own})
      for (const std::string& word : words) command += " " + word;
    curve["command"] = command;
    const std::string name = bitrates.empty() ? "qp" : "bitrate";
    for (const double setting : bitrates.empty() ? qps : bitrates) {
      m.show(text("%s, %s at %s %g", clip.name.c_str(), variant.name.c_str(), name.c_str(), setting));
      const EncodeOptions encode = variant_options(variant, before, {"--" + name, text("%g", setting)});
      const ctv_config config = make_config(encode, clip.video);
      add_seen_point(curve, clip, setting, [&](const Viewer& viewer) {
        const TimedClip timed = time_clip(config, clip, 0);
        PeerClip::Coded coded;
        coded.bytes = timed.coded.bytes;
        coded.frame_bytes = timed.coded.frame_bytes(clip.frames.size());
        coded.meter = look_at(config, clip, timed.coded, viewer).meter;
        coded.encode_seconds = timed.coded.times.seconds[0];
        coded.decode_seconds = timed.decoded.seconds[0];
        return coded;
      });
    }
  }

  /// anchor: with bitrates, the curve whose bytes in the second half the peer gets.
  void measure_peer(Json& curve, const Json& anchor, const Clip& clip, const Peer& peer,
                    const PeerClip& files) const {
    const auto code = [&](double setting, const Viewer& viewer) {
      m.show(text("%s, %s at %s %g", clip.name.c_str(), peer.name.c_str(), peer.setting.c_str(), setting));
      return files.code(peer, setting, 1, viewer);
    };
    std::vector<double> settings = peer.settings;
    if (judges != nullptr) {
      settings.clear();
      for (const Json& point : anchor["points"])
        settings.push_back(
            match_bitrate(point["setting"], point["second_half"]["bytes"],
                          [&](double bitrate) { return SecondHalf::bytes(code(bitrate, {}).frame_bytes); }));
    }
    for (const double setting : settings) {
      add_seen_point(curve, clip, setting, [&](const Viewer& viewer) {
        PeerClip::Coded coded = code(setting, viewer);
        curve["command"] = coded.command;
        return coded;
      });
    }
  }

  void measure_clip(Json& clips, const std::string& path) const {
    const Clip clip = load_clip(path, m.frames);
    clips.push_back({{"name", clip.name},
                     {"digest", clip.digest},
                     {"width", clip.video.width},
                     {"height", clip.video.height},
                     {"format", name_of(kFormats, clip.video.format)},
                     {"frame_rate", {clip.video.fps_num, clip.video.fps_den}},
                     {"frames", clip.frames.size()},
                     {"codecs", Json::array()}});
    Json& curves = clips.back()["codecs"];
    const auto begin = [&](const std::string& codec, const std::string& setting) -> Json& {
      curves.push_back({{"codec", codec}, {"setting", setting}, {"command", ""}, {"points", Json::array()}});
      return curves.back();
    };
    for (const Variant& variant : ours)
      measure_variant(begin(variant.name, bitrates.empty() ? "qp" : "kb/s"), clip, variant);
    const std::vector<Peer> usable = usable_peers(m, peers, clip);
    if (usable.empty()) return;
    const PeerClip files(clip, key_interval);
    const Json anchor = curves[0];
    for (const Peer& peer : usable)
      m.attempt(clip.name + " with " + peer.name,
                [&] { measure_peer(begin(peer.name, peer.setting), anchor, clip, peer, files); });
  }
};

}  // namespace

Exit run_rd(int argc, const char* const* argv) {
  Measurement m(
      "rd", "bits and quality of clips, compared with other codecs",
      "CLIPs (y4m, image sequences, generate:WxH@FPS:N), or a generated one, are encoded at several "
      "qualities by variants of this "
      "codec and by installed peers through their own command lines, decoded, and compared: PSNR of Y, U, V, "
      "6:1:1, SSIM, and BD-rates against an anchor. Prints a table for each clip and a summary.",
      {{"ctbench rd a.y4m b.y4m --json run.json", "our default, x264 and Motion JPEG"},
       {"ctbench rd call.y4m --frames 240 --keyint 0 --bitrate 300,600",
        "what a viewer of a call sees, beside x264 at equal bits"},
       {"ctbench rd a.y4m --ours default --ours flat:preset=default,directions=0 --anchor default --peers "
        "none",
        "what directions are worth"}});
  m.most_clips = SIZE_MAX;
  m.frames = 30;
  m.fixed = {"--qp", "--step", "--crf", "--bitrate", "--lossless"};
  bool anchor_given = false;
  std::string anchor = "x264-ultrafast";
  std::vector<std::string> ours, own_peers;
  RdRun run = {m, {}, choose_peers(""), {16, 20, 24, 28, 32, 36, 40, 44}, 10};
  m.repeated("--ours", "VARIANT",
             "A preset, or NAME:KEY=VALUE,... with ctenc's options as keys; default unless given", ours);
  const ClipSet* set = nullptr;
  m.options.value("--set", "NAME",
                  "calls, mixed or long: clips, frames, key frames and peers of docs/compression.md; CLIP is "
                  "their folder",
                  [&](const std::string& s) {
                    set = std::find_if(std::begin(kSets), std::end(kSets),
                                       [&](const ClipSet& c) { return c.name == s; });
                    if (set == std::end(kSets))
                      throw Failure(Exit::kUsage, "--set: '" + s + "' is not calls, mixed or long");
                    run.key_interval = set->key_interval;
                    run.peers = choose_peers("x264-ultrafast,x264-veryfast");
                    m.frames = set->frames;
                  });
  m.options.value("--qp", "LIST", "Quantisers of ours; 16,20,...,44 unless given",
                  [&](const std::string& s) { run.qps = numbers("--qp", s); });
  m.options.value("--bitrate", "LIST",
                  "kb/s, in place of quantisers. The second half of the clip is compared: peers, by default "
                  "x264-veryfast, get the bitrate with which it has as many bytes as our first variant's; "
                  "ssimulacra2 and butteraugli_main judge it where they are installed",
                  [&](const std::string& s) {
                    run.bitrates = numbers("--bitrate", s);
                    run.peers = choose_peers("x264-veryfast");
                    if (!anchor_given) anchor = "x264-veryfast";
                  });
  m.options.value("--peers", "LIST",
                  "x264-ultrafast, x264-veryfast, mjpeg, x264-medium (these unless given), x265-medium, "
                  "svt-av1-p10; all; "
                  "none",
                  [&](const std::string& s) { run.peers = choose_peers(s); });
  m.repeated(
      "--peer", "NAME=SETTINGS:COMMAND",
      "One of your own in 4:2:0, with a setting for each point of its curve and {setting}, {y4m}, {stream} "
      "in its command; ffmpeg decodes it",
      own_peers);
  m.options.value("--anchor", "CODEC",
                  "What BD-rates are against: a variant's or peer's name; x264-ultrafast",
                  [&](const std::string& s) { anchor = s, anchor_given = true; });
  m.count("--frames", "At most so many frames of each clip", 1, 1 << 20, m.frames);
  m.count("--keyint", "Frames from key frame to key frame, 0: only the first", 0, 1 << 30, run.key_interval);
  m.run_options({"--threads", "--backend", "--engine", "--device", "--in-flight"});
  const auto check = [&] {
    if (set != nullptr) {
      if (m.clips.size() != 1)
        throw Failure(Exit::kUsage, "--set wants one folder of clips", "--set calls FOLDER");
      const std::string folder = m.clips[0];
      m.clips.clear();
      for (const std::string& clip : set->clips) m.clips.push_back(folder + "/" + clip + ".y4m");
    }
    for (const std::string& words : own_peers) run.peers.push_back(parse_peer(words));
    if (!run.bitrates.empty())
      for (Peer& peer : run.peers) peer = at_bitrates(peer);
    if (m.clips.empty()) m.clips = {"generate:640x360@30:30"};
    for (const std::string& words : ours) run.ours.push_back(parse_variant(words));
    if (run.ours.empty()) run.ours.push_back(parse_variant("default"));
    std::vector<std::string> names;
    for (const Variant& variant : run.ours) {
      m.check_variant(variant);
      names.push_back(variant.name);
    }
    for (const Peer& peer : run.peers) names.push_back(peer.name);
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
      throw Failure(Exit::kUsage, "two codecs are called '" + *twice + "'", "NAME:preset=...");
    if (anchor_given && !std::binary_search(names.begin(), names.end(), anchor))
      throw Failure(Exit::kUsage, "--anchor: no codec '" + anchor + "' is measured");
  };
  const auto measure = [&](Json& j) {
    std::optional<Judges> judges;
    if (!run.bitrates.empty()) {
      run.judges = &judges.emplace();
      for (const std::string& name : judges->missing()) m.leave_out(name + " is not installed");
    }
    j["settings"] = {
        {"frames", m.frames}, {"key_interval", run.key_interval}, {"anchor", anchor}, {"range", {30, 44}}};
    j["clips"] = Json::array();
    for (const std::string& path : m.clips)
      m.attempt(clip_name(path), [&] { run.measure_clip(j["clips"], path); });
  };
  return m.run(argc, argv, {.check = check, .measure = measure});
}

}  // namespace ctv::tools
