// SPDX-License-Identifier: BSD-3-Clause
#include "bench/coding.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>

#include "bench/statistics.h"
#include "cli/exit.h"
#include "cli/names.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "ctenc/settings.h"
#include "io/frame_writer.h"

namespace ctv::tools {
namespace {

using Clock = std::chrono::steady_clock;

class PassWatch {
 public:
  PassWatch(PassTimes& times, size_t frames_per_pass) : times_(times), frames_per_pass_(frames_per_pass) {}
  void received() {
    if (++received_ % frames_per_pass_ != 0) return;
    const Clock::time_point now = Clock::now();
    times_.seconds.push_back(std::chrono::duration<double>(now - last_pass_).count());
    last_pass_ = now;
  }
  /// Excludes this time from the current pass: it is not the codec's.
  void leave_out(Clock::duration time) { last_pass_ += time; }
  void finish(size_t passes) const {
    if (times_.seconds.size() != passes)
      throw Failure(Exit::kDefect, "the codec gave fewer frames than it took");
  }

 private:
  PassTimes& times_;
  size_t frames_per_pass_, received_ = 0;
  Clock::time_point last_pass_ = Clock::now();
};

/// Sends `count` items and receives all results; with one in flight, also after each send.
template <typename Coder, typename Send, typename Receive>
void send_all(Coder& coder, int32_t in_flight, size_t count, Send&& send, Receive&& receive) {
  for (size_t i = 0; i < count; ++i) {
    check_interrupted();
    while (!send(i))
      if (!receive()) throw Failure(Exit::kDefect, "the codec neither takes a frame nor gives one");
    while (in_flight <= 1 && receive()) {
    }
  }
  coder.flush();
  while (receive()) {
  }
}

// Number of passes, of `frames` frames, that the frames in flight span.
int64_t passes_behind(int32_t in_flight, size_t frames) {
  const auto each = static_cast<int64_t>(frames);
  return in_flight <= 1 ? 0 : (in_flight + each - 1) / each;
}

// Milliseconds per frame of each pass, except the first (unless it is the only one) and those in `behind`.
// With frames in flight results come in bursts, so all get the mean of these passes.
std::vector<double> milliseconds(std::span<const double> seconds, size_t frames, int64_t behind) {
  if (seconds.size() > 1) seconds = seconds.subspan(1, seconds.size() - 1 - static_cast<size_t>(behind));
  std::vector<double> ms;
  for (const double pass : seconds) ms.push_back(1000 * pass / static_cast<double>(frames));
  if (behind > 0) return {std::accumulate(ms.begin(), ms.end(), 0.0) / static_cast<double>(ms.size())};
  return ms;
}

/// Engines differ only in convolutions; lifting runs the same code.
bool convolves(const ctv_config& config) {
  const auto directed = [](int32_t count) { return count > 0; };
  return config.pyramid == CTV_PYRAMID_LAPLACIAN ||
         std::any_of(std::begin(config.directions), std::end(config.directions), directed);
}

}  // namespace

Variant parse_variant(const std::string& text) {
  Variant variant;
  const size_t colon = text.find(':');
  const std::string settings = colon == std::string::npos ? text : text.substr(colon + 1);
  variant.name = text.substr(0, colon);
  if (variant.name.empty() || settings.empty())
    throw Failure(Exit::kUsage, "'" + text + "' is no variant", "NAME:preset=default,directions=0");
  if (colon == std::string::npos && text.find('=') == std::string::npos) {
    variant.arguments = {"--preset", text};
    return variant;
  }
  // A part that is a number continues the previous list: directions=4,2,0.
  std::vector<std::string> parts;
  for (const std::string& part : split(settings, ',')) {
    if (parse_real(part) && !parts.empty()) {
      parts.back() += "," + part;
    } else {
      parts.push_back(part);
    }
  }
  for (const std::string& part : parts) {
    const size_t equals = part.find('=');
    if (part.empty() || equals == 0) throw Failure(Exit::kUsage, "'" + text + "' has an empty setting");
    if (is_setting(part.substr(0, equals))) {
      variant.arguments.insert(variant.arguments.end(), {"--set", part});
      continue;
    }
    variant.arguments.push_back("--" + part.substr(0, equals));
    if (equals != std::string::npos) variant.arguments.push_back(part.substr(equals + 1));
  }
  return variant;
}

EncodeOptions variant_options(const Variant& variant, const std::vector<std::string>& before,
                              const std::vector<std::string>& after) {
  EncodeOptions encode;
  ToolText about;
  about.name = "ctenc";  // the options are ctenc's
  Options options(about);
  add_encode_options(options, encode);
  std::vector<std::string> words = {"ctenc"};
  for (const auto* list : {&before, &variant.arguments, &after})
    words.insert(words.end(), list->begin(), list->end());
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    options.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const Failure& e) {
    throw Failure(e.code(), "variant " + variant.name + ": " + e.what());
  }
  return encode;
}

CodedClip encode_clip(const ctv_config& config, const Clip& clip, int passes) {
  Encoder encoder(config);
  const size_t frames = clip.frames.size(), count = frames * static_cast<size_t>(passes);
  CodedClip coded;
  const Unit header = encoder.header();
  coded.units.emplace_back(header.bytes().begin(), header.bytes().end());
  coded.bytes = header.size;
  coded.times.running = encoder.description();
  PassWatch watch(coded.times, frames);
  const auto send = [&](size_t i) {
    if (i > 0 && i % frames == 0) encoder.request_key_frame();
    return encoder.send(clip.frames[i % frames].borrowed_picture());
  };
  const auto receive = [&] {
    const std::optional<Unit> unit = encoder.receive();
    if (!unit) return false;
    if (coded.units.size() <= frames) coded.bytes += unit->size;
    const Clock::time_point start = Clock::now();
    coded.units.emplace_back(unit->bytes().begin(), unit->bytes().end());
    // With more frames in flight the encoder works meanwhile.
    if (config.frames_in_flight <= 1) watch.leave_out(Clock::now() - start);
    watch.received();
    return true;
  };
  send_all(encoder, config.frames_in_flight, count, send, receive);
  watch.finish(static_cast<size_t>(passes));
  return coded;
}

