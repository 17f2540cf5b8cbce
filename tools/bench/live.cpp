// SPDX-License-Identifier: BSD-3-Clause
// `ctbench latency`: the delay for a viewer of a live source. Frames come at their due times, whether or not
// the last one is finished; a frame's delay counts from its due time. `ctbench streams`: the number of live
// encoders for one machine or device. Each stream is an encoder in a thread; all code the same number of
// frames.
#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "bench/measurement.h"
#include "bench/statistics.h"
#include "bench/verbs.h"
#include "cli/signals.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::pair<const char*, double> kShares[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}, {"max", 1}};

/// A clip laid out for the configuration's backend, and each way in which it can be coded here.
template <typename Each>
void each_runner(Measurement& m, Json& j, double fps, const std::vector<std::string>& options, Each&& each) {
  Clip clip = m.load(m.size);
  j["settings"] = m.settings(clip.frames.size());
  j["fps"] = fps;
  j["width"] = m.size.first;
  j["height"] = m.size.second;
  j["results"] = Json::array();
  const ctv_config config = m.config(clip, options);
  lay_out_for(config, clip);
  for (const Runner& runner : m.runners(config)) {
    ctv_config run = config;
    runner.apply(run);
    m.show(runner.name());
    each(clip, run, runner);
  }
}

/// Milliseconds from the due time of frames to their packets, and to their pictures.
struct Waits {
  std::vector<double> encode_ms, total_ms;
  std::string running;
};

Waits waits_of(const Clip& clip, const ctv_config& config, double fps, double seconds) {
  Encoder encoder(config);
  Decoder decoder(decoder_like(config));
  Waits waits;
  waits.running = encoder.description();
  (void)decoder.send(encoder.header().bytes());  // a new decoder takes it
  const auto interval = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / fps));
  const auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  Clock::time_point start{};
  // Frame -1 includes lazy initialisation, so it comes before the clock starts.
  for (int64_t n = -1; n < static_cast<int64_t>(seconds * fps); ++n) {
    check_interrupted();
    if (n == 0) start = Clock::now() + interval;
    const Clock::time_point due = n < 0 ? Clock::now() : start + n * interval;
    std::this_thread::sleep_until(due);
    const bool sent =
        encoder.send(clip.frames[static_cast<size_t>(n + 1) % clip.frames.size()].borrowed_picture());
    const std::optional<Unit> unit = encoder.receive();
    const Clock::time_point coded = Clock::now();
    if (!sent || !unit) throw Failure(Exit::kDefect, "no packet for a frame that was sent");
    if (!decoder.send(unit->bytes()) || !decoder.receive())
      throw Failure(Exit::kDefect, "no picture for a packet that was sent");
    if (n < 0) continue;
    waits.encode_ms.push_back(ms(coded - due));
    waits.total_ms.push_back(ms(Clock::now() - due));
  }
  return waits;
}

/// Total frames per second of one encoder per configuration.
double frames_per_second(const Clip& clip, const std::vector<ctv_config>& configs, int64_t runs) {
  std::vector<Encoder> encoders;
  const auto code = [&](Encoder& encoder) {
    for (const Frame& frame : clip.frames) {
      check_interrupted();
      while (!encoder.send(frame.borrowed_picture())) (void)encoder.receive();
      while (encoder.receive()) {
      }
    }
  };
  for (const ctv_config& config : configs) code(encoders.emplace_back(config));  // warm
  const Clock::time_point start = Clock::now();
  std::vector<std::future<void>> streams;
  for (Encoder& encoder : encoders)
    streams.push_back(std::async(std::launch::async, [&] {
      for (int64_t run = 0; run < runs; ++run) code(encoder);
      encoder.flush();
      while (encoder.receive()) {
      }
    }));
  for (std::future<void>& stream : streams) stream.get();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return static_cast<double>(clip.frames.size() * configs.size()) * static_cast<double>(runs) / seconds;
}

/// 1, 2, 4 ... up to `most` encoders in parallel on the given devices.
void measure_streams(Measurement& m, Json& results, const Clip& clip, const ctv_config& config,
                     const Runner& runner, int64_t most, size_t devices) {
  for (size_t streams = devices; static_cast<int64_t>(streams) <= most; streams *= 2) {
    const std::string what = text("%s, %zu streams on %zu devices", runner.name().c_str(), streams, devices);
    m.show(what);
    std::vector<ctv_config> configs(streams, config);
    for (size_t i = 0; i < streams && devices > 1; ++i) configs[i].device = static_cast<int32_t>(i % devices);
    try {
      Json row = runner.json();
      row.update({{"devices", runner.gpu() ? devices : 0},
                  {"streams", streams},
                  {"frames_per_second", frames_per_second(clip, configs, m.runs)}});
      results.push_back(row);
    } catch (const Error& e) {  // the device is out of memory
      return m.leave_out(what + ": " + e.what());
    }
  }
}

}  // namespace

Exit run_latency(int argc, const char* const* argv) {
  Measurement m("latency", "what a viewer of a live source waits",
                "CLIP, or a generated one, comes at its rate; times count from when a frame was due.",
                {{"ctbench latency --size 1280x720 --fps 60", "a fast camera"}});
  double fps = 30, seconds = 10;
  m.runs = 0;
  m.fixed = {"--backend", "--engine", "--in-flight"};
  m.clip_options();
  m.real("--fps", "Frames a second", 0.1, 3600, fps);
  m.real("--seconds", "How long for each backend and engine", 0.1, 3600, seconds);
  const auto measure = [&](Json& j) {
    each_runner(m, j, fps, {"--in-flight", "1"},
                [&](const Clip& clip, const ctv_config& config, const Runner& r) {
                  const Waits waits = waits_of(clip, config, fps, seconds);
                  Json row = r.json();
                  row["running"] = waits.running;
                  row["frames"] = waits.total_ms.size();
                  row["late"] = std::count_if(waits.total_ms.begin(), waits.total_ms.end(),
                                              [&](double wait) { return wait > 1000 / fps; });
                  for (const auto& [name, share] : kShares) {
                    row["encode_ms"][name] = quantile(waits.encode_ms, share);
                    row["total_ms"][name] = quantile(waits.total_ms, share);
                  }
                  j["results"].push_back(row);
                });
  };
  return m.run(argc, argv, {.measure = measure});
}

Exit run_streams(int argc, const char* const* argv) {
  Measurement m("streams", "how many live encoders one machine or device carries",
                "CLIP, or a generated one, is encoded by 1, 2, 4 ... encoders at once, one CPU thread each "
                "unless given, on one device and on several where there are several.",
                {{"ctbench streams --size 1280x720 --most 32", "how many 720p conferences"},
                 {"ctbench streams a.y4m --size 1920x1080 --most 1 --threads 16 --in-flight 8 --runs 30",
                  "frames a second of one stream, once it runs"}});
  int64_t most = 8;
  double fps = 30;
  m.fixed = {"--backend", "--engine"};
  m.run_words = {"--threads", "1"};
  m.clip_options();
  m.count("--most", "At most so many streams", 1, 1024, most);
  m.real("--fps", "Frames a second that a stream needs", 1, 1000, fps);
  const auto measure = [&](Json& j) {
    each_runner(m, j, fps, {}, [&](const Clip& clip, const ctv_config& config, const Runner& r) {
      measure_streams(m, j["results"], clip, config, r, most, 1);
      if (r.gpu() && ctv_device_count() > 1)
        measure_streams(m, j["results"], clip, config, r, most, static_cast<size_t>(ctv_device_count()));
    });
  };
  return m.run(argc, argv, {.measure = measure});
}

}  // namespace ctv::tools
