// SPDX-License-Identifier: BSD-3-Clause
// ctstages: each stage alone on each backend and engine, checked against its definition and timed. `ctbench
// stages` runs it and shows what it writes: one JSON object a line, as soon as it is known, so that an
// interrupted run keeps what it has. It sees the library's insides, which ctbench does not.
//   usage: ctstages WIDTHxHEIGHT ROUNDS FILE
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "codec/backends.hpp"
#include "codec/util/parallel.hpp"
#include "tools/bench/lab/stages/arrays.hpp"
#include "tools/bench/lab/stages/stage.hpp"

namespace ctv::lab {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// Small enough for the definition, odd on purpose.
constexpr Extent kCheckedExtent{93, 157};

struct Times {
  double median = 0, lower = 0, upper = 0;  // microseconds a call, quartiles
};

/// Calls in batches of some milliseconds that end when everything is done, so launches overlap as they do in
/// a stream of frames.
Result<Times> time_of(Backend& backend, int rounds, const std::function<Status()>& body) {
  constexpr double kBatch = 3000;  // microseconds
  const auto batch = [&](int64_t calls) -> Result<double> {
    const Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < calls; ++i) CTV_RETURN_IF_ERROR(body());
    CTV_RETURN_IF_ERROR(backend.synchronize());
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  CTV_RETURN_IF_ERROR(backend.synchronize());
  int64_t calls = 1;
  for (;; calls *= 2) {  // warm, and long enough for the clock
    CTV_ASSIGN_OR_RETURN(const double passed, batch(calls));
    if (passed > kBatch || calls >= (1 << 20)) break;
  }
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    CTV_ASSIGN_OR_RETURN(const double passed, batch(calls));
    times.push_back(passed / static_cast<double>(calls));
  }
  std::sort(times.begin(), times.end());
  const size_t n = times.size();
  return Times{times[n / 2], times[n / 4], times[n - 1 - n / 4]};
}

struct Runner {
  std::string name;
  std::unique_ptr<Backend> backend;
};

