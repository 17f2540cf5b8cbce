// SPDX-License-Identifier: BSD-3-Clause
// Measures each frame on the CPU and the GPU, checks that all agree, and makes the paper's tables of it.
#include <cmath>

#include "bench/lab/experiments.hpp"
#include "bench/lab/gpu.hpp"
#include "bench/statistics.h"

namespace ctv::lab {
namespace {

using tools::median_ms;

constexpr size_t kSteps = std::size(kIdctSteps), kLast = kSteps - 1;
constexpr int kSizes[] = {4, 8};
constexpr int kPaperModes = 3;
struct Resolution {
  const char* name;
  int columns, rows;  // macroblocks
};
constexpr Resolution kResolutions[] = {{"1080p", 120, 68}, {"2160p", 240, 135}};

// What a stream's frames are like.
struct IdctMode {
  std::string name;
  std::array<Densities, 2> densities;  // of 1080p and of 2160p
  int paper_mode = -1;                 // 0, 1, 2: stands for the paper's CRF37, CRF22 or Intra
};

// The paper's three modes: its densities are what its Table 3 has copied, compacted over all, D2H; the same
// for both block sizes, since it does not tell these apart. And those of this codec's streams at three
// quantisers (docs/reproduce.md). In all, half of the macroblocks have 8x8 blocks.
std::vector<IdctMode> idct_modes() {
  const auto paper = [](const char* name, double small, double large, int index) {
    return IdctMode{name, {{{small, small, 0.5}, {large, large, 0.5}}}, index};
  };
  const auto stream = [](const char* name, double blocks4, double blocks8) {
    const Densities densities = {blocks4, blocks8, 0.5};
    return IdctMode{name, {densities, densities}};
  };
  return {paper("as CRF37", 1 / 15.75, 1 / 31.07, 0),
          paper("as CRF22", 1 / 5.13, 1 / 6.83, 1),
          paper("as Intra", 1 / 2.46, 1 / 2.12, 2),
          stream("qp 37", 0.27, 0.24),
          stream("qp 30", 0.36, 0.35),
          stream("qp 22", 0.64, 0.61)};
}

// One resolution and mode. Pairs are of 4x4 and 8x8 blocks; milliseconds, 0 where nothing was measured.
struct Case {
  std::string name;
  int paper_row = -1;  // of Table 3, if the mode is one of the paper's
  double share = 0;    // of all coefficients, those in blocks that are not zero
  std::array<double, 2> scalar{}, simd{}, parallel{};
  GpuTimes baseline;
  std::array<std::array<GpuTimes, kSteps>, 2> steps{};
};

std::string size_name(size_t i) { return std::to_string(kSizes[i]) + "x" + std::to_string(kSizes[i]); }

Case measure(Lab& lab, size_t resolution, const IdctMode& mode) {
  Case c;
  c.name = std::string(kResolutions[resolution].name) + " " + mode.name;
  if (mode.paper_mode >= 0) c.paper_row = static_cast<int>(resolution) * kPaperModes + mode.paper_mode;
  lab.progress("h264_idct " + c.name);
  const MacroblockFrame frame = make_macroblocks(
      kResolutions[resolution].columns, kResolutions[resolution].rows, mode.densities[resolution], 1);
  const Blocks blocks = compact(frame);
  c.share = static_cast<double>(blocks[0].size() + blocks[1].size()) /
            static_cast<double>(frame.coefficients.size());
  const auto check = [&](const std::string& what, bool equal) {
    lab.checks.push_back({"h264_idct " + c.name + ", " + what + " equal to scalar", equal, ""});
  };
  Blocks expected = blocks;
  for (size_t i = 0; i < 2; ++i) {
    const int size = kSizes[i], count = static_cast<int>(blocks[i].size()) / (size * size);
    const int16_t* in = blocks[i].data();
    std::vector<int16_t> out(blocks[i].size());
    c.scalar[i] = median_ms(lab.runs, [&] { idct_scalar(size, in, count, expected[i].data()); });
    c.simd[i] = median_ms(lab.runs, [&] { idct_simd(size, in, count, out.data()); });
    check(size_name(i) + ": SIMD", out == expected[i]);
    out.assign(out.size(), 0);
    c.parallel[i] = median_ms(lab.runs, [&] { idct_parallel(size, in, count, out.data(), lab.threads); });
    check(size_name(i) + ": SIMD on all cores", out == expected[i]);
    for (size_t s = 0; lab.gpu && s < kSteps; ++s) {
      const std::string what = size_name(i) + ", step " + std::to_string(static_cast<int>(s)) + ": CUDA";
      if (lab.came_back(what, idct_compacted(kIdctSteps[s], size, blocks[i], lab.runs, out, c.steps[i][s])))
        check(what, out == expected[i]);
    }
  }
  if (!lab.gpu) return c;
  MacroblockFrame whole = frame;
  if (lab.came_back("baseline", idct_baseline(frame, lab.runs, whole.coefficients, c.baseline)))
    check("CUDA baseline", compact(whole) == expected);
  return c;
}

// A ratio, or nothing where either was not measured.
std::optional<double> ratio(double a, double b) {
  return a > 0 && b > 0 ? std::optional(a / b) : std::nullopt;
}

PaperTable table(const char* id, const char* title, std::vector<std::string> columns,
                 std::vector<PaperTable::Row> rows, int decimals = 3) {
  return {std::string("h264_idct.") + id,
          "Wang, Alvarez-Mesa, Chi and Juurlink 2013",
          title,
          std::move(columns),
          std::move(rows),
          {},
          decimals};
}

struct Table3Row {
  const char* label;
  double figures[9];
};
constexpr Table3Row kTable3[] = {
    {"paper, 1080p CRF37", {1.84, 2.05, 1.91, 0.14, 0.12, 0.12, 12.82, 16.99, 15.75}},
    {"paper, 1080p CRF22", {2.15, 2.05, 1.91, 0.42, 0.38, 0.37, 5.17, 5.38, 5.13}},
    {"paper, 1080p Intra", {2.59, 2.07, 1.91, 0.84, 0.79, 0.78, 3.08, 2.63, 2.46}},
    {"paper, 2160p CRF37", {7.22, 8.14, 7.60, 0.28, 0.25, 0.24, 25.53, 32.69, 31.07}},
    {"paper, 2160p CRF22", {7.99, 8.18, 7.57, 1.21, 1.19, 1.11, 6.62, 6.88, 6.83}},
    {"paper, 2160p Intra", {10.85, 8.23, 7.58, 3.84, 3.94, 3.57, 2.82, 2.09, 2.12}}};

PaperTable table3(std::span<const Case> cases, bool gpu) {
  PaperTable t = table(
      "compaction", "Table 3: baseline and compacted kernels, ms (paper: GT430)",
      {"baseline kernel", "H2D", "D2H", "compacted kernel", "H2D", "D2H", "speedup kernel", "H2D", "D2H"},
      {});
  std::string shares;
  for (const Case& c : cases) {
    shares += (shares.empty() ? "" : "; ") + c.name + " " +
              std::to_string(static_cast<int>(1000 * c.share + 0.5)) + "/1000";
    if (c.paper_row >= 0) {
      const Table3Row& row = kTable3[c.paper_row];
      t.rows.push_back({row.label, {std::begin(row.figures), std::end(row.figures)}});
    }
    if (!gpu) continue;
    PaperTable::Row row = {"here, " + c.name, Values(9)};
    constexpr double GpuTimes::*kTimes[] = {&GpuTimes::kernel, &GpuTimes::upload, &GpuTimes::download};
    for (size_t k = 0; k < 3; ++k) {
      const double a = c.baseline.*kTimes[k], b = c.steps[0][0].*kTimes[k] + c.steps[1][0].*kTimes[k];
      row.values[k] = ratio(a, 1);
      row.values[3 + k] = ratio(b, 1);
      row.values[6 + k] = ratio(a, b);
    }
    t.rows.push_back(row);
  }
  t.notes.push_back("Coefficients in blocks that are not zero: " + shares + ".");
  return t;
}

PaperTable table4(std::span<const Case> cases, bool gpu) {
  PaperTable t = table(
      "steps", "Table 4: speedup of each step over the one before",
      {"sync", "workgroup", "granularity", "coalescing", "total"},
      {{"paper, 4x4", {1.05, 1.14, 1.19, 1.07, 1.51}}, {"paper, 8x8", {1.01, 1.01, 1.04, 1.02, 1.08}}}, 2);
  for (size_t i = 0; gpu && i < 2; ++i) {
    const size_t mean = t.rows.size();
    t.rows.push_back({"here, " + size_name(i) + ", geometric mean", Values(kSteps, 1.0)});
    for (const Case& c : cases) {
      PaperTable::Row row = {"here, " + size_name(i) + ", " + c.name, {}};
      const auto& steps = c.steps[i];
      for (size_t s = 1; s <= kLast; ++s) row.values.push_back(ratio(steps[s - 1].kernel, steps[s].kernel));
      row.values.push_back(ratio(steps[0].kernel, steps[kLast].kernel));
      for (size_t k = 0; k < kSteps; ++k) {
        std::optional<double>& product = t.rows[mean].values[k];
        const double share = 1.0 / static_cast<double>(cases.size());
        product = product && row.values[k] ? std::optional(*product * std::pow(*row.values[k], share))
                                           : std::nullopt;
      }
      t.rows.push_back(row);
    }
  }
  return t;
}

PaperTable figure4(std::span<const Case> cases) {
  PaperTable t = table("kernel", "Figure 4: the kernel alone, speedup over scalar code on one core",
                       {"scalar ms", "SIMD", "SIMD, all cores", "GPU", "GPU over SIMD"},
                       {{"paper, GTX560Ti, the best case (Intra), more than", {{}, {}, {}, 25.0, {}}},
                        {"paper, mean on the slowest GPU (abstract)", {{}, {}, {}, {}, 1.7}},
                        {"paper, mean on the fastest GPU (abstract)", {{}, {}, {}, {}, 7.4}}});
  t.notes.emplace_back("Figure 4 is a plot without numbers; the paper's rows are from its text.");
  for (size_t i = 0; i < 2; ++i)
    for (const Case& c : cases) {
      const double scalar = c.scalar[i], gpu = c.steps[i][kLast].kernel;
      t.rows.push_back({"here, " + size_name(i) + ", " + c.name,
                        {scalar, ratio(scalar, c.simd[i]), ratio(scalar, c.parallel[i]), ratio(scalar, gpu),
                         ratio(c.simd[i], gpu)}});
    }
  return t;
}

}  // namespace

void measure_h264_idct(Lab& lab) {
  std::vector<Case> cases;
  for (size_t i = 0; i < (lab.quick ? 1 : std::size(kResolutions)); ++i)
    for (const IdctMode& mode : idct_modes()) cases.push_back(measure(lab, i, mode));
  for (PaperTable& t : std::array{table3(cases, lab.gpu), table4(cases, lab.gpu), figure4(cases)})
    lab.tables.push_back(std::move(t));
}

}  // namespace ctv::lab
