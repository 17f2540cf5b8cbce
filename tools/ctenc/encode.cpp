// SPDX-License-Identifier: BSD-3-Clause
#include "ctenc/encode.h"

#include <chrono>
#include <deque>
#include <new>
#include <thread>

#include "cli/messages.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "ctenc/inspector.h"
#include "ctenc/settings.h"
#include "io/channels.h"
#include "io/output_file.h"

namespace ctv::tools {
namespace {

using Clock = std::chrono::steady_clock;
// The range of ctv_config.step.
constexpr double kFinestStep = 1.0 / 16, kCoarsestStep = 4095;
constexpr uint64_t kBenchmarkMemory = uint64_t{1} << 30;

double seconds_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

/// A frame in memory that the chosen backend reads directly.
Frame make_frame(const RunOptions& run) { return {run.backend, run.device}; }

/// Frames held in memory, so that a benchmark does not measure the disk.
class MemoryReader : public FrameReader {
 public:
  MemoryReader(FrameReader& reader, int64_t limit, const RunOptions& run) {
    video_ = reader.video();
    Frame frame = make_frame(run);
    for (uint64_t bytes = 0;
         (limit < 0 || *count() < limit) && bytes + video_.frame_bytes() <= kBenchmarkMemory;) {
      if (!reader.read(frame)) break;
      bytes += frame.bytes().size();
      frames_.push_back(frame);
    }
  }
  /// Swaps, so that nothing is allocated or freed during the measurement.
  bool read(Frame& frame) override {
    if (next_ == frames_.size()) return false;
    std::swap(frame, frames_[next_++]);
    return true;
  }
  std::optional<int64_t> count() const override { return static_cast<int64_t>(frames_.size()); }

 private:
  std::vector<Frame> frames_;
  size_t next_ = 0;
};

/// The library names members of ctv_config, users know options.
Encoder open_encoder(const ctv_config& config) {
  try {
    return Encoder(config);
  } catch (const Error& e) {
    const std::string prefix = "config.", what = e.what();
    const size_t colon = what.find(':');
    if (!what.starts_with(prefix) || colon == std::string::npos) throw;
    throw Failure(exit_of(e.status()),
                  option_of(what.substr(prefix.size(), colon - prefix.size())) + what.substr(colon));
  }
}

class Encoding {
 public:
  Encoding(const EncodeOptions& options, FrameReader& reader, std::optional<int64_t> total)
      : options_(options),
        reader_(reader),
        config_(make_config(options, reader.video())),
        frames_(static_cast<size_t>(config_.frames_in_flight) + 1, make_frame(options.run)),
        encoder_(open_encoder(config_)),
        progress_(options.run.progress && !options.run.quiet, total, reader.video().rate()) {
    result_.config = config_;
    result_.running = encoder_.description();
    if (!options.output.empty() && options.output != "null") output_.emplace(options.output);
    if (!options.csv.empty()) {
      csv_.emplace(options.csv);
      csv_->write(std::string("frame,type,step,bytes,side_bytes,") +
                  (is_rgb(config_.format) ? "psnr_r,psnr_g,psnr_b" : "psnr_y,psnr_u,psnr_v") +
                  ",ssim,latency_ms\n");
    }
    if (options.benchmark)
      result_.warm_up = total.value_or(0) >= 10 ? std::max(3, config_.frames_in_flight) : 0;
    if (options.stage_times) stage_times(encoder_.get());  // enables timing
    const Unit header = encoder_.header();
    header_.assign(header.bytes().begin(), header.bytes().end());
    write(header_);
    const Inspection inspection{options.psnr, options.ssim, options.verify};
    if (inspection.any()) inspector_.emplace(inspection, config_, header_);
  }

