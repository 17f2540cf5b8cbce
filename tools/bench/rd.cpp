// SPDX-License-Identifier: BSD-3-Clause
// `ctbench rd`.
#include "bench/rd.h"

#include <algorithm>
#include <cmath>

#include "bench/clip_sets.h"
#include "bench/measurement.h"
#include "bench/peers.h"
#include "bench/table.h"
#include "bench/verbs.h"
#include "cli/names.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

constexpr std::pair<const char*, const char*> kMeasures[] = {{"y", "Y"}, {"yuv", "6:1:1"}, {"ssim", "SSIM"}};

std::string codec_of(const Json& row) { return row["codec"].get<std::string>(); }

double quality_of(const Json& point, const std::string& measure, bool mean_psnr) {
  if (measure == "ssim") return -10 * std::log10(1 - point["ssim"].get<double>());
  const Json& psnr = point[mean_psnr ? "psnr_mean" : "psnr"][measure == "y" ? "y" : "weighted"];
  return psnr.is_number() ? psnr.get<double>() : INFINITY;
}

const Json* curve_of(const Json& clip, const std::string& codec) {
  for (const Json& curve : clip["codecs"])
    if (curve["codec"] == codec) return &curve;
  return nullptr;
}

// ---- Measuring ------------------------------------------------------------------------------------------

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
    m.step();
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
      ctv_config config = make_config(encode, clip.video);
      if (encode.choose_directions) {
        const ctv_picture first = clip.frames[0].picture();
        check(ctv_config_choose_transform(&config, &first));
      }
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
    Clip clip;
    try {
      clip = load_clip(path, m.frames);
    } catch (const Failure& e) {
      return m.leave_out(e.what());
    }
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
    if (peers.empty()) return;
    if (clip.video.format != CTV_FORMAT_I420)
      return m.leave_out(clip.name + " with peers: they are run on 4:2:0 only");
    const PeerClip files(clip, key_interval);
    for (const Peer& peer : peers) {
      try {
        measure_peer(begin(peer.name, peer.setting), clip, peer, files);
      } catch (const Failure& e) {
        m.leave_out(clip.name + " with " + peer.name + ": " + e.what());
      }
    }
  }
};

// ---- What it says ---------------------------------------------------------------------------------------

/// For each codec and measure the mean and the worst of the clips' BD-rates; only of `only` unless it is "".
Json summary_of(const Json& clips, const std::string& only) {
  Json codecs = Json::array();
  for (const Json& clip : clips)
    for (const Json& curve : clip["codecs"]) codecs.push_back(curve);
  Json list = Json::array();
  for (const std::string& codec : unique(codecs, &codec_of)) {
    if (!only.empty() && codec != only) continue;
    Json row = {{"codec", codec}};
    for (const auto& [measure, words] : kMeasures) {
      std::vector<double> percents;
      for (const Json& curve : codecs)
        if (curve["codec"] == codec && !curve["bd_rate"][measure].is_null())
          percents.push_back(curve["bd_rate"][measure]["percent"]);
      row[measure] = nullptr;
      if (!percents.empty())
        row[measure] = {{"mean", mean(percents)},
                        {"worst", *std::max_element(percents.begin(), percents.end())},
                        {"clips", percents.size()}};
    }
    list.push_back(row);
  }
  return list;
}

/// The first of ours against each other codec: BD-rates do not turn round by themselves.
Json ours_against(const Json& j, const std::string& first, Comparison comparison) {
  Json list = Json::array();
  for (const Json& other : j["summary"]) {
    if (other["codec"] == first) continue;
    comparison.anchor = codec_of(other);
    Json clips = j["clips"];
    for (Json& clip : clips) compare_with_anchor(clip, comparison);
    for (Json row : summary_of(clips, first)) {
      row["codec"] = other["codec"];
      list.push_back(row);
    }
  }
  return list;
}

std::string bd_words(const Json& bd, const char* member) {
  return bd.is_object() ? percent(bd[member].get<double>()) : "-";
}

Column bd_column(const std::string& head, const char* measure) {
  return {head, [measure](const Json& curve) { return bd_words(curve["bd_rate"][measure], "percent"); }};
}

/// Frames a second over all points of a curve.
Column speed_column(const std::string& head, const char* seconds, double frames) {
  return {head, [=](const Json& curve) {
            double total = 0;
            for (const Json& point : curve["points"]) total += point[seconds].get<double>();
            return total > 0 ? text("%.1f", frames * static_cast<double>(curve["points"].size()) / total)
                             : "-";
          }};
}

