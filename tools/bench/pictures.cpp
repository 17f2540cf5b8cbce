// SPDX-License-Identifier: BSD-3-Clause
// `ctbench pictures`.
#include "bench/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/outputs.h"
#include "bench/rd.h"
#include "bench/scaler.h"
#include "bench/status_line.h"
#include "bench/table.h"
#include "bench/verbs.h"
#include "bench/versus.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "io/frame_writer.h"
#include "io/image_writer.h"

namespace ctv::tools {
namespace {

/// Bytes on a scale on which they rise evenly with quality: what is matched here.
double loudness(uint64_t bytes) { return 10 * std::log10(static_cast<double>(std::max<uint64_t>(bytes, 1))); }

class PicturesRun {
 public:
  explicit PicturesRun(const PicturesOptions& options)
      : options_(options), status_(options.common.progress && !options.common.quiet) {}

  PicturesResult run() {
    try {
      clip_ = load_common_clip(options_.common, options_.common.size);
      result_.clip = clip_.name;
      result_.digest = clip_.digest;
      result_.frames = static_cast<int64_t>(clip_.frames.size());
      result_.frame = result_.frames / 2;
      add("source", "", clip_.frames.size() * clip_.video.frame_bytes(), {INFINITY, 1}, middle());
      ours(options_.common.variant, options_.qp);
      target_ = loudness(result_.rows.back().bytes);
      for (const Variant& variant : options_.beside) match_ours(variant);
      if (clip_.video.format == CTV_FORMAT_I420 || options_.peers.empty()) {
        peers();
      } else {
        leave_out("peers: they are run on 4:2:0 only");
      }
    } catch (const Interrupted&) {
      put_off_signal();
      result_.complete = false;
    }
    status_.clear();
    return std::move(result_);
  }

 private:
  const Frame& middle() const { return clip_.frames[static_cast<size_t>(result_.frame)]; }

  void leave_out(const std::string& why) {
    tools::leave_out(status_, options_.common.quiet, why, result_.missing);
  }

  struct LumaQuality {
    double decibels, ssim;
  };
  static LumaQuality quality_of(const RdMeter& meter) {
    RdPoint point;
    meter.finish(point);
    return {point.psnr[0], point.ssim};
  }
  void add(const std::string& codec, const std::string& setting, uint64_t bytes, const LumaQuality& quality,
           const Frame& frame) {
    const Frame part = middle_of(frame, options_.crop.first, options_.crop.second);
    result_.rows.push_back({codec, setting, bytes, quality.decibels, quality.ssim, png_of(part.picture())});
  }

  /// Encodes and decodes; keeps the frame if asked.
  Yield code(const Variant& variant, double qp, bool keep) {
    status_.show(variant.name + text(" at qp %g", qp));
    const ctv_config config = make_config(
        variant_options(
            variant, options_.common.run,
            {"--qp", text("%g", qp), "--keyint", std::to_string(options_.key_interval), "--no-scenecut"}),
        clip_.video);
    const CodedClip coded = encode_clip(config, clip_);
    RdMeter meter;
    Frame kept;
    decode_clip(decoder_like(config), coded.units, clip_.frames.size(), [&](const ctv_picture& p) {
      if (meter.frames() == static_cast<size_t>(result_.frame)) copy_picture(p, kept);
      meter.add(clip_.frames[meter.frames()].picture(), p);
    });
    if (keep) add(variant.name, text("qp %g", qp), coded.bytes, quality_of(meter), kept);
    return {loudness(coded.bytes), coded.bytes};
  }
  void ours(const Variant& variant, double qp) { code(variant, qp, true); }
  void match_ours(const Variant& variant) {
    if (variant.name == options_.common.variant.name) return;
    const Match match =
        match_quality({1, 51, 1, false}, target_, [&](double qp) { return code(variant, qp, false); });
    ours(variant, match.setting);
  }

