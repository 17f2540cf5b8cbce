// SPDX-License-Identifier: BSD-3-Clause
// `ctbench pictures`: a part of a decoded frame from several codecs, all with about the same number of bytes.
#include <algorithm>
#include <memory>
#include <optional>

#include "bench/judges.h"
#include "bench/measurement.h"
#include "bench/peers.h"
#include "bench/verbs.h"
#include "cli/text.h"
#include "io/image_writer.h"
#include "io/output_file.h"

namespace ctv::tools {
namespace {

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
    add_whole(codec, setting, bytes, decibels, ssim, middle_of(shown, 240, 160));
  }
  void add_whole(const std::string& codec, const std::string& setting, uint64_t bytes, const Json& decibels,
                 const Json& ssim, const Frame& part) {
    results.push_back({{"codec", codec},
                       {"setting", setting},
                       {"bytes", bytes},
                       {"psnr_y", decibels},
                       {"ssim", ssim},
                       {"png", base64(png_of(part.picture()))}});
  }

  void add(const std::string& codec, const std::string& setting, uint64_t bytes, const Meter& meter,
           const Frame& shown) {
    add(codec, setting, bytes, number(meter.decibels()), number(meter.ssim()), shown);
  }
  /// Keeps the frame to show.
  Viewer keep(Frame& shown) const {
    return [this, &shown](size_t i, const ctv_picture& picture) {
      if (static_cast<int64_t>(i) == frame) copy_picture(picture, shown);
    };
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

  Yield ours(const Variant& variant, double qp, bool show) {
    m.show(variant.name + text(" at qp %g", qp));
    const ctv_config config = make_config(
        variant_options(variant, m.run_words,
                        {"--qp", text("%g", qp), "--keyint", std::to_string(key_interval), "--no-scenecut"}),
        clip.video);
    const CodedClip coded = encode_clip(config, clip);
    if (show) {
      Frame shown;
      const Seen seen = look_at(config, clip, coded, keep(shown));
      add(variant.name, text("qp %g", qp), coded.bytes, seen.meter, shown);
      if (variant.name == m.variant.name) add_slopes(coded);
    }
    return loudness(coded.bytes);
  }
  void match_ours(const Variant& variant) {
    const Match match = match_quality(51, target, [&](double qp) { return ours(variant, qp, false); });
    ours(variant, match.setting, true);
  }

  void match_peer(const Peer& peer, const PeerClip& files) {
    Frame shown;
    const auto code = [&](double setting) {
      m.show(peer.name + text(" at %s %g", peer.setting.c_str(), setting));
      return files.code(peer, setting, 1, keep(shown));
    };
    const Match match = match_quality(peer.worst, target, [&](double s) { return loudness(code(s).bytes); });
    const PeerClip::Coded coded = code(match.setting);
    add(peer.name, text("%s %g", peer.setting.c_str(), match.setting), coded.bytes, coded.meter, shown);
  }
  void others(const std::vector<Peer>& peers) {
    const std::vector<Peer> usable = usable_peers(m, peers, clip);
    if (usable.empty()) return;
    const PeerClip files(clip, key_interval);
    for (const Peer& peer : usable) m.attempt(peer.name, [&] { match_peer(peer, files); });
  }
};

/// Puts pictures of one size on top of each other, or side by side.
Frame joined(const std::vector<Frame>& parts, bool beside) {
  VideoFormat video = parts[0].video();
  const size_t row = parts[0].stride(0), rows = parts[0].rows(0), count = parts.size();
  (beside ? video.width : video.height) *= static_cast<int32_t>(count);
  Frame whole;
  whole.reset(video);
  uint8_t* to = whole.plane(0);
  for (size_t i = 0; i < count * rows; ++i, to += row) {
    const size_t part = beside ? i % count : i / rows, y = beside ? i / count : i % rows;
    std::copy_n(parts[part].bytes().data() + y * row, row, to);
  }
  return whole;
}

/// Four moments of a coded clip, on top of each other.
class Moments {
 public:
  explicit Moments(const Clip& clip) : frames_(clip.frames.size()) {}
  // The middles of equal parts of the clip.
  void see(size_t i, const ctv_picture& picture) {
    if (i != (2 * (i * kCount / frames_) + 1) * frames_ / (2 * kCount)) return;
    Frame frame;
    copy_picture(picture, frame);
    parts_.push_back(middle_of(frame, 480, 270));
  }
  Viewer viewer() {
    return [this](size_t i, const ctv_picture& picture) { see(i, picture); };
  }
  Frame column() const { return joined(parts_, false); }

