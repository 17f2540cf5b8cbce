// SPDX-License-Identifier: BSD-3-Clause
#include "bench/lab/experiments.hpp"
#include "bench/lab/gpu.hpp"
#include "bench/statistics.h"

namespace ctv::lab {
namespace {

using tools::median_ms;

struct PaperFigures {
  const char* table;
  double cpu, small_gpu, large_gpu;  // ms: QuadCore 2.8 GHz, GeForce 8500GT, GeForce GTX560Ti
};
constexpr PaperFigures kFigures[] = {{"Table 1", 40.99, 70.75, 11.27}, {"Table 2", 208.71, 303.57, 53.89}};

}  // namespace

void measure_h264_tq(Lab& lab, std::span<const YuvFrame> frames, int qp) {
  const size_t count = std::min({frames.size(), std::size(kFigures), lab.quick ? size_t{1} : size_t{2}});
  for (size_t i = 0; i < count; ++i) {
    const YuvFrame& frame = frames[i];
    const PaperFigures& paper = kFigures[i];
    const std::string size = std::to_string(frame.width) + "x" + std::to_string(frame.height);
    lab.progress("h264_tq " + size);
    std::vector<int16_t> levels, again;
    const double one = median_ms(lab.runs, [&] { transform_quantise_on_cpu(frame, qp, 1, levels); });
    const double all = median_ms(lab.runs, [&] { transform_quantise_on_cpu(frame, qp, lab.threads, again); });
    lab.checks.push_back({"h264_tq " + size + ": one thread and all equal", again == levels, ""});
    PaperTable table = {
        "h264_tq." + size,
        "Husemann, Giacomolli, Lenz, Schwingel and Roesler 2011",
        std::string(paper.table) + ": transforms and quantisation of a frame, " + size + ", copies included",
        {"ms", "gain", "kernel ms", "upload ms", "download ms"},
        {{"paper, CPU (QuadCore 2.8 GHz, reference software)", {paper.cpu, 1.0}},
         {"paper, 8500GT", {paper.small_gpu, paper.cpu / paper.small_gpu}},
         {"paper, GTX560Ti", {paper.large_gpu, paper.cpu / paper.large_gpu}},
         {"here, CPU, one core", {one, 1.0}},
         {"here, CPU, " + std::to_string(lab.threads) + " threads", {all, one / all}}},
        {"Gain: over the same source's CPU. Every macroblock as Intra 16x16 from a prediction of 128, "
         "4:2:0, qp " +
         std::to_string(qp) + "."},
        3};
    GpuTimes times;
    if (lab.gpu &&
        lab.came_back("h264_tq " + size, transform_quantise_on_gpu(frame, qp, lab.runs, again, times))) {
      lab.checks.push_back({"h264_tq " + size + ": CPU and CUDA equal", again == levels, ""});
      table.rows.push_back(
          {"here, GPU", {times.sum(), one / times.sum(), times.kernel, times.upload, times.download}});
    }
    lab.tables.push_back(std::move(table));
  }
}

}  // namespace ctv::lab