  void peers() {
    if (options_.peers.empty()) return;
    const ScratchFolder scratch;
    const std::string y4m = scratch.file("clip.y4m"), raw = scratch.file("clip.yuv");
    write_clip(clip_, y4m, true);
    write_clip(clip_, raw, false);
    for (const Peer& peer : options_.peers) {
      if (const std::string missing = missing_program(peer); !missing.empty()) {
        leave_out(peer.name + ": " + missing + " is not installed");
        continue;
      }
      PeerJob job = {clip_, y4m, raw, scratch.file("stream"), 0, options_.key_interval};
      const auto code_peer = [&](double setting) {
        status_.show(peer.name + text(" at %s %g", peer.setting.c_str(), setting));
        job.setting = setting;
        const PeerStream stream = run_peer(peer, job, scratch.file("decoded.yuv"));
        return Yield{loudness(stream.bytes), stream.bytes};
      };
      try {
        const Match match = match_quality(peer.scale, target_, code_peer);
        code_peer(match.setting);
        keep_peer(peer, match, scratch.file("decoded.yuv"));
      } catch (const Failure& e) {
        leave_out(peer.name + ": " + e.what());
      }
    }
  }

  void keep_peer(const Peer& peer, const Match& match, const std::string& decoded) {
    InputOptions input;
    input.path = decoded;
    input.size = {clip_.video.width, clip_.video.height};
    const std::unique_ptr<FrameReader> reader = open_input(input);
    RdMeter meter;
    Frame frame, kept;
    while (meter.frames() < clip_.frames.size() && reader->read(frame)) {
      if (meter.frames() == static_cast<size_t>(result_.frame)) kept = frame;
      meter.add(clip_.frames[meter.frames()].picture(), frame.picture());
    }
    add(peer.name, text("%s %g", peer.setting.c_str(), match.setting), match.yield.bytes, quality_of(meter),
        kept);
  }

  const PicturesOptions& options_;
  StatusLine status_;
  Clip clip_;
  double target_ = 0;
  PicturesResult result_;
};

std::string pictures_text(const PicturesResult& result) {
  Table table({"codec", "setting", "bytes", "luma dB", "SSIM"});
  for (const PictureRow& row : result.rows)
    table.add({row.codec, row.setting, text("%llu", static_cast<unsigned long long>(row.bytes)),
               std::isfinite(row.decibels) ? text("%.2f", row.decibels) : "-", text("%.4f", row.ssim)});
  return text("Frame %lld of %s; the pictures are in the JSON, ctbench report shows them.\n\n",
              static_cast<long long>(result.frame), result.clip.c_str()) +
         table.text() + (result.complete ? "" : "Interrupted: some is missing.\n");
}

}  // namespace

std::string base64(const std::vector<uint8_t>& bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? bytes[i + k] : 0U);
    for (size_t k = 0; k < 4; ++k) out += k <= n ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

Frame middle_of(const Frame& frame, int32_t width, int32_t height) {
  const Frame rgb = to_rgb(frame);
  VideoFormat video = rgb.video();
  const int32_t w = std::min(width, video.width), h = std::min(height, video.height);
  const int32_t x = (video.width - w) / 2, y = (video.height - h) / 2;
  const size_t from = static_cast<size_t>(video.width) * 3, to = static_cast<size_t>(w) * 3;
  video.width = w;
  video.height = h;
  Frame part;
  part.reset(video);
  for (int32_t r = 0; r < h; ++r) {
    const auto begin =
        rgb.bytes().begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(y + r) * from) + 3 * x;
    std::copy_n(begin, to, part.bytes().begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(r) * to));
  }
  return part;
}

void choose_transforms(PicturesOptions& options) {
  options.transforms = true;
  options.peers.clear();
  options.common.variant = {"wavelet", {}};
  if (options.common.clip.empty())
    options.common.clip = text("cloth:%dx%d@25:%lld", options.common.size.first, options.common.size.second,
                               static_cast<long long>(options.common.frames));
  options.beside = {{"4 directions", {"--directions", "4", "--taps", "6"}},
                    {"8 directions", {"--directions", "8", "--taps", "6"}},
                    {"dct8x8", {"--transform", "dct8x8"}},
                    {"h264-8x8", {"--transform", "h264-8x8"}}};
}