 private:
  static constexpr size_t kCount = 4;
  size_t frames_;
  std::vector<Frame> parts_;
};

/// The source, our coding at a bitrate, and a peer's whose second half has as many bytes, as columns.
Frame make_sheet(Pictures& pictures, double bitrate, const Peer& peer) {
  Measurement& m = pictures.m;
  const Clip& clip = pictures.clip;
  std::vector<Frame> columns;
  const auto add = [&](const std::string& codec, const std::string& setting, uint64_t bytes,
                       const Meter& meter, const Moments& moments) {
    columns.push_back(moments.column());
    pictures.add_whole(codec, setting, bytes, number(meter.decibels()), number(meter.ssim()), columns.back());
  };
  Moments source(clip), ours(clip), theirs(clip);
  Meter equal;
  for (size_t i = 0; i < clip.frames.size(); ++i) {
    const ctv_picture picture = clip.frames[i].picture();
    equal.add(picture, picture);
    source.see(i, picture);
  }
  add("source", "", (clip.frames.size() - SecondHalf::first(clip.frames.size())) * clip.video.frame_bytes(),
      equal, source);

  m.show(m.variant.name + text(" at %g kb/s", bitrate));
  const ctv_config config = m.config(clip, {"--bitrate", text("%g", bitrate), "--keyint", "0"});
  const CodedClip coded = encode_clip(config, clip);
  const Meter meter = look_at(config, clip, coded, ours.viewer()).meter;
  const uint64_t bytes = SecondHalf::bytes(coded.frame_bytes(clip.frames.size()));
  add(m.variant.name, text("%g kb/s", bitrate), bytes, meter, ours);

  const PeerClip files(clip, 0);
  const auto code = [&](double rate, const Viewer& viewer = {}) {
    m.show(peer.name + text(" at %g kb/s", rate));
    return files.code(peer, rate, 1, viewer);
  };
  const double rate =
      match_bitrate(bitrate, bytes, [&](double r) { return SecondHalf::bytes(code(r).frame_bytes); });
  const PeerClip::Coded matched = code(rate, theirs.viewer());
  add(peer.name, text("%g kb/s", rate), SecondHalf::bytes(matched.frame_bytes), matched.meter, theirs);
  return joined(columns, true);
}

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
        "what directions are worth on texture"},
       {"ctbench pictures call.y4m --frames 120 --size 1280x720 --bitrate 600 --sheet sheet.png",
        "a call beside x264 at equal bits"}});
  m.frames = 10;
  m.runs = 0;
  m.fixed = {"--qp", "--step", "--crf", "--bitrate", "--lossless", "--keyint", "--scenecut"};
  m.size = {640, 360};
  int64_t qp = 30;
  std::optional<std::vector<Peer>> chosen;
  bool transforms = false;
  m.clip_options();
  m.count("--qp", "Our quantiser, whose bytes the others get", 1, 51, qp);
  m.options.value(
      "--peers", "LIST",
      "x264-ultrafast, x264-veryfast, mjpeg, x264-medium (these unless given), x265-medium, svt-av1-p10; "
      "none",
      [&](const std::string& s) { chosen = choose_peers(s); });
  std::string sheet;
  double bitrate = 0;
  m.real("--bitrate",
         "kb/s of a call, in place of --qp: columns show four moments of the source, of our variant, and of "
         "the first of --peers, by default x264-veryfast, at the bitrate with which the second half has as "
         "many bytes; 0: not",
         1, 1e6, bitrate);
  m.options.value(
      "--sheet", "FILE", "With --bitrate: also writes the columns side by side as PNG",
      [&](const std::string& s) { sheet = s; }, ValueKind::kFile);
  m.options.flag(
      "--transforms",
      "The default preset with its wavelet and with directional filter banks, all else being equal, on cloth "
      "and edges unless a CLIP is given; no peers",
      [&] { transforms = true; });
  std::vector<Variant> others_of_ours = {parse_variant("paper")};
  Peer call_peer;
  const auto check = [&] {
    if (!sheet.empty() && bitrate == 0) throw Failure(Exit::kUsage, "--sheet wants --bitrate");
    if (bitrate > 0) {
      if (transforms) throw Failure(Exit::kUsage, "--transforms: not with --bitrate");
      const std::vector<Peer> peers = chosen ? *chosen : choose_peers("x264-veryfast");
      if (peers.empty()) throw Failure(Exit::kUsage, "--bitrate wants a peer");
      call_peer = at_bitrates(peers[0]);
    }
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
    if (bitrate > 0) {
      const auto file = sheet.empty() ? nullptr : std::make_unique<OutputFile>(sheet);
      if (const auto usable = usable_peers(m, {call_peer}, clip); !usable.empty()) {
        const Frame picture = make_sheet(pictures, bitrate, usable[0]);
        if (file) {
          file->write(png_of(picture.picture()));
          file->commit();
        }
      }
      return;
    }
    const Frame& source = clip.frames[static_cast<size_t>(frame)];
    Meter equal;
    equal.add(source.picture(), source.picture());
    pictures.add("source", "", clip.frames.size() * clip.video.frame_bytes(), equal, source);
    pictures.target = pictures.ours(m.variant, static_cast<double>(qp), true).decibels;
    for (const Variant& variant : others_of_ours)
      if (variant.name != m.variant.name) pictures.match_ours(variant);
    pictures.others(chosen ? *chosen : choose_peers(""));
  };
  return m.run(argc, argv, {.check = check, .measure = measure});
}

}  // namespace ctv::tools
