// SPDX-License-Identifier: BSD-3-Clause
#include "ctdec/decode.h"

#include <chrono>
#include <new>
#include <optional>
#include <utility>

#include <ctv/ctv.hpp>

#include "cli/messages.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "ctdec/picture_sink.h"
#include "ctdec/seek.h"
#include "io/container.h"
#include "io/unit_reader.h"

namespace ctv::tools {
namespace {

using Clock = std::chrono::steady_clock;

DecoderConfig make_config(const DecodeOptions& options) {
  DecoderConfig config;
  config.reduction = options.reduction;
  config.format = options.format;
  apply_run_options(options.run, config);
  config.conceal = options.conceal ? 1 : 0;
  if (options.keep_going) config.frames_in_flight = 1;  // so that an error belongs to the unit just sent
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
        units_(open_stream(options.input), config_.limits.max_packet_size),
        decoder_(config_),
        sink_(options, result_) {
    sink_.expect(pictures_by_index(units_));
    if (options.stage_times) stage_times(decoder_.get());  // enables timing
  }

  DecodeResult run() {
    try {
      return decode_all();
    } catch (const Error& e) {
      keep_pictures(exit_of(e.status()), line_of(e));
      throw;
    } catch (const Failure& e) {
      // Pictures with another digest are not kept, nor what an option rules out.
      if (!finished_ && e.code() != Exit::kUsage) keep_pictures(e.code(), e.what());
      throw;
    } catch (const std::bad_alloc&) {
      keep_pictures(Exit::kLimit, memory_line());
      throw;
    } catch (const Interrupted&) {
      if (const std::string kept = sink_.keep(); !kept.empty()) throw Interrupted{kept};
      throw;
    }
  }

 private:
  DecodeResult decode_all() {
    const Clock::time_point start = Clock::now();
    bool any = false;
    while (!sink_.full()) {
      check_interrupted();
      const std::optional<StreamUnit> unit = next_unit();
      if (!unit) break;
      any = true;
      result_.bytes += unit->bytes.size();
      take(*unit);
    }
    if (!any && result_.damaged == 0 && !result_.cut)
      throw Failure(Exit::kFile, units_.source().name() + " is empty");
    if (!sink_.full()) {
      decoder_.flush();
      drain();
    }
    finished_ = true;
    sink_.finish(pictures_);
    result_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (result_.frames == 0) {
      if (result_.cut) throw *result_.cut;
      throw Failure(result_.damaged + result_.dropped > 0 ? Exit::kStream : Exit::kFile,
                    units_.source().name() +
                        (options_.seek > 0 ? text(" has no frame %lld", static_cast<long long>(options_.seek))
                                           : " holds no picture that can be decoded"));
    }
    result_.running = decoder_.description();
    if (options_.stage_times) result_.stages = stage_times(decoder_.get());
    return std::move(result_);
  }

  /// After a failure: keeps the pictures before it, and reports it.
  void keep_pictures(Exit code, const std::string& message) {
    if (const std::string kept = sink_.keep(); !kept.empty()) throw Failure(code, message + "; " + kept);
  }

  /// A stream that ends inside a unit is decoded up to there. With --keep-going, bytes that are no unit are
  /// reported and skipped.
  std::optional<StreamUnit> next_unit() {
    for (;;) {
      try {
        const std::optional<StreamUnit> unit = units_.next();
        lost_ = false;
        return unit;
      } catch (const CutUnit& e) {
        if (!options_.keep_going) {
          result_.cut = e;
          return std::nullopt;
        }
        jump(e.what());
      } catch (const Failure& e) {
        if (!options_.keep_going || e.code() == Exit::kFile) throw;
        jump(e.what());
      }
      if (!units_.resynchronise()) return std::nullopt;
    }
  }

  /// Skips bytes that are no unit. Apparent units among them are not counted again.
  void jump(const std::string& what) {
    if (!lost_) report_damage(what);
    lost_ = true;
  }

  void take(const StreamUnit& unit) {
    if (unit.kind == CTV_UNIT_INDEX) {
      size_t count = 0;
      if (ctv_index_parse(unit.bytes.data(), unit.bytes.size(), nullptr, 0, &count) == CTV_OK)
        pictures_ = std::max(pictures_, static_cast<int64_t>(count));
    } else if (unit.kind == CTV_UNIT_HEADER) {
      take_header(unit);
    } else {
      count(unit);
      send(unit);
    }
  }

  void take_header(const StreamUnit& unit) {
    const std::vector<uint8_t> bytes(unit.bytes.begin(), unit.bytes.end());  // the reader reuses its buffer
    if (!send(unit)) return;
    sink_.header();
    header_came_ = true;
    if (bytes != header_) {
      sink_.restart();
      pictures_ = 0;
    }
    header_ = bytes;
    result_.stream.struct_size = sizeof result_.stream;
    check(ctv_stream_info_parse(bytes.data(), bytes.size(), &result_.stream));
    if (options_.seek != 0 && !sought_) {
      sought_ = true;
      const uint64_t own = unit.offset;
      const uint64_t next = units_.offset();
      const auto place = find_key_frame(units_, options_.seek);
      if (place && place->header != own) key_packet_ = place->packet;  // after its header
      if (place) sink_.begin_behind(place->before);
      units_.seek(!place ? next : (key_packet_ ? place->header : place->packet));
    } else if (key_packet_) {
      units_.seek(*std::exchange(key_packet_, std::nullopt));
    }
  }

  /// With --keep-going, the number of an undecodable packet contributes to the clip's length.
  void count(const StreamUnit& unit) {
    ctv_packet_info info{};
    info.struct_size = sizeof info;
    if (options_.keep_going && ctv_packet_info_parse(header_.data(), header_.size(), unit.bytes.data(),
                                                     unit.bytes.size(), &info, nullptr, 0) == CTV_OK) {
      if (header_came_ && info.key_frame != 0 && info.frame_number < pictures_)
        pictures_ = 0;  // another stream
      header_came_ = false;
      pictures_ = std::max(pictures_, info.frame_number + 1);
    }
  }

  /// False: the unit is damaged or its reference is missing, which --keep-going tolerates.
  bool send(const StreamUnit& unit) {
    try {
      while (!decoder_.send(unit.bytes)) {
        if (!receive())
          throw Failure(Exit::kDefect, "the decoder neither takes a packet nor gives a picture");
      }
      units_.read_ahead();
      if (config_.frames_in_flight <= 1 || unit.kind != CTV_UNIT_PACKET) drain();
      return true;
    } catch (const Error& e) {
      const bool undecodable = e.status() == CTV_ERROR_REFERENCE || e.status() == CTV_ERROR_STATE;
      if (e.status() != CTV_ERROR_STREAM && !undecodable) throw;
      const std::string what = options_.input +
                               text(": unit at offset %llu: ", static_cast<unsigned long long>(unit.offset)) +
                               e.what();
      if (!options_.keep_going) throw Failure(Exit::kStream, what, "--keep-going leaves it out");
      if (undecodable) {
        ++result_.dropped;
        return false;
      }
      report_damage(what);
      if (!units_.plausible_successor()) {
        units_.resynchronise();
        lost_ = true;
      }
      return false;
    }
  }

  void report_damage(const std::string& what) {
    constexpr int64_t kListed = 10;
    if (++result_.damaged <= kListed) warn(what);
    if (result_.damaged == kListed) warn("further damage is counted, not listed");
  }

  void drain() {
    while (!sink_.full() && receive()) {
    }
  }

  bool receive() {
    const std::optional<ctv_picture> picture = decoder_.receive();
    if (!picture) return false;
    if (picture->damaged == CTV_DAMAGE_REPEATED) {  // the sink fills gaps itself
      report_damage(options_.input + ": a packet without sound vectors");
      return true;
    }
    // Pictures predicted from it lack detail, too, but their own bytes are intact.
    if (picture->missing_parts > 0)
      report_damage(options_.input + text(": frame %lld: damaged parts are left out",
                                          static_cast<long long>(picture->frame_number)));
    if (picture->damaged == CTV_DAMAGE_DETAIL) ++result_.concealed;
    sink_.take(*picture);
    return true;
  }

  const DecodeOptions& options_;
  DecoderConfig config_;
  UnitReader units_;
  Decoder decoder_;
  DecodeResult result_;
  PictureSink sink_;
  std::vector<uint8_t> header_;  // current header
  int64_t pictures_ = 0;         // least number of pictures in the stream
  bool sought_ = false;
  bool header_came_ = false;            // since the last packet
  bool finished_ = false;               // all pictures were taken
  std::optional<uint64_t> key_packet_;  // packet to continue with after reading its header
  bool lost_ = false;                   // no unit was read since the last jump
};

}  // namespace

DecodeResult decode(const DecodeOptions& options) { return Decoding(options).run(); }

}  // namespace ctv::tools
