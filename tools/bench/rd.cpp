// SPDX-License-Identifier: BSD-3-Clause
// `ctbench rd`.
#include <algorithm>

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

  void add_point(Json& curve, const Clip& clip, double setting, uint64_t bytes, const Meter& meter,
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
    for (const double qp : qps) {
      m.show(text("%s, %s at qp %g", clip.name.c_str(), variant.name.c_str(), qp));
      const EncodeOptions encode = variant_options(variant, before, {"--qp", text("%g", qp)});
      const ctv_config config = make_config(encode, clip.video);
      const TimedClip timed = time_clip(config, clip, 0);
      add_point(curve, clip, qp, timed.coded.bytes, look_at(config, clip, timed.coded).meter,
                timed.coded.times.seconds[0], timed.decoded.seconds[0]);
    }
  }

  void measure_peer(Json& curve, const Clip& clip, const Peer& peer, const PeerClip& files) const {
    for (const double setting : peer.settings) {
      m.show(text("%s, %s at %s %g", clip.name.c_str(), peer.name.c_str(), peer.setting.c_str(), setting));
      const PeerClip::Coded coded = files.code(peer, setting);
      curve["command"] = coded.command;
      add_point(curve, clip, setting, coded.bytes, coded.seen.meter, coded.encode_seconds,
                coded.decode_seconds);
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
    for (const Variant& variant : ours) measure_variant(begin(variant.name, "qp"), clip, variant);
    const std::vector<Peer> usable = usable_peers(m, peers, clip);
    if (usable.empty()) return;
    const PeerClip files(clip, key_interval);
    for (const Peer& peer : usable)
      m.attempt(clip.name + " with " + peer.name,
                [&] { measure_peer(begin(peer.name, peer.setting), clip, peer, files); });
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
       {"ctbench rd a.y4m --ours default --ours flat:preset=default,directions=0 --anchor default --peers "
        "none",
        "what directions are worth"}});
  m.most_clips = SIZE_MAX;
  m.frames = 30;
  m.fixed = {"--qp", "--step", "--crf", "--bitrate", "--lossless"};
  bool anchor_given = false;
  std::string anchor = "x264-ultrafast";
  std::vector<std::string> ours;
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
  m.options.value(
      "--peers", "LIST",
      "x264-ultrafast, x264-veryfast, mjpeg (these unless given), x264-medium, svt-av1-p10; all; none",
      [&](const std::string& s) { run.peers = choose_peers(s); });
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
    j["settings"] = {
        {"frames", m.frames}, {"key_interval", run.key_interval}, {"anchor", anchor}, {"range", {30, 44}}};
    j["clips"] = Json::array();
    for (const std::string& path : m.clips)
      m.attempt(clip_name(path), [&] { run.measure_clip(j["clips"], path); });
  };
  return m.run(argc, argv, {.check = check, .measure = measure});
}

}  // namespace ctv::tools
