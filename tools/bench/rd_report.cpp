// SPDX-License-Identifier: BSD-3-Clause
// What rate-distortion runs say: tables, JSON, CSV.
#include <algorithm>
#include <cmath>

#include "bench/rd.h"
#include "bench/table.h"
#include "cli/names.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

double bits_per_pixel(const RdClip& clip, const RdPoint& p) {
  return static_cast<double>(p.bytes) * 8 /
         (static_cast<double>(clip.video.width) * clip.video.height * static_cast<double>(clip.frames));
}

double fps(const RdClip& clip, double seconds) {
  return seconds > 0 ? static_cast<double>(clip.frames) / seconds : 0;
}

/// Frames a second over all points of a curve.
double mean_fps(const RdClip& clip, const RdCurve& curve, double RdPoint::*seconds) {
  double total = 0;
  for (const RdPoint& p : curve.points) total += p.*seconds;
  return fps(clip, total / std::max<double>(1, static_cast<double>(curve.points.size())));
}

std::string bd_text(const std::optional<BdRate>& bd) { return bd ? percent(bd->percent) : "-"; }

std::string points_table(const RdClip& clip) {
  Table table({"codec", "setting", "bytes", "bits/px", "Y dB", "U dB", "V dB", "6:1:1", "SSIM", "enc fps",
               "dec fps"});
  for (const RdCurve& curve : clip.curves) {
    for (const RdPoint& p : curve.points) {
      std::vector<std::string> row = {curve.codec, text("%g", p.setting),
                                      text("%llu", static_cast<unsigned long long>(p.bytes)),
                                      text("%.4f", bits_per_pixel(clip, p))};
      for (size_t c = 0; c < 3; ++c) row.push_back(c < p.psnr.size() ? text("%.2f", p.psnr[c]) : "-");
      row.push_back(text("%.2f", p.yuv));
      row.push_back(text("%.4f", p.ssim));
      row.push_back(text("%.1f", fps(clip, p.encode_seconds)));
      row.push_back(text("%.1f", fps(clip, p.decode_seconds)));
      table.add(row);
    }
  }
  return table.text() + "\n";
}

std::string clip_table(const RdClip& clip) {
  Table table({"codec", "BD Y", "BD 6:1:1", "BD SSIM", "Y dB shared", "enc fps", "dec fps"});
  for (const RdCurve& curve : clip.curves) {
    const std::optional<BdRate>& y = curve.bd[0];
    table.add({curve.codec, bd_text(y), bd_text(curve.bd[1]), bd_text(curve.bd[2]),
               y ? text("%.1f-%.1f", y->from, y->to) : "-",
               text("%.1f", mean_fps(clip, curve, &RdPoint::encode_seconds)),
               text("%.1f", mean_fps(clip, curve, &RdPoint::decode_seconds))});
  }
  return table.text();
}

struct Summary {
  std::string codec;
  std::array<std::vector<double>, 3> percents;  // as kMeasures, one per clip that has one
};

std::vector<Summary> summaries(const RdResult& result) {
  std::vector<Summary> list;
  for (const RdClip& clip : result.clips) {
    for (const RdCurve& curve : clip.curves) {
      auto at =
          std::find_if(list.begin(), list.end(), [&](const Summary& s) { return s.codec == curve.codec; });
      if (at == list.end()) at = list.insert(list.end(), {curve.codec, {}});
      for (size_t m = 0; m < kMeasures.size(); ++m)
        if (curve.bd[m]) at->percents[m].push_back(curve.bd[m]->percent);
    }
  }
  return list;
}