  EncodeResult run(int64_t limit) {
    try {
      return encode_all(limit);
    } catch (const Error& e) {
      keep_frames(exit_of(e.status()), line_of(e));
      throw;
    } catch (const Failure& e) {
      // A stream that --verify refuses is not kept.
      if (e.code() != Exit::kStream) keep_frames(e.code(), e.what());
      throw;
    } catch (const std::bad_alloc&) {
      keep_frames(Exit::kLimit, memory_line());
      throw;
    } catch (const Interrupted&) {
      // A second signal, or a first one while a pipe is full.
      if (const std::string kept = kept_output(); !kept.empty())
        throw Interrupted{kept_frames(kept, result_.frames, "until then") + ", without an index"};
      throw;
    }
  }

 private:
  EncodeResult encode_all(int64_t limit) {
    const Clock::time_point start = Clock::now();
    steady_start_ = start;
    send_all(limit);
    encoder_.flush();
    while (receive()) check_interrupted();
    const Clock::time_point end = Clock::now();
    result_.seconds = seconds_between(start, end);
    if (result_.frames > result_.warm_up)
      result_.steady_fps =
          static_cast<double>(result_.frames - result_.warm_up) / seconds_between(steady_start_, end);
    if (result_.frames == 0)
      throw Failure(Exit::kFile,
                    options_.input.path + " holds no pictures" + (options_.seek > 0 ? " after --seek" : ""));
    if (options_.stage_times) result_.stages = stage_times(encoder_.get());
    write_index();
    if (inspector_ && options_.verify) result_.verified = inspector_->verified();
    // Last, when nothing can fail any more.
    if (output_) output_->commit();
    if (csv_) csv_->commit();
    return std::move(result_);
  }

  void write_index() {
    try {
      write(encoder_.index().bytes());
    } catch (const Error& e) {
      if (e.status() != CTV_ERROR_LIMIT) throw;
      warn(std::string(e.what()) + ", so none is written; --seek reads them one by one");
    }
  }

  /// Sends all pictures that can be read.
  void send_all(int64_t limit) {
    for (int64_t n = 0; limit < 0 || n < limit; ++n) {
      Frame& frame = frames_[static_cast<size_t>(n) % frames_.size()];
      try {
        check_interrupted();
        if (!reader_.read(frame)) return;
      } catch (const Failure& e) {
        if (n == 0) throw;
        result_.input_ended = e;
        return;
      } catch (const Interrupted&) {
        if (n == 0) throw;
        put_off_signal();  // frames in flight are still written, unless another signal comes
        result_.interrupted = true;
        return;
      }
      send(frame);
    }
  }

  /// After a failure: commits the written frames under the output's name, and reports it.
  void keep_frames(Exit code, const std::string& message) {
    const std::string kept = kept_output();
    if (kept.empty()) return;
    throw Failure(code,
                  message + "; " + kept_frames(kept, result_.frames, "before it") + ", without an index");
  }

  /// Commits the frames and lines written so far. Returns the name of the stream; "" without any.
  std::string kept_output() {
    if (csv_) csv_->commit_marked();
    return output_ ? output_->commit_marked() : "";
  }

  /// The stream goes on with another header and a key frame.
  void change_size(const VideoFormat& video) {
    while (!sent_.empty()) {
      if (!receive()) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // a worker has the frame
    }
    config_.width = video.width;
    config_.height = video.height;
    encoder_.reconfigure(config_);
    const Unit header = encoder_.header();
    header_.assign(header.bytes().begin(), header.bytes().end());
    write(header_);
    if (inspector_) inspector_->restart(config_, header_);
  }

  void send(const Frame& frame) {
    if (frame.video().width != config_.width || frame.video().height != config_.height)
      change_size(frame.video());
    if (inspector_) inspector_->expect(frame);
    sent_.push_back(Clock::now());
    while (!encoder_.send(frame.borrowed_picture())) {
      if (!receive()) throw Failure(Exit::kDefect, "the encoder neither takes a picture nor gives a packet");
    }
    // With one frame in flight its packet is ready. With more, packets are fetched only when the encoder is
    // full, so that it always has work.
    if (config_.frames_in_flight > 1) return;
    while (receive()) {
    }
  }

