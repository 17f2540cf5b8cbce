// SPDX-License-Identifier: BSD-3-Clause
#include "bench/speedup.h"

#include <algorithm>
#include <thread>

#include "bench/scaler.h"
#include "bench/status_line.h"
#include "bench/table.h"
#include "cli/quality.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "io/clip_generator.h"
#include "io/frame_writer.h"

namespace ctv::tools {
namespace {

Timing timing_of(const PassTimes& times, size_t frames) {
  Timing timing;
  const auto n = static_cast<double>(frames);
  for (size_t i = times.seconds.size() > 1 ? 1 : 0; i < times.seconds.size(); ++i)
    timing.runs.push_back(1000 * times.seconds[i] / n);
  const double all = n * static_cast<double>(timing.runs.size());
  for (const ctv_stage_time& stage : times.stages)
    timing.stages.emplace_back(stage.name, 1000 * stage.seconds / all);
  return timing;
}

/// The paper's subject is RGB video; the generator draws it in the largest size asked for.
Clip generated(const SpeedupOptions& options) {
  const Size largest = *std::max_element(options.sizes.begin(), options.sizes.end());
  ClipSpec spec;
  spec.video = {options.rgb ? CTV_FORMAT_RGB8 : CTV_FORMAT_I420, largest.first, largest.second, 25, 1};
  spec.frames = options.frames;
  GeneratedClip generator(spec);
  Clip clip;
  clip.name = "generated";
  clip.video = spec.video;
  Frame frame;
  while (generator.read(frame)) clip.frames.push_back(frame);
  return clip;
}

class SpeedupRun {
 public:
  explicit SpeedupRun(const SpeedupOptions& options)
      : options_(options), status_(options.progress && !options.quiet) {}

  SpeedupResult run() {
    try {
      if (options_.clips.empty()) {
        status_.show("drawing a clip");
        measure_clip(generated(options_));
      }
      for (const std::string& path : options_.clips) {
        try {
          measure_clip(load_clip(path, options_.frames));
        } catch (const Failure& e) {
          if (e.code() != Exit::kFile) throw;
          leave_out(e.what());
        }
      }
    } catch (const Interrupted&) {
      put_off_signal();
      result_.complete = false;
    }
    status_.clear();
    return std::move(result_);
  }

 private:
  void leave_out(const std::string& why) { tools::leave_out(status_, options_.quiet, why, result_.missing); }

  void measure_clip(const Clip& source) {
    for (const Size& size : options_.sizes) {
      status_.show(text("%s: scaling to %dx%d", source.name.c_str(), size.first, size.second));
      const Clip clip = resized(source, size.first, size.second, options_.rgb);
      ctv_config config = make_config(variant_options(options_.variant, options_.run, {}), clip.video);
      if (config.threads == 0)  // all, but with their number in the record
        config.threads = static_cast<int32_t>(std::clamp(std::thread::hardware_concurrency(), 1U, 256U));
      result_.threads = config.threads;
      result_.frames_in_flight = config.frames_in_flight;
      const Runners runners = available_runners(config);
      for (const std::string& missing : runners.missing) leave_out(missing);
      reference_ = {};
      pictures_.clear();
      for (const Runner& runner : runners.list) measure_runner(clip, config, runner);
    }
  }

  void measure_runner(const Clip& clip, ctv_config config, const Runner& runner) {
    runner.apply(config);
    SpeedupRow row{clip.name, clip.digest, {clip.video.width, clip.video.height}, runner, "", 0, 0, {}, {}};
    const std::string what =
        text("%s %dx%d, %s, ", row.clip.c_str(), row.size.first, row.size.second, runner.name().c_str());
    status_.show(what + "encoding");
    const CodedClip coded = encode_clip(config, clip, options_.runs + 1);
    row.bytes = coded.bytes;
    row.running = coded.times.running;
    row.encode = timing_of(coded.times, clip.frames.size());
    status_.show(what + "decoding");
    const DecoderConfig decoder = decoder_like(config);
    row.decode = timing_of(decode_clip(decoder, coded.units, clip.frames.size()), clip.frames.size());
    // Once more, unhurried, to see what was decoded.
    status_.show(what + "comparing");
    Quality quality;
    PictureMd5 md5;
    size_t seen = 0;
    const std::vector<std::vector<uint8_t>> first(
        coded.units.begin(), coded.units.begin() + static_cast<std::ptrdiff_t>(clip.frames.size() + 1));
    decode_clip(decoder, first, clip.frames.size(), [&](const ctv_picture& picture) {
      md5.add(picture);
      quality.add(clip.frames[seen++].picture(), picture, false);
    });
    row.decibels = quality.channels().size() == 3 && clip.video.format != CTV_FORMAT_RGB8
                       ? psnr(quality.channels()[0])
                       : quality.weighted_psnr();
    compare(row, coded.units, md5.finish());
    result_.rows.push_back(std::move(row));
  }

  /// With what the first runner made of the same clip in the same size.
  void compare(const SpeedupRow& row, const std::vector<std::vector<uint8_t>>& units,
               const std::string& pictures) {
    if (pictures_.empty()) {
      reference_ = units;
      pictures_ = pictures;
      first_ = row.runner.name();
      return;
    }
    const std::string where = text("%s %dx%d: %s and %s", row.clip.c_str(), row.size.first, row.size.second,
                                   first_.c_str(), row.runner.name().c_str());
    for (size_t i = 0; i < std::max(units.size(), reference_.size()); ++i) {
      if (i < units.size() && i < reference_.size() && units[i] == reference_[i]) continue;
      result_.differences.push_back(where + text(" made different bytes, first in unit %zu", i));
      break;
    }
    if (pictures != pictures_) result_.differences.push_back(where + " decoded different pictures");
  }

  const SpeedupOptions& options_;
  StatusLine status_;
  SpeedupResult result_;
  std::vector<std::vector<uint8_t>> reference_;
  std::string pictures_, first_;
};

}  // namespace

const PaperFigures* paper_figures(Size size) {
  for (const PaperFigures& figures : kPaper)
    if (figures.size == size) return &figures;
  return nullptr;
}

SpeedupResult measure_speedup(const SpeedupOptions& options) { return SpeedupRun(options).run(); }

std::optional<double> mean_ms(const SpeedupResult& result, const std::string& runner, Size size,
                              Timing SpeedupRow::*what) {
  std::vector<double> medians;
  for (const SpeedupRow& row : result.rows)
    if (row.runner.name() == runner && row.size == size) medians.push_back(median((row.*what).runs));
  if (medians.empty()) return std::nullopt;
  return mean(medians);
}

std::vector<std::string> runner_names(const SpeedupResult& result) {
  std::vector<std::string> names;
  for (const SpeedupRow& row : result.rows)
    if (std::find(names.begin(), names.end(), row.runner.name()) == names.end())
      names.push_back(row.runner.name());
  return names;
}

std::optional<double> speedup_of(const SpeedupResult& result, Size size, Timing SpeedupRow::*what) {
  if (!result.differences.empty()) return std::nullopt;
  std::optional<double> best[2];
  for (const std::string& name : runner_names(result)) {
    const std::optional<double> ms = mean_ms(result, name, size, what);
    std::optional<double>& kind = best[name.starts_with("cuda") ? 1 : 0];
    if (ms && (!kind || *ms < *kind)) kind = ms;
  }
  if (!best[0] || !best[1] || *best[1] <= 0) return std::nullopt;
  return *best[0] / *best[1];
}

}  // namespace ctv::tools