PicturesResult measure_pictures(const PicturesOptions& options) { return PicturesRun(options).run(); }

Json pictures_json(const PicturesOptions& options, const PicturesResult& result) {
  Json j = common_json("pictures", options.common, result.complete);
  j["width"] = options.common.size.first;
  j["height"] = options.common.size.second;
  j["clip"] = result.clip;
  j["digest"] = result.digest;
  j["transforms"] = options.transforms;
  j["frame"] = result.frame;
  j["frames"] = result.frames;
  j["left_out"] = result.missing;
  j["results"] = Json::array();
  for (const PictureRow& row : result.rows)
    j["results"].push_back({{"codec", row.codec},
                            {"setting", row.setting},
                            {"bytes", row.bytes},
                            {"psnr_y", number(row.decibels)},
                            {"ssim", number(row.ssim)},
                            {"png", base64(row.png)}});
  return j;
}

Exit run_pictures(int argc, const char* const* argv) {
  ToolText about;
  about.name = "ctbench pictures";
  about.summary = "what codecs make of one picture at equal bytes, side by side";
  about.description =
      "CLIP, or a generated one, is encoded by this codec, by the paper's preset and by the peers that are "
      "installed, each at the setting whose bytes are nearest to ours. The middle of the middle frame of "
      "each goes "
      "into the JSON as a PNG, and ctbench report shows them beside each other.";
  about.examples = {{"ctbench pictures a.y4m --size 1280x720 --qp 38 --json pictures.json", "at a low rate"},
                    {"ctbench pictures --transforms --frames 1 --qp 42 --json cloth.json",
                     "what directions are worth on texture"}};
  Options options(about);
  PicturesOptions pictures;
  pictures.common.frames = 10;
  pictures.common.size = {640, 360};
  pictures.peers = choose_peers("");
  add_common_options(options, pictures.common);
  options.section("Measuring");
  options.integer("--qp", "N", "Our quantiser; 30 unless given", 1, 51,
                  [&](int64_t n) { pictures.qp = static_cast<double>(n); });
  options.value("--crop", "WxH", "How much of the middle is shown; 240x160 unless given",
                [&](const std::string& s) {
                  const auto size = parse_size(s);
                  if (!size) throw Failure(Exit::kUsage, "--crop: '" + s + "' is not WIDTHxHEIGHT");
                  pictures.crop = *size;
                });
  bool peers = false;
  options.value("--peers", "LIST",
                "x264-ultrafast, x264-veryfast, mjpeg (these unless given), svt-av1-p10, vc2; none",
                [&](const std::string& s) {
                  pictures.peers = choose_peers(s);
                  peers = true;
                });
  bool transforms = false;
  options.flag("--transforms",
               "The default preset with its wavelet, directional filter banks and block transforms, on cloth "
               "and edges unless a CLIP is given; no peers",
               [&] { transforms = true; });
  if (!parse_common(argc, argv, options, pictures.common)) return Exit::kOk;
  if (transforms && peers)
    throw Failure(Exit::kUsage, "--peers: --transforms compares transforms alone", "leave one of them out");
  if (transforms) choose_transforms(pictures);
  Outputs outputs({pictures.common.json, pictures.common.csv});
  const PicturesResult result = measure_pictures(pictures);
  const Json document = pictures_json(pictures, result);
  outputs.write(0, dump(document));
  Json rows = document["results"];
  for (Json& row : rows) row.erase("png");
  outputs.write(1, csv_of(rows));
  if (!pictures.common.quiet && !outputs.uses_stdout()) std::fputs(pictures_text(result).c_str(), stdout);
  return end_of_run(result.complete);
}

}  // namespace ctv::tools
