// SPDX-License-Identifier: BSD-3-Clause
#include "ctdec/decode.h"

#include <chrono>
#include <cstdio>
#include <optional>

#include <ctv/ctv.hpp>

#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "ctdec/seek.h"
#include "io/unit_reader.h"

namespace ctv::tools {
namespace {

using Clock = std::chrono::steady_clock;

DecoderConfig make_config(const DecodeOptions& options) {
  DecoderConfig config;
  config.reduction = options.reduction;
  config.format = options.format;
  config.threads = options.run.threads;
  config.backend = options.run.backend;
  config.engine = options.run.engine;
  config.device = options.run.device;
  if (options.run.frames_in_flight > 0) config.frames_in_flight = options.run.frames_in_flight;
  if (options.keep_going) config.frames_in_flight = 1;  // an error then belongs to the unit just sent
  if (options.max_pixels) config.limits.max_pixels = *options.max_pixels;
  if (options.max_memory) config.limits.max_memory = *options.max_memory;
  if (options.max_packet_size) config.limits.max_packet_size = *options.max_packet_size;
  return config;
}

class Decoding {
 public:
  explicit Decoding(const DecodeOptions& options)
      : options_(options),
        config_(make_config(options)),
        units_(open_source(options.input), config_.limits.max_packet_size),
        decoder_(config_) {
    result_.running = decoder_.description();
  }

  DecodeResult run() {
    const Clock::time_point start = Clock::now();
    bool any = false;
    while (!enough()) {
      check_interrupted();
      const std::optional<StreamUnit> unit = next_unit();
      if (!unit) break;
      any = true;
      result_.bytes += unit->bytes.size();
      if (unit->kind == CTV_UNIT_HEADER) take_header(*unit);
      if (unit->kind != CTV_UNIT_INDEX) send(*unit);
      if (unit->kind == CTV_UNIT_HEADER && options_.seek > 0 && !sought_) seek(*unit);
    }
    if (!any) throw Failure(Exit::kFile, units_.source().name() + " is empty");
    if (!enough()) {
      decoder_.flush();
      drain();
    }
    result_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (result_.frames == 0)
      throw Failure(result_.damaged > 0 ? Exit::kStream : Exit::kFile,
                    units_.source().name() +
                        (options_.seek > 0 ? text(" has no frame %lld", static_cast<long long>(options_.seek))
                                           : " holds no picture that can be decoded"));
    if (options_.md5 || !options_.expected_md5.empty()) result_.md5 = md5_.finish();
    if (!options_.expected_md5.empty() && options_.expected_md5 != result_.md5)
      throw Failure(Exit::kStream, "the pictures' MD5 is " + result_.md5 + ", not " + options_.expected_md5);
    result_.stages = stage_times(decoder_.get());
    writer_->finish();
    result_.written = writer_->size();
    return std::move(result_);
  }

 private:
  bool enough() const { return options_.frames >= 0 && result_.frames >= options_.frames; }

  /// With --keep-going a place where no unit can be read is reported and jumped over.
  std::optional<StreamUnit> next_unit() {
    for (;;) {
      try {
        return units_.next();
      } catch (const Failure& e) {
        if (!options_.keep_going || e.code() == Exit::kFile) throw;
        report_damage(e.what());
        if (!units_.resynchronise()) return std::nullopt;
        decoder_.reset();  // what was left out may have been a reference
      }
    }
  }

  void take_header(const StreamUnit& unit) {
    ctv_stream_info info{};
    info.struct_size = sizeof info;
    if (ctv_stream_info_parse(unit.bytes.data(), unit.bytes.size(), &info) == CTV_OK) result_.stream = info;
  }

  void send(const StreamUnit& unit) {
    try {
      while (!decoder_.send(unit.bytes)) {
        if (!receive())
          throw Failure(Exit::kDefect, "the decoder neither takes a packet nor gives a picture");
      }
      if (config_.frames_in_flight <= 1 || unit.kind != CTV_UNIT_PACKET) drain();
    } catch (const Error& e) {
      if (!tolerated(e, unit.offset)) throw;
      if (e.status() == CTV_ERROR_STREAM && !units_.plausible_successor()) units_.resynchronise();
    }
  }

  bool tolerated(const Error& e, uint64_t offset) {
    if (e.status() == CTV_ERROR_STATE && (options_.keep_going || result_.damaged > 0)) {
      ++result_.dropped;  // a predicted frame whose reference is lost
      return true;
    }
    if (e.status() != CTV_ERROR_STREAM) return false;
    const std::string what =
        options_.input + text(": unit at offset %llu: ", static_cast<unsigned long long>(offset)) + e.what();
    if (!options_.keep_going) throw Failure(Exit::kStream, what, "--keep-going leaves it out");
    report_damage(what);
    return true;
  }

  void report_damage(const std::string& what) {
    ++result_.damaged;
    if (options_.run.quiet) return;
    clear_progress_line();
    std::fprintf(stderr, "ctdec: warning: %s\n", what.c_str());
  }

  void drain() {
    while (!enough() && receive()) {
    }
  }

  bool receive() {
    const std::optional<ctv_picture> picture = decoder_.receive();
    if (!picture) return false;
    if (picture->frame_number < options_.seek || enough()) return true;
    if (!writer_) begin(*picture);
    writer_->write(*picture);
    if (options_.md5 || !options_.expected_md5.empty()) md5_.add(*picture);
    ++result_.frames;
    progress_->update(result_.frames, result_.bytes);
    return true;
  }

  void begin(const ctv_picture& picture) {
    OutputOptions output = options_.output;
    output.fps_num = std::max(1, result_.stream.fps_num);
    output.fps_den = std::max(1, result_.stream.fps_den);
    writer_ = open_output(output);
    std::optional<int64_t> total;
    if (options_.frames >= 0) total = options_.frames;
    progress_.emplace(options_.run.progress && !options_.run.quiet, total,
                      static_cast<double>(output.fps_num) / output.fps_den);
    result_.width = picture.width;
    result_.height = picture.height;
    result_.format = picture.format;
  }

  void seek(const StreamUnit& header) {
    sought_ = true;
    const std::vector<uint8_t> copy(header.bytes.begin(), header.bytes.end());  // the reader moves on
    seek_key_frame(units_, copy, options_.seek);
  }

  const DecodeOptions& options_;
  DecoderConfig config_;
  UnitReader units_;
  Decoder decoder_;
  std::unique_ptr<FrameWriter> writer_;
  std::optional<Progress> progress_;
  PictureMd5 md5_;
  bool sought_ = false;
  DecodeResult result_;
};

}  // namespace

DecodeResult decode(const DecodeOptions& options) { return Decoding(options).run(); }

}  // namespace ctv::tools