std::string clip_text(const Json& clip, bool points) {
  const auto frames = clip["frames"].get<double>();
  std::string out = text("%s: %dx%d, %g frames\n\n", clip["name"].get<std::string>().c_str(),
                         clip["width"].get<int>(), clip["height"].get<int>(), frames);
  for (const Json& curve : clip["codecs"]) {
    if (!points) break;
    const auto db = [](const char* plane) {
      return [plane](const Json& p) { return fixed(p["psnr"].value(plane, Json()), 2); };
    };
    const auto figure = [](const char* name, int decimals) {
      return [=](const Json& p) { return fixed(p[name], decimals); };
    };
    out += table_of(curve["points"], {{codec_of(curve), [](const Json& p) { return p["setting"].dump(); }},
                                      {"bytes", figure("bytes", 0)},
                                      {"bits/px", figure("bits_per_pixel", 4)},
                                      {"Y dB", db("y")},
                                      {"U dB", db("u")},
                                      {"V dB", db("v")},
                                      {"6:1:1", db("weighted")},
                                      {"SSIM", figure("ssim", 4)}}) +
           "\n";
  }
  const auto shared = [](const Json& curve) {
    const Json& y = curve["bd_rate"]["y"];
    return y.is_object() ? text("%.1f-%.1f", y["from"].get<double>(), y["to"].get<double>())
                         : std::string("-");
  };
  return out +
         table_of(clip["codecs"], {{"codec", &codec_of},
                                   bd_column("BD Y", "y"),
                                   bd_column("BD 6:1:1", "yuv"),
                                   bd_column("BD SSIM", "ssim"),
                                   {"Y dB shared", shared},
                                   speed_column("enc fps", "encode_seconds", frames),
                                   speed_column("dec fps", "decode_seconds", frames)}) +
         "\n";
}

std::string rd_text(const Json& j, const std::string& first, bool points) {
  std::string out;
  for (const Json& clip : j["clips"]) out += clip_text(clip, points);
  std::vector<std::string> head = {"clip"};
  for (const Json& row : j["summary"]) head.push_back(codec_of(row));
  Table table(head);
  for (const Json& clip : j["clips"]) {
    std::vector<std::string> cells = {clip["name"]};
    for (const Json& row : j["summary"]) {
      const Json* curve = curve_of(clip, codec_of(row));
      cells.push_back(curve == nullptr ? "-" : bd_words((*curve)["bd_rate"]["y"], "percent"));
    }
    table.add(cells);
  }
  std::vector<Column> against = {{first + " against", &codec_of}};
  for (const auto& [measure, words] : kMeasures) {
    std::vector<std::string> cells = {std::string("**mean, ") + words + "**"};
    for (const Json& row : j["summary"]) cells.push_back(bd_words(row[measure], "mean"));
    table.add(cells);
    for (const char* member : {"mean", "worst"})
      against.push_back(
          {member == std::string("mean") ? words : "worst clip",
           [measure = measure, member](const Json& row) { return bd_words(row[measure], member); }});
  }
  const Json& settings = j["settings"];
  out += "BD-rate of luma against " + settings["anchor"].get<std::string>() + ":\n\n" + table.text();
  if (!j["ours_against"].empty()) out += "\n" + table_of(j["ours_against"], against);
  return out + text(
                   "\nBits of whole streams; PSNR from the %s, BD-rate by PCHIP where curves share %s to %s "
                   "dB; SSIM as "
                   "-10 log10(1 - SSIM).\nTimes of peers are of whole processes, files included; ours are in "
                   "memory.\n",
                   settings["psnr"] == "mean" ? "mean of the frames' PSNRs" : "squared error of all frames",
                   settings["range"][0].dump().c_str(), settings["range"][1].dump().c_str());
}

/// A line for each point.
Json points_of(const Json& j) {
  Json rows = Json::array();
  for (const Json& clip : j.value("clips", Json::array()))
    for (const Json& curve : clip["codecs"])
      for (const Json& point : curve["points"]) {
        Json row = {{"clip", clip["name"]}, {"codec", curve["codec"]}};
        row.update(point);
        rows.push_back(row);
      }
  return rows;
}

std::vector<double> numbers(const std::string& option, const std::string& s) {
  std::vector<double> list;
  for (const std::string& part : split(s, ',')) {
    const auto value = parse_real(part);
    if (!value) throw Failure(Exit::kUsage, option + ": '" + s + "' is not a list of numbers");
    list.push_back(*value);
  }
  return list;
}

}  // namespace

void compare_with_anchor(Json& clip, const Comparison& comparison) {
  const auto points_over = [&](const Json& curve, const char* measure) {
    std::vector<RatePoint> points;
    for (const Json& p : curve["points"])
      points.push_back({p["bytes"].get<double>(), quality_of(p, measure, comparison.mean_psnr)});
    return points;
  };
  const Json* found = curve_of(clip, comparison.anchor);
  const Json anchor = found == nullptr ? Json() : *found;
  for (Json& curve : clip["codecs"]) {
    for (const auto& [measure, words] : kMeasures) {
      curve["bd_rate"][measure] = nullptr;
      if (anchor.is_null()) continue;
      const auto bd = bd_rate(points_over(anchor, measure), points_over(curve, measure),
                              measure == std::string("ssim") ? QualityRange() : comparison.range);
      if (bd) curve["bd_rate"][measure] = {{"percent", bd->percent}, {"from", bd->from}, {"to", bd->to}};
    }
  }
}