  bool receive() {
    const std::optional<Unit> unit = encoder_.receive();
    if (!unit) return false;
    const Clock::time_point now = Clock::now();
    const double latency = seconds_between(sent_.front(), now);
    sent_.pop_front();
    result_.latency.add(latency);
    write(unit->bytes());
    ctv_packet_info info{};
    info.struct_size = sizeof info;
    check(ctv_packet_info_parse(header_.data(), header_.size(), unit->data, unit->size, &info, nullptr, 0));
    result_.side_bytes += info.side_size;
    result_.largest_packet = std::max<uint64_t>(result_.largest_packet, unit->size);
    if (unit->step <= kFinestStep) ++result_.finest;
    if (unit->step >= kCoarsestStep) ++result_.coarsest;
    Quality quality;
    if (inspector_) quality = inspector_->packet(*unit);
    if (csv_) write_csv_line(*unit, info, quality, latency);
    result_.quality.merge(quality);
    if (result_.frames == 0) result_.begin = unit->timestamp;
    result_.end = unit->timestamp + unit->duration;
    ++result_.frames;
    if (output_) output_->mark();
    if (unit->key_frame != 0) ++result_.key_frames;
    if (result_.frames == result_.warm_up) steady_start_ = now;
    progress_.update(result_.frames, result_.bytes);
    return true;
  }

  void write(std::span<const uint8_t> bytes) {
    if (output_) output_->write(bytes);
    result_.bytes += bytes.size();
  }

  void write_csv_line(const Unit& unit, const ctv_packet_info& info, const Quality& quality, double latency) {
    std::string line = text("%lld,%c,%g,%zu,%u", static_cast<long long>(unit.frame_number),
                            unit.key_frame != 0 ? 'I' : 'P', unit.step, unit.size, info.side_size);
    for (size_t c = 0; c < 3; ++c)
      line +=
          options_.psnr && c < quality.channels().size() ? text(",%.4f", psnr(quality.channels()[c])) : ",";
    line += quality.ssim() ? text(",%.6f", *quality.ssim()) : ",";
    csv_->write(line + text(",%.4f\n", 1000 * latency));
    csv_->mark();
  }

  const EncodeOptions& options_;
  FrameReader& reader_;
  ctv_config config_;
  std::vector<Frame> frames_;  // borrowed by the encoder: those in flight, and one to read into
  Encoder encoder_;
  Progress progress_;
  std::optional<OutputFile> output_, csv_;
  std::vector<uint8_t> header_;
  std::optional<Inspector> inspector_;
  std::deque<Clock::time_point> sent_;
  Clock::time_point steady_start_;
  EncodeResult result_;
};

}  // namespace

double EncodeResult::kbps() const {
  return end > begin ? static_cast<double>(bytes) * 8 / 1000 / shown() : 0;
}

double EncodeResult::bits_per_pixel() const {
  const double pixels = static_cast<double>(config.width) * config.height * static_cast<double>(frames);
  return pixels > 0 ? static_cast<double>(bytes) * 8 / pixels : 0;
}

std::string kept_frames(const std::string& output, int64_t frames, const char* until) {
  const bool file = !output.empty() && output != "null" && output != "-";
  const std::string count =
      text("%lld frame%s %s", static_cast<long long>(frames), frames == 1 ? "" : "s", until);
  return file ? output + " holds the " + count : "the " + count + " are encoded";
}

EncodeResult encode(const EncodeOptions& options, FrameReader& reader) {
  if (options.seek > 0) reader.skip(options.seek);
  if (options.benchmark) {
    MemoryReader memory(reader, options.frames, options.run);
    return Encoding(options, memory, memory.count()).run(-1);
  }
  std::optional<int64_t> total = reader.count();
  if (total) total = std::max<int64_t>(0, *total - options.seek);
  if (options.frames >= 0) total = total ? std::min(*total, options.frames) : options.frames;
  return Encoding(options, reader, total).run(options.frames);
}

}  // namespace ctv::tools
