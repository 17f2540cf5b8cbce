// SPDX-License-Identifier: BSD-3-Clause
#include "ctenc/report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/description.h"
#include "cli/names.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

using Json = nlohmann::ordered_json;

Json config_json(const ctv_config& c) {
  Json j;
  add_description(j, c);
  j["chroma"] = name_of(kChromas, c.chroma);
  j["pyramid"] = name_of(kPyramids, c.pyramid);
  j["scales"] = c.scales;
  j["directions"] = std::vector<int32_t>(c.directions, c.directions + std::min(c.scales, CTV_MAX_SCALES));
  j["directional_lifting"] = lifts_along_contours(c);
  j["prediction"] = name_of(kPredictions, c.prediction);
  j["entropy_coding"] = name_of(kEntropyCodings, c.entropy_coding);
  j["lossless"] = c.lossless != 0;
  j["block_size"] = c.block_size;
  j["subpel"] = c.subpel;
  j["overlap"] = c.overlap != 0;
  j["loop_filter"] = c.loop_filter != 0;
  j["split"] = c.split != 0;
  j["slots"] = c.slots;
  j["error_resilient"] = c.error_resilient != 0;
  j["rdoq"] = c.rdoq != 0;
  j["chroma_qp_offset"] = c.chroma_qp_offset;
  j["search_range"] = c.search_range;
  j["far_range"] = c.far_range;
  j["key_interval"] = c.key_interval;
  j["temporal_layers"] = c.temporal_layers;
  j["step"] = c.step;
  j["qp"] = c.qp;
  j["tune"] = name_of(kTunes, c.tune);
  j["crf"] = c.crf;
  j["bitrate"] = c.bitrate;
  j["max_frame_bytes"] = c.max_frame_bytes;
  j["buffer_ms"] = c.buffer_ms;
  j["scene_cut"] = c.scene_cut != 0;
  return j;
}

std::string quantiser_text(const ctv_config& c) {
  if (c.lossless != 0) return "lossless";
  std::string out;
  if (c.bitrate > 0) {
    out = text("%g kb/s from ", static_cast<double>(c.bitrate) / 1000);
  } else if (c.crf >= 0) {
    return text("crf %g", c.crf);
  }
  return out + (c.qp >= 0 ? text("qp %d", c.qp) : text("step %g", c.step));
}

/// The transform and other coding parameters, after preset and options.
std::string coding_text(const ctv_config& c) {
  std::string out = text("%s pyramid of %d scales, directions %s", name_of(kPyramids, c.pyramid), c.scales,
                         directions_of(c.directions, c.scales).c_str());
  if (lifts_along_contours(c)) out += ", directional lifting";
  return out + text("; %s prediction; entropy coding %s; %s", name_of(kPredictions, c.prediction),
                    name_of(kEntropyCodings, c.entropy_coding), quantiser_text(c).c_str());
}

/// The reason why a stream exceeds its bitrate; "" if unknown.
std::string why_above(const EncodeResult& r) {
  if (2 * r.coarsest < r.frames) return "";
  return ", since even the coarsest step needs more (another --preset, or smaller pictures, need less)";
}

/// The reason why it is below.
std::string why_below(const EncodeResult& r) {
  if (2 * r.finest >= r.frames) return ", since even the finest step needs less";
  // Packets that were made to fit are a little smaller than the limit.
  const int64_t limit = r.config.max_frame_bytes;
  if (limit > 0 && static_cast<int64_t>(r.largest_packet) >= limit - limit / 4)
    return text(", since --max-frame allows packets of %lld bytes at most", static_cast<long long>(limit));
  return "";
}