Exit run_rd(int argc, const char* const* argv) {
  Measurement m(
      "rd", "bits and quality of clips, compared with other codecs",
      "CLIPs (y4m, image sequences, generate:WxH@FPS:N) are encoded at several qualities by variants of this "
      "codec and by installed peers through their own command lines, decoded, and compared: PSNR of Y, U, V, "
      "6:1:1, SSIM, and BD-rates against an anchor. Prints a table for each clip and a summary.",
      {{"ctbench rd a.y4m b.y4m --json run.json", "our default, x264 and Motion JPEG"},
       {"ctbench rd a.y4m --ours default --ours flat:preset=default,directions=0 --anchor default --peers "
        "none",
        "what directions are worth"}});
  m.most_clips = SIZE_MAX;
  m.frames = 30;
  Comparison comparison;
  bool points = false;
  std::vector<std::string> ours;
  RdRun run = {m, {}, choose_peers(""), {16, 20, 24, 28, 32, 36, 40, 44}, 10};
  m.repeated("--ours", "VARIANT",
             "A preset, or NAME:KEY=VALUE,... with ctenc's options as keys; default unless given", ours);
  const ClipSet* set = nullptr;
  m.options.value("--set", "NAME",
                  "calls, mixed or long: clips, frames, key frames and peers of docs/compression.md; CLIP is "
                  "their folder",
                  [&](const std::string& s) {
                    set = &clip_set(s);
                    run.key_interval = set->key_interval;
                    run.peers = choose_peers("x264-ultrafast,x264-veryfast");
                    m.frames = set->frames;
                  });
  m.options.value("--qp", "LIST", "Quantisers of ours; 16,20,...,44 unless given",
                  [&](const std::string& s) { run.qps = numbers("--qp", s); });
  m.options.value("--peers", "LIST",
                  "x264-ultrafast, x264-veryfast, mjpeg (these unless given), svt-av1-p10, vc2; all; none",
                  [&](const std::string& s) { run.peers = choose_peers(s); });
  m.options.value("--anchor", "CODEC",
                  "What BD-rates are against: a variant's or peer's name; x264-ultrafast",
                  [&](const std::string& s) { comparison.anchor = s; });
  m.count("--frames", "At most so many frames of each clip", 1, 1 << 20, m.frames);
  m.count("--keyint", "Frames from key frame to key frame, 0: only the first", 0, 1 << 30, run.key_interval);
  m.options.flag("--mean-psnr", "Curves over the mean of the frames' PSNRs, not over that of the total error",
                 [&] { comparison.mean_psnr = true; });
  m.options.value("--range", "FROM,TO", "Luma and 6:1:1 PSNR where BD-rates are taken; 30,44 unless given",
                  [&](const std::string& s) {
                    const std::vector<double> ends = numbers("--range", s);
                    if (ends.size() != 2 || ends[0] >= ends[1])
                      throw Failure(Exit::kUsage, "--range: '" + s + "' is no range", "30,44");
                    comparison.range = {ends[0], ends[1]};
                  });
  m.run_options({"--threads", "--backend", "--engine", "--device", "--in-flight"});
  m.options.flag("--points", "Print every point as well", [&] { points = true; });
  const auto check = [&] {
    if (m.clips.empty())
      throw Failure(Exit::kUsage, "no clips", "ctbench rd CLIP.y4m..., see ctbench rd --help");
    if (set != nullptr) m.clips = files_of(*set, m.clips);
    for (const std::string& words : ours) run.ours.push_back(parse_variant(words));
    if (run.ours.empty()) run.ours.push_back(parse_variant("default"));
    for (const Variant& variant : run.ours) variant_options(variant, m.run_words, {"--qp", "30"});
  };
  const auto conclude = [&](Json& j) {
    for (Json& clip : j["clips"]) compare_with_anchor(clip, comparison);
    j["summary"] = summary_of(j["clips"], "");
    j["ours_against"] = ours_against(j, run.ours.front().name, comparison);
  };
  const auto measure = [&](Json& j) {
    j["settings"] = {{"frames", m.frames},
                     {"key_interval", run.key_interval},
                     {"anchor", comparison.anchor},
                     {"psnr", comparison.mean_psnr ? "mean" : "total"},
                     {"range", {comparison.range.from, comparison.range.to}}};
    j["clips"] = Json::array();
    std::erase_if(run.peers, [&](const Peer& peer) {
      const std::string missing = missing_program(peer);
      if (!missing.empty()) m.leave_out(peer.name + ": " + missing + " is not installed");
      return !missing.empty();
    });
    size_t per_clip = run.ours.size() * run.qps.size();
    for (const Peer& peer : run.peers) per_clip += peer.settings.size();
    m.expect(per_clip * m.clips.size());
    try {
      for (const std::string& path : m.clips) run.measure_clip(j["clips"], path);
    } catch (...) {
      conclude(j);
      throw;
    }
    conclude(j);
  };
  return m.run(argc, argv,
               {.check = check,
                .measure = measure,
                .text = [&](const Json& j) { return rd_text(j, run.ours.front().name, points); },
                .rows = &points_of});
}

}  // namespace ctv::tools
