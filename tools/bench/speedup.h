// SPDX-License-Identifier: BSD-3-Clause
// The paper's evaluation (Katsigiannis, Dimitsas and Maroulis, "A GPU vs CPU performance evaluation of an
// experimental video compression algorithm"), repeated on the machine at hand: times per frame of encoding
// and decoding, disk excluded, transfers and the CPU's part of the GPU path included, clips averaged. A
// speedup is told only if all that is compared made the same bytes and the same pictures in the same run.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/runner.h"

namespace ctv::tools {

using Size = std::pair<int32_t, int32_t>;

/// What the paper printed: milliseconds a frame on a Phenom II X4 965 (4 cores, 3.4 GHz) and a Tesla C2070.
struct PaperFigures {
  Size size;
  double encode_cpu, encode_gpu, decode_cpu, decode_gpu;  // Tables III and IV
  double encode_speedup, decode_speedup;                  // Table II
};
inline constexpr std::array<PaperFigures, 4> kPaper = {{
    {{320, 240}, 159.100, 56.667, 149.200, 44.800, 2.808, 3.330},
    {{640, 480}, 612.833, 98.367, 594.600, 70.833, 6.230, 8.394},
    {{1280, 720}, 1866.233, 196.600, 1828.333, 122.433, 9.493, 14.933},
    {{1920, 1080}, 4239.433, 383.733, 4202.433, 197.267, 11.048, 21.303},
}};
const PaperFigures* paper_figures(Size size);

struct SpeedupOptions {
  std::vector<std::string> clips;  // none: a generated one
  std::vector<Size> sizes = {{320, 240}, {640, 480}, {1280, 720}, {1920, 1080}};
  Variant variant{"paper", {"--preset", "paper"}};
  std::vector<std::string> run;  // ctenc's options for how to run
  int64_t frames = 20;
  int runs = 10;
  bool rgb = true;
  bool progress = true, quiet = false;
  std::string json, csv;
};

/// Milliseconds a frame, one for each run, and what they were spent on.
struct Timing {
  std::vector<double> runs;
  std::vector<std::pair<std::string, double>> stages;
};

struct SpeedupRow {
  std::string clip, digest;
  Size size;
  Runner runner;
  std::string running;  // the library's words
  uint64_t bytes = 0;
  double decibels = 0;  // of luma, or the mean of R, G and B
  Timing encode, decode;
};

struct SpeedupResult {
  std::vector<SpeedupRow> rows;
  std::vector<std::string> missing;      // runners and clips left out, one line each
  std::vector<std::string> differences;  // where runners disagreed: no speedup then
  bool complete = true;
  int32_t threads = 0, frames_in_flight = 1;
};

SpeedupResult measure_speedup(const SpeedupOptions& options);

/// Mean over clips of the runs' medians; nothing if not measured.
std::optional<double> mean_ms(const SpeedupResult& result, const std::string& runner, Size size,
                              Timing SpeedupRow::*what);
/// The fastest CPU runner's time over the fastest CUDA runner's; nothing where one is missing or they
/// differed.
std::optional<double> speedup_of(const SpeedupResult& result, Size size, Timing SpeedupRow::*what);
/// Names of the runners in the order measured.
std::vector<std::string> runner_names(const SpeedupResult& result);

std::string speedup_text(const SpeedupOptions& options, const SpeedupResult& result);
Json speedup_json(const SpeedupOptions& options, const SpeedupResult& result);

}  // namespace ctv::tools
