// SPDX-License-Identifier: BSD-3-Clause
// `ctbench pictures`: a part of a decoded frame from several codecs, all with about the same number of bytes.
#include <algorithm>
#include <cmath>

#include "bench/measurement.h"
#include "bench/peers.h"
#include "bench/verbs.h"
#include "cli/text.h"
#include "io/image_writer.h"

namespace ctv::tools {
namespace {

/// Log of bytes, which grows evenly with quality: the value to match.
Yield loudness(uint64_t bytes) {
  return {10 * std::log10(static_cast<double>(std::max<uint64_t>(bytes, 1))), bytes};
}

/// Draws lines over a key frame along the slopes of its blocks: finest scale red, then green, blue.
void draw_slopes(Frame& rgb, const std::vector<uint8_t>& header, const std::vector<uint8_t>& packet) {
  constexpr uint8_t kColours[3][3] = {{255, 40, 40}, {60, 230, 60}, {70, 130, 255}};
  const VideoFormat& video = rgb.video();
  for (int32_t scale = 3; scale >= 1; --scale) {
    int32_t rows = 0, cols = 0;
    const auto read = [&](int8_t* slopes, size_t capacity) {
      check(ctv_packet_slopes(header.data(), header.size(), packet.data(), packet.size(), scale, slopes,
                              capacity, &rows, &cols));
    };
    read(nullptr, 0);
    std::vector<int8_t> slopes(static_cast<size_t>(rows) * static_cast<size_t>(cols));
    read(slopes.data(), slopes.size());
    const int32_t side = 8 << scale;
    for (int32_t i = 0; i < rows * cols; ++i) {
      const int32_t slope = slopes[static_cast<size_t>(i)];
      const int32_t reach = slope == 0 ? -1 : (side / 2 - 2) * std::min(std::abs(slope), 2) / 2;
      for (int32_t t = -reach; t <= reach; ++t) {
        const int32_t x = i % cols * side + side / 2 + t, y = i / cols * side + side / 2 + 2 * t / slope;
        if (x >= video.width || y >= video.height) continue;
        std::copy_n(kColours[scale - 1], 3,
                    rgb.plane(0) + static_cast<size_t>(y) * rgb.stride(0) + 3 * static_cast<size_t>(x));
      }
    }
  }
}

struct Pictures {
  Measurement& m;
  Json& results;
  const Clip& clip;
  int64_t frame;      // frame whose middle part is shown
  double target = 0;  // value to match, from the first of our codings
  int64_t key_interval = 10;

  void add(const std::string& codec, const std::string& setting, uint64_t bytes, const Json& decibels,
           const Json& ssim, const Frame& shown) {
    const Frame part = middle_of(shown, 240, 160);
    results.push_back({{"codec", codec},
                       {"setting", setting},
                       {"bytes", bytes},
                       {"psnr_y", decibels},
                       {"ssim", ssim},
                       {"png", base64(png_of(part.picture()))}});
  }

  void add(const std::string& codec, const std::string& setting, uint64_t bytes, const Seen& seen) {
    add(codec, setting, bytes, number(seen.meter.decibels()), number(seen.meter.ssim()), seen.kept);
  }

  /// Shows the source of the key frame that the shown frame depends on, with its slopes.
  void add_slopes(const CodedClip& coded) {
    const auto key = static_cast<size_t>(frame - frame % key_interval);
    const std::vector<uint8_t>&header = coded.units[0], &packet = coded.units[key + 1];
    ctv_packet_info info;
    ctv_packet_info_init(&info);
    check(
        ctv_packet_info_parse(header.data(), header.size(), packet.data(), packet.size(), &info, nullptr, 0));
    if (info.slope_blocks == 0) return;
    Frame shown = to_rgb(clip.frames[key]);
    draw_slopes(shown, header, packet);
    add("slopes",
        text("of frame %lld, in %.1f %% of its blocks", static_cast<long long>(key),
             100.0 * info.slanted_blocks / info.slope_blocks),
        info.side_size, nullptr, nullptr, shown);
  }

  Yield ours(const Variant& variant, double qp, bool keep) {
    m.show(variant.name + text(" at qp %g", qp));
    const ctv_config config = make_config(
        variant_options(variant, m.run_words,
                        {"--qp", text("%g", qp), "--keyint", std::to_string(key_interval), "--no-scenecut"}),
        clip.video);
    const CodedClip coded = encode_clip(config, clip);
    if (keep) add(variant.name, text("qp %g", qp), coded.bytes, look_at(config, clip, coded, frame));
    if (keep && variant.name == m.variant.name) add_slopes(coded);
    return loudness(coded.bytes);
  }
  void match_ours(const Variant& variant) {
    const Match match = match_quality(51, target, [&](double qp) { return ours(variant, qp, false); });
    ours(variant, match.setting, true);
  }