/// One column a clip, luma; then the means.
std::string summary_table(const RdResult& result) {
  const std::vector<Summary> all = summaries(result);
  std::vector<std::string> head = {"clip"};
  for (const Summary& s : all) head.push_back(s.codec);
  Table table(head);
  for (const RdClip& clip : result.clips) {
    std::vector<std::string> row = {clip.name};
    for (const Summary& s : all) {
      const auto curve = std::find_if(clip.curves.begin(), clip.curves.end(),
                                      [&](const RdCurve& c) { return c.codec == s.codec; });
      row.push_back(curve == clip.curves.end() ? "-" : bd_text(curve->bd[0]));
    }
    table.add(row);
  }
  constexpr const char* kTitles[] = {"**mean, Y**", "**mean, 6:1:1**", "**mean, SSIM**"};
  for (size_t m = 0; m < kMeasures.size(); ++m) {
    std::vector<std::string> row = {kTitles[m]};
    for (const Summary& s : all) row.push_back(s.percents[m].empty() ? "-" : percent(mean(s.percents[m])));
    table.add(row);
  }
  return table.text();
}

/// The first of ours against each other codec: BD-rates do not turn round by themselves.
std::vector<Summary> ours_against(const RdOptions& options, const RdResult& result) {
  std::vector<Summary> list;
  if (options.ours.empty()) return list;
  for (const Summary& other : summaries(result)) {
    if (other.codec == options.ours.front().name) continue;
    RdOptions turned = options;
    turned.anchor = other.codec;
    Summary row{other.codec, {}};
    for (RdClip clip : result.clips) {
      for (RdCurve& curve : clip.curves) curve.bd = {};
      compare_with_anchor(clip, turned);
      for (const RdCurve& curve : clip.curves)
        for (size_t m = 0; m < kMeasures.size(); ++m)
          if (curve.codec == options.ours.front().name && curve.bd[m])
            row.percents[m].push_back(curve.bd[m]->percent);
    }
    list.push_back(row);
  }
  return list;
}

std::string against_table(const RdOptions& options, const std::vector<Summary>& rows) {
  Table table({options.ours.front().name + " against", "Y", "worst clip", "6:1:1", "worst clip", "SSIM",
               "worst clip", "clips"});
  for (const Summary& row : rows) {
    std::vector<std::string> cells = {row.codec};
    for (const std::vector<double>& p : row.percents) {
      cells.push_back(p.empty() ? "-" : percent(mean(p)));
      cells.push_back(p.empty() ? "-" : percent(*std::max_element(p.begin(), p.end())));
    }
    cells.push_back(std::to_string(row.percents[0].size()));
    table.add(cells);
  }
  return table.text();
}

Json summary_json(const Summary& s) {
  Json row = {{"codec", s.codec}};
  for (const Measure m : kMeasures) {
    const std::vector<double>& p = s.percents[static_cast<size_t>(m)];
    row[measure_name(m)] =
        p.empty()
            ? Json(nullptr)
            : Json(
                  {{"mean", mean(p)}, {"worst", *std::max_element(p.begin(), p.end())}, {"clips", p.size()}});
  }
  return row;
}

Json decibels(const std::vector<double>& psnr, double weighted) {
  Json j;
  constexpr const char* kNames[] = {"y", "u", "v"};
  for (size_t c = 0; c < psnr.size() && c < 3; ++c) j[kNames[c]] = number(psnr[c]);
  j["weighted"] = number(weighted);
  return j;
}

Json point_json(const RdClip& clip, const RdPoint& p) {
  return {{"setting", p.setting},
          {"bytes", p.bytes},
          {"bits_per_pixel", bits_per_pixel(clip, p)},
          {"psnr", decibels(p.psnr, p.yuv)},
          {"psnr_mean", decibels(p.psnr_mean, p.yuv_mean)},
          {"ssim", p.ssim},
          {"encode_seconds", p.encode_seconds},
          {"decode_seconds", p.decode_seconds}};
}

Json curve_json(const RdClip& clip, const RdCurve& curve) {
  Json j = {{"codec", curve.codec}, {"setting", curve.setting_name}, {"command", curve.command}};
  j["points"] = Json::array();
  for (const RdPoint& p : curve.points) j["points"].push_back(point_json(clip, p));
  for (const Measure m : kMeasures) {
    const std::optional<BdRate>& bd = curve.bd[static_cast<size_t>(m)];
    j["bd_rate"][measure_name(m)] =
        bd ? Json({{"percent", bd->percent}, {"from", bd->from}, {"to", bd->to}}) : Json(nullptr);
  }
  return j;
}

}  // namespace