class Bench {
 public:
  Bench(Extent extent, int rounds, const char* path) : extent_(extent), rounds_(rounds), out_(path) {
    threads_ = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 256U));
  }
  bool run() {
    for (const auto& [name, kind] :
         {std::pair{"cpu", CTV_BACKEND_CPU}, std::pair{"cuda", CTV_BACKEND_CUDA}}) {
      std::string why;
      auto made = make_backend(kind, 0, threads_, why);
      if (!made.ok()) {
        leave_out(std::string(name) + ": " + made.status().message());
        continue;
      }
      runners_.push_back({name, std::move(*made)});
      roofs(runners_.back());
    }
    for (const auto& stages :
         {picture_stages(), motion_stages(), transform_stages(), error_stages(), symbol_stages(threads_)})
      for (const Stage& stage : stages) measure(stage);
    return all_verified_ && out_.good();
  }

 private:
  void say(const Json& line) { out_ << line.dump() << std::endl; }
  void leave_out(const std::string& why) { say({{"kind", "left_out"}, {"why", why}}); }

  /// Bytes read and written a second by a copy in the backend's memory, and carried across the bus.
  void roofs(Runner& runner) {
    constexpr size_t kBytes = size_t{256} << 20;
    Backend& backend = *runner.backend;
    Json line = {{"kind", "runner"}, {"backend", runner.name}, {"description", backend.description()}};
    const auto rate = [&](const Result<Times>& t, double bytes) {
      return t.ok() ? Json(bytes / t->median * 1e6) : Json(nullptr);
    };
    auto from = backend.allocate(kBytes), to = backend.allocate(kBytes);
    const bool host = backend.kind() == CTV_BACKEND_CPU;
    if (!from.ok() || !to.ok()) return leave_out(runner.name + ": no memory to measure its bandwidth");
    if (host) std::memset(from->data(), 1, kBytes);
    const auto copy = [&]() -> Status {
      if (!host) return backend.copy(to->data(), from->data(), kBytes);
      constexpr int kPieces = 256;
      parallel_for(threads_, kPieces, [&](int i) {
        const size_t begin = kBytes / kPieces * static_cast<size_t>(i);
        std::memcpy(static_cast<char*>(to->data()) + begin, static_cast<const char*>(from->data()) + begin,
                    kBytes / kPieces);
      });
      return {};
    };
    line["copy"] = rate(time_of(backend, rounds_, copy), 2.0 * kBytes);
    line["upload"] = line["download"] = nullptr;
    if (!host) bus(backend, line, rate);
    say(line);
  }

  template <typename Rate>
  void bus(Backend& backend, Json& line, const Rate& rate) {
    constexpr size_t kLevels = size_t{32} << 20;
    PictureLayout layout;
    layout.planes = 1;
    layout.subbands[0].num_coefficients = kLevels;
    auto port = backend.make_level_transfer(layout, MotionGrid{4, 1, 1}, {});
    auto levels = backend.allocate(kLevels * sizeof(Level));
    if (!port.ok() || !levels.ok()) return;
    auto* const data = static_cast<Level*>(levels->data());
    line["upload"] = rate(time_of(backend, rounds_,
                                  [&] {
                                    return (*port)->import_levels({data, nullptr, nullptr}, {});
                                  }),
                          kLevels * sizeof(Level));
    line["download"] = rate(time_of(backend, rounds_,
                                    [&] {
                                      return (*port)->download({data, nullptr, nullptr}, {});
                                    }),
                            kLevels * sizeof(Level));
  }

  void measure(const Stage& stage) {
    first_.clear();
    first_runner_.clear();
    const std::vector<int16_t> expected = stage.expected(kCheckedExtent);
    for (Runner& runner : runners_) {
      const bool host = runner.backend->kind() == CTV_BACKEND_CPU;
      if ((stage.on_host && !host) || (stage.device_only && host)) continue;
      for (const Engine engine : stage.engines) {
        const std::string engine_name = stage.engines.size() == 1 ? ""
                                        : engine == Engine::kFft  ? "fft"
                                                                  : "direct";
        std::fprintf(stderr, "%s, %s %s\n", stage.name.c_str(), runner.name.c_str(), engine_name.c_str());
        const Status status = measure(stage, runner, engine, engine_name, expected);
        if (!status.ok())
          leave_out(stage.name + ", " + runner.name + " " + engine_name + ": " + status.message());
      }
    }
  }

  Status measure(const Stage& stage, Runner& runner, Engine engine, const std::string& engine_name,
                 const std::vector<int16_t>& expected) {
    Backend& backend = *runner.backend;
    CTV_ASSIGN_OR_RETURN(const Prepared small, stage.prepare(backend, engine, kCheckedExtent));
    CTV_RETURN_IF_ERROR(small.run());
    CTV_ASSIGN_OR_RETURN(const std::vector<int16_t> seen, small.read());
    const bool verified = seen == expected;
    CTV_ASSIGN_OR_RETURN(const Prepared full, stage.prepare(backend, engine, extent_));
    CTV_RETURN_IF_ERROR(full.run());
    CTV_ASSIGN_OR_RETURN(const std::vector<int16_t> made, full.read());
    if (first_runner_.empty()) {
      first_ = made;
      first_runner_ = runner.name + " " + engine_name;
    }
    const bool same = made == first_;
    CTV_ASSIGN_OR_RETURN(const Times times, time_of(backend, rounds_, full.run));
    const Work work = stage.work(extent_);
    say({{"kind", "stage"},
         {"stage", stage.name},
         {"about", stage.about},
         {"backend", stage.on_host ? "host" : runner.name},
         {"engine", engine_name},
         {"microseconds", times.median},
         {"quartiles", {times.lower, times.upper}},
         {"memory_bytes", work.memory_bytes},
         {"upload_bytes", work.upload_bytes},
         {"download_bytes", work.download_bytes},
         {"operations", work.operations},
         {"verified", verified},
         {"same", same}});
    all_verified_ = all_verified_ && verified && same;
    return {};
  }

  const Extent extent_;
  const int rounds_;
  std::ofstream out_;
  int threads_ = 1;
  std::vector<Runner> runners_;
  std::vector<int16_t> first_;  // what the first runner made of the stage at hand
  std::string first_runner_;
  bool all_verified_ = true;
};

}  // namespace
}  // namespace ctv::lab

int main(int argc, char** argv) {
  int width = 0, height = 0;
  const int rounds = argc == 4 ? std::atoi(argv[2]) : 0;
  if (argc != 4 || std::sscanf(argv[1], "%dx%d", &width, &height) != 2 || width < 16 || height < 16 ||
      width > 16384 || height > 16384 || rounds < 1) {
    std::fputs("usage: ctstages WIDTHxHEIGHT ROUNDS FILE; better: ctbench stages\n", stderr);
    return 1;
  }
  try {
    return ctv::lab::Bench({height, width}, rounds, argv[3]).run() ? 0 : 70;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ctstages: %s\n", e.what());
    return 70;
  }
}