  void match_peer(const Peer& peer, const PeerClip& files) {
    const auto code = [&](double setting) {
      m.show(peer.name + text(" at %s %g", peer.setting.c_str(), setting));
      return files.code(peer, setting, 1, frame);
    };
    const Match match = match_quality(peer.worst, target, [&](double s) { return loudness(code(s).bytes); });
    const PeerClip::Coded coded = code(match.setting);
    add(peer.name, text("%s %g", peer.setting.c_str(), match.setting), coded.bytes, coded.seen);
  }
  void others(const std::vector<Peer>& peers) {
    const std::vector<Peer> usable = usable_peers(m, peers, clip);
    if (usable.empty()) return;
    const PeerClip files(clip, key_interval);
    for (const Peer& peer : usable) m.attempt(peer.name, [&] { match_peer(peer, files); });
  }
};

}  // namespace

Exit run_pictures(int argc, const char* const* argv) {
  Measurement m(
      "pictures", "what codecs make of one picture at equal bytes, side by side",
      "CLIP, or a generated one, is encoded by this codec, by the paper's preset and by the peers that are "
      "installed, each at the setting whose bytes are nearest to ours. The middle of the middle frame of "
      "each goes into the JSON as a PNG, and ctbench report shows them side by side, with the slopes of our "
      "directional lifting as lines over the key frame before it: red ones of the finest scale, then green "
      "and "
      "blue.",
      {{"ctbench pictures a.y4m --size 1280x720 --qp 38 --json pictures.json", "at a low rate"},
       {"ctbench pictures --transforms --frames 1 --qp 42 --json cloth.json",
        "what directions are worth on texture"}});
  m.frames = 10;
  m.runs = 0;
  m.fixed = {"--qp", "--step", "--crf", "--bitrate", "--lossless", "--keyint", "--scenecut"};
  m.size = {640, 360};
  int64_t qp = 30;
  std::optional<std::vector<Peer>> chosen;
  bool transforms = false;
  m.clip_options();
  m.count("--qp", "Our quantiser, whose bytes the others get", 1, 51, qp);
  m.options.value("--peers", "LIST",
                  "x264-ultrafast, x264-veryfast, mjpeg (these unless given), x264-medium, svt-av1-p10; none",
                  [&](const std::string& s) { chosen = choose_peers(s); });
  m.options.flag(
      "--transforms",
      "The default preset with its wavelet and with directional filter banks, all else being equal, on cloth "
      "and edges unless a CLIP is given; no peers",
      [&] { transforms = true; });
  std::vector<Variant> others_of_ours = {parse_variant("paper")};
  const auto check = [&] {
    if (!transforms) return;
    if (chosen)
      throw Failure(Exit::kUsage, "--peers: --transforms compares transforms alone", "leave one of them out");
    chosen.emplace();
    m.variant = {"wavelet", {}};
    if (m.clips.empty())
      m.clips = {text("cloth:%dx%d@25:%lld", m.size.first, m.size.second, static_cast<long long>(m.frames))};
    others_of_ours = {{"4 directions", {"--set", "directions=4"}},
                      {"8 directions", {"--set", "directions=8"}}};
  };
  const auto measure = [&](Json& j) {
    const Clip clip = m.load(m.size);
    const auto frame = static_cast<int64_t>(clip.frames.size() / 2);
    j["settings"] = m.settings(clip.frames.size());
    j.update({{"width", m.size.first},
              {"height", m.size.second},
              {"clip", clip.name},
              {"digest", clip.digest},
              {"transforms", transforms},
              {"frame", frame},
              {"frames", clip.frames.size()},
              {"results", Json::array()}});
    Pictures pictures = {m, j["results"], clip, frame};
    Seen source;
    source.kept = clip.frames[static_cast<size_t>(frame)];
    source.meter.add(source.kept.picture(), source.kept.picture());
    pictures.add("source", "", clip.frames.size() * clip.video.frame_bytes(), source);
    pictures.target = pictures.ours(m.variant, static_cast<double>(qp), true).decibels;
    for (const Variant& variant : others_of_ours)
      if (variant.name != m.variant.name) pictures.match_ours(variant);
    pictures.others(chosen ? *chosen : choose_peers(""));
  };
  return m.run(argc, argv, {.check = check, .measure = measure});
}

}  // namespace ctv::tools