DecoderConfig decoder_like(const ctv_config& encoder) {
  DecoderConfig config;
  config.threads = encoder.threads;
  config.backend = encoder.backend;
  config.engine = encoder.engine;
  config.device = encoder.device;
  config.frames_in_flight = encoder.frames_in_flight;
  config.limits.max_pixels = UINT64_MAX;  // our own stream: any size that the encoder accepted
  config.limits.max_memory = UINT64_MAX;
  return config;
}

PassTimes decode_clip(const ctv_decoder_config& config, const std::vector<std::vector<uint8_t>>& units,
                      size_t frames_per_pass, const std::function<void(const ctv_picture&)>& see) {
  Decoder decoder(config);
  PassTimes times;
  if (units.empty() || !decoder.send(units[0])) throw Failure(Exit::kDefect, "the decoder takes no header");
  times.running = decoder.description();
  PassWatch watch(times, frames_per_pass);
  const auto receive = [&] {
    const std::optional<ctv_picture> picture = decoder.receive();
    if (!picture) return false;
    watch.received();
    if (see) see(*picture);
    return true;
  };
  send_all(
      decoder, config.frames_in_flight, units.size() - 1,
      [&](size_t i) { return decoder.send(units[i + 1]); }, receive);
  watch.finish((units.size() - 1) / frames_per_pass);
  return times;
}

void Meter::add(const ctv_picture& source, const ctv_picture& decoded) {
  total_.add(source, decoded, true);
  ++frames_;
}

double Meter::decibels() const {
  if (frames_ == 0) return 0;
  const ChannelError& first = total_.channels()[0];
  return std::string_view(first.name) == "R" ? total_.weighted_psnr() : psnr(first);
}

Json Meter::json() const {
  Json decibels;
  for (const ChannelError& channel : total_.channels())
    decibels[std::string(1, static_cast<char>(std::tolower(channel.name[0])))] = number(psnr(channel));
  decibels["weighted"] = number(total_.weighted_psnr());
  return {{"psnr", decibels}, {"ssim", ssim()}};
}

std::vector<uint64_t> CodedClip::frame_bytes(size_t frames) const {
  std::vector<uint64_t> sizes;
  for (size_t i = 0; i < frames; ++i) sizes.push_back(units[i + 1].size());
  return sizes;
}

Seen look_at(const ctv_config& config, const Clip& clip, const CodedClip& coded, const Viewer& viewer) {
  Seen seen;
  PictureMd5 md5;
  const auto units = coded.units.begin();
  decode_clip(decoder_like(config), {units, units + static_cast<std::ptrdiff_t>(clip.frames.size() + 1)},
              clip.frames.size(), [&](const ctv_picture& picture) {
                if (viewer) viewer(seen.meter.frames(), picture);
                md5.add(picture);
                seen.meter.add(clip.frames[seen.meter.frames()].picture(), picture);
              });
  seen.md5 = md5.finish();
  return seen;
}

TimedClip time_clip(const ctv_config& config, const Clip& clip, int64_t runs) {
  TimedClip timed;
  const size_t frames = clip.frames.size();
  const int64_t behind = runs == 0 ? 0 : passes_behind(config.frames_in_flight, frames);
  timed.coded = encode_clip(config, clip, static_cast<int>(1 + runs + behind));
  timed.decoded = decode_clip(decoder_like(config), timed.coded.units, frames);
  timed.encode_ms = milliseconds(timed.coded.times.seconds, frames, behind);
  timed.decode_ms = milliseconds(timed.decoded.seconds, frames, behind);
  return timed;
}

Json timing_json(const std::vector<double>& ms_per_frame) {
  const double middle = median(ms_per_frame);
  return {{"ms_per_frame", middle > 0 ? Json(middle) : Json()},
          {"quartiles", {quantile(ms_per_frame, 0.25), quantile(ms_per_frame, 0.75)}},
          {"runs", ms_per_frame}};
}

std::string Runner::name() const {
  return std::string(name_of(kBackends, backend)) + " " + name_of(kEngines, engine);
}

Json Runner::json() const {
  return {{"backend", name_of(kBackends, backend)}, {"engine", name_of(kEngines, engine)}};
}

std::vector<Runner> available_runners(const ctv_config& config,
                                      const std::function<void(const std::string&)>& missing) {
  std::vector<Runner> found;
  for (const ctv_backend backend : {CTV_BACKEND_CPU, CTV_BACKEND_CUDA}) {
    if (backend == CTV_BACKEND_CUDA && ctv_device_count() <= 0) {
      const std::string why = ctv_last_error();
      missing("cuda: " + (why.empty() ? std::string("no device") : why));
      continue;
    }
    for (const ctv_engine engine : {CTV_ENGINE_DIRECT, CTV_ENGINE_FFT}) {
      if (engine == CTV_ENGINE_FFT && (backend == CTV_BACKEND_CPU || !convolves(config))) continue;
      const Runner runner{backend, engine};
      ctv_config tried = config;
      runner.apply(tried);
      try {
        const Encoder encoder(tried);
        found.push_back(runner);
      } catch (const Error& e) {
        missing(runner.name() + ": " + e.what());
      }
    }
  }
  return found;
}

}  // namespace ctv::tools