/// JSON has no infinity: equal pictures have a PSNR of null.
Json decibels(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

bool lifts_along_contours(const ctv_config& c) {
  return c.directional_lifting != 0 && c.pyramid == CTV_PYRAMID_WAVELET_9_7 &&
         c.prediction == CTV_PREDICTION_PICTURE;
}

std::string encode_summary(const EncodeOptions& options, const EncodeResult& r) {
  std::string out = "running   " + r.running + "\n";
  out += "coding    " + coding_text(r.config) + "\n";
  out += text("encoded   %lld frames (%lld key) in %.2f s, %.2f fps\n", static_cast<long long>(r.frames),
              static_cast<long long>(r.key_frames), r.seconds, r.fps());
  out += text("stream    %llu bytes, %.2f kb/s, %.4f bits per pixel, side information %.1f%%, ",
              static_cast<unsigned long long>(r.bytes), r.kbps(), r.bits_per_pixel(),
              100 * static_cast<double>(r.side_bytes) / static_cast<double>(r.bytes));
  out += text("largest packet %llu\n", static_cast<unsigned long long>(r.largest_packet));
  if (options.psnr && !r.quality.channels().empty()) {
    out += "PSNR     ";
    for (const ChannelError& c : r.quality.channels()) out += text(" %s %.3f", c.name, psnr(c));
    if (r.quality.channels().size() == 3)
      out += text("  %s %.3f", r.quality.channels()[0].name[0] == 'Y' ? "6:1:1" : "mean",
                  r.quality.weighted_psnr());
    out += " dB, from the squared error of all frames\n";
  }
  if (r.quality.ssim()) out += text("SSIM      %.5f, luma, 8x8 windows every 4 samples\n", *r.quality.ssim());
  out += text("latency   p50 %.2f  p95 %.2f  p99 %.2f ms; first frame %.2f ms\n",
              1000 * r.latency.percentile(0.5), 1000 * r.latency.percentile(0.95),
              1000 * r.latency.percentile(0.99), 1000 * r.latency.first());
  if (options.verify) out += "verified  " + r.verified + "\n";
  if (options.benchmark) {
    out += text("speed     %.2f fps, %.3f ms a frame, without the first %lld frames\n", r.steady_fps,
                r.steady_fps > 0 ? 1000 / r.steady_fps : 0, static_cast<long long>(r.warm_up));
  }
  if (options.stage_times) out += "\n" + stage_table(r.stages);
  return out;
}

std::string missed_bitrate(const EncodeResult& r) {
  if (r.config.bitrate <= 0 || r.frames == 0) return "";
  const double wanted = static_cast<double>(r.config.bitrate) / 1000;
  // The rate is kept over two seconds; in a shorter clip the first frame dominates.
  const double tolerance = r.shown() < 2 ? 2 : 1.2;
  if (r.kbps() <= wanted * tolerance && r.kbps() >= wanted / tolerance) return "";
  return text("the bitrate was missed: %.0f kb/s instead of %.0f", r.kbps(), wanted) +
         (r.kbps() > wanted ? why_above(r) : why_below(r));
}

std::string encode_json(const EncodeOptions& options, const EncodeResult& r) {
  Json j;
  j["tool"] = "ctenc";
  j["version"] = ctv_version();
  j["input"] = options.input.path;
  j["output"] = options.output;
  j["width"] = r.config.width;
  j["height"] = r.config.height;
  j["format"] = name_of(kInputFormats, r.config.format);
  j["frame_rate"] = {r.config.fps_num, r.config.fps_den};
  j["preset"] = options.preset;
  j["config"] = config_json(r.config);
  add_running(j, r.running);
  j["threads"] = r.config.threads;
  j["frames_in_flight"] = r.config.frames_in_flight;
  j["complete"] = r.complete();  // false: a signal, or an input error before its end
  j["frames"] = r.frames;
  j["key_frames"] = r.key_frames;
  j["bytes"] = r.bytes;
  j["largest_packet"] = r.largest_packet;
  j["side_bytes"] = r.side_bytes;
  j["kbps"] = r.kbps();
  j["bits_per_pixel"] = r.bits_per_pixel();
  j["seconds"] = r.seconds;
  j["fps"] = r.fps();
  if (options.benchmark) {
    j["steady_fps"] = r.steady_fps;
    j["warm_up_frames"] = r.warm_up;
  }
  if (options.psnr) {
    Json p;
    for (const ChannelError& c : r.quality.channels()) {
      std::string name = c.name;
      name[0] = static_cast<char>(name[0] - 'A' + 'a');
      p[name] = decibels(psnr(c));
    }
    p["weighted"] = decibels(r.quality.weighted_psnr());
    j["psnr"] = p;
  }
  if (r.quality.ssim()) j["ssim"] = *r.quality.ssim();
  j["latency_ms"] = {{"p50", 1000 * r.latency.percentile(0.5)},
                     {"p95", 1000 * r.latency.percentile(0.95)},
                     {"p99", 1000 * r.latency.percentile(0.99)},
                     {"max", 1000 * r.latency.percentile(1)},
                     {"first", 1000 * r.latency.first()}};
  if (options.verify) j["verified"] = r.verified;
  Json stages = Json::array();
  for (const ctv_stage_time& s : r.stages)
    stages.push_back({{"name", s.name}, {"seconds", s.seconds}, {"calls", s.calls}});
  j["stages"] = stages;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";  // paths may not be UTF-8
}

}  // namespace ctv::tools