std::string rd_text(const RdOptions& options, const RdResult& result) {
  std::string out;
  for (const RdClip& clip : result.clips) {
    out += text("%s: %dx%d, %lld frames, key frame every %lld\n\n", clip.name.c_str(), clip.video.width,
                clip.video.height, static_cast<long long>(clip.frames),
                static_cast<long long>(options.key_interval));
    if (options.points) out += points_table(clip);
    out += clip_table(clip) + "\n";
  }
  out += text("BD-rate of luma against %s:\n\n", options.anchor.c_str()) + summary_table(result);
  const std::vector<Summary> against = ours_against(options, result);
  if (!against.empty()) out += "\n" + against_table(options, against);
  out += text(
      "\nBits of whole streams; PSNR from %s, BD-rate by PCHIP where curves share %g to %g dB; "
      "SSIM as -10 log10(1 - SSIM).\nTimes of peers are of whole processes, files included; ours are "
      "in memory.\n",
      options.mean_psnr ? "the mean of the frames' PSNRs" : "the squared error of all frames",
      options.range.from, options.range.to);
  if (!result.complete) out += "Interrupted: some is missing.\n";
  return out;
}

Json rd_json(const RdOptions& options, const RdResult& result) {
  Json j = {{"tool", "ctbench"}, {"kind", "rd"}, {"schema", 1}, {"complete", result.complete}};
  j["machine"] = machine_json();
  j["settings"] = {{"frames", options.frames},
                   {"key_interval", options.key_interval},
                   {"anchor", options.anchor},
                   {"psnr", options.mean_psnr ? "mean" : "total"},
                   {"range", {number(options.range.from), number(options.range.to)}}};
  j["left_out"] = result.left_out;
  j["clips"] = Json::array();
  for (const RdClip& clip : result.clips) {
    Json c = {{"name", clip.name},
              {"digest", clip.digest},
              {"width", clip.video.width},
              {"height", clip.video.height},
              {"format", name_of(kFormats, clip.video.format)},
              {"frame_rate", {clip.video.fps_num, clip.video.fps_den}},
              {"frames", clip.frames}};
    c["codecs"] = Json::array();
    for (const RdCurve& curve : clip.curves) c["codecs"].push_back(curve_json(clip, curve));
    j["clips"].push_back(c);
  }
  j["summary"] = Json::array();
  for (const Summary& s : summaries(result)) j["summary"].push_back(summary_json(s));
  j["ours_against"] = Json::array();
  for (const Summary& s : ours_against(options, result)) j["ours_against"].push_back(summary_json(s));
  return j;
}

std::string rd_csv(const RdResult& result) {
  std::string out =
      "clip,codec,setting,bytes,bits_per_pixel,psnr_y,psnr_u,psnr_v,psnr_611,psnr_y_mean,ssim,encode_seconds,"
      "decode_seconds\n";
  for (const RdClip& clip : result.clips) {
    for (const RdCurve& curve : clip.curves) {
      for (const RdPoint& p : curve.points) {
        out += text("%s,%s,%g,%llu,%.6f", clip.name.c_str(), curve.codec.c_str(), p.setting,
                    static_cast<unsigned long long>(p.bytes), bits_per_pixel(clip, p));
        for (size_t c = 0; c < 3; ++c) out += c < p.psnr.size() ? text(",%.4f", p.psnr[c]) : ",";
        out += text(",%.4f,%.4f,%.6f,%.4f,%.4f\n", p.yuv, p.psnr_mean[0], p.ssim, p.encode_seconds,
                    p.decode_seconds);
      }
    }
  }
  return out;
}

}  // namespace ctv::tools
