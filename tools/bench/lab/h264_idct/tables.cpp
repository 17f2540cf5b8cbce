// SPDX-License-Identifier: BSD-3-Clause
// Tables of Wang et al. 2013 with this machine's figures.
#include <cmath>

#include "bench/lab/h264_idct/measured.hpp"

namespace ctv::lab {
namespace {

constexpr const char* kPaper = "Wang, Alvarez-Mesa, Chi and Juurlink 2013";
constexpr const char* kSizeNames[] = {"4x4", "8x8"};

using Values = std::vector<std::optional<double>>;

// A ratio, or nothing where either was not measured.
std::optional<double> ratio(double a, double b) {
  return a > 0 && b > 0 ? std::optional(a / b) : std::nullopt;
}
std::optional<double> known(double ms) { return ms > 0 ? std::optional(ms) : std::nullopt; }

// Table 3; IdctCase::paper_row counts these.
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

GpuTimes both(const std::array<GpuTimes, 2>& sizes) {
  return {sizes[0].upload + sizes[1].upload, sizes[0].kernel + sizes[1].kernel,
          sizes[0].download + sizes[1].download};
}

PaperTable table3(std::span<const IdctCase> cases, bool gpu) {
  PaperTable table = {
      "h264_idct.compaction",
      kPaper,
      "Table 3: baseline and compacted kernels, ms (paper: GT430)",
      {"baseline kernel", "H2D", "D2H", "compacted kernel", "H2D", "D2H", "speedup kernel", "H2D", "D2H"},
      {},
      {},
      3};
  for (const IdctCase& c : cases) {
    if (c.paper_row >= 0) {
      const Table3Row& row = kTable3[c.paper_row];
      table.rows.push_back({row.label, false, {std::begin(row.figures), std::end(row.figures)}});
    }
    if (!gpu) continue;
    const GpuTimes& a = c.baseline;
    const GpuTimes b = both(c.steps[0]);
    table.rows.push_back({"here, " + c.name,
                          true,
                          {known(a.kernel), known(a.upload), known(a.download), known(b.kernel),
                           known(b.upload), known(b.download), ratio(a.kernel, b.kernel),
                           ratio(a.upload, b.upload), ratio(a.download, b.download)}});
  }
  return table;
}

PaperTable table4(std::span<const IdctCase> cases, bool gpu) {
  PaperTable table = {"h264_idct.steps",
                      kPaper,
                      "Table 4: speedup of each step over the one before",
                      {"sync", "workgroup", "granularity", "coalescing", "total"},
                      {{"paper, 4x4", false, {1.05, 1.14, 1.19, 1.07, 1.51}},
                       {"paper, 8x8", false, {1.01, 1.01, 1.04, 1.02, 1.08}}},
                      {},
                      2};
  if (!gpu) return table;
  constexpr size_t kLast = std::size(kIdctSteps) - 1;
  for (size_t size = 0; size < 2; ++size) {
    Values mean(kLast + 1, 1.0);
    std::vector<PaperTable::Row> rows;
    for (const IdctCase& c : cases) {
      Values values;
      for (size_t s = 1; s <= kLast; ++s)
        values.push_back(ratio(c.steps[s - 1][size].kernel, c.steps[s][size].kernel));
      values.push_back(ratio(c.steps[0][size].kernel, c.steps[kLast][size].kernel));
      for (size_t k = 0; k < values.size(); ++k)
        mean[k] = mean[k] && values[k] ? std::optional(*mean[k] * *values[k]) : std::nullopt;
      rows.push_back({std::string("here, ") + kSizeNames[size] + ", " + c.name, true, values});
    }
    for (std::optional<double>& v : mean)
      if (v) v = std::pow(*v, 1.0 / static_cast<double>(cases.size()));
    table.rows.push_back({std::string("here, ") + kSizeNames[size] + ", geometric mean", true, mean});
    table.rows.insert(table.rows.end(), rows.begin(), rows.end());
  }
  return table;
}

PaperTable figure4(std::span<const IdctCase> cases) {
  PaperTable table = {"h264_idct.kernel",
                      kPaper,
                      "Figure 4: the kernel alone, speedup over scalar code on one core",
                      {"scalar ms", "SIMD", "SIMD, all cores", "GPU", "GPU over SIMD"},
                      {{"paper, GTX560Ti, the best case (Intra), more than", false, {{}, {}, {}, 25.0, {}}},
                       {"paper, mean on the slowest GPU (abstract)", false, {{}, {}, {}, {}, 1.7}},
                       {"paper, mean on the fastest GPU (abstract)", false, {{}, {}, {}, {}, 7.4}}},
                      {"Figure 4 is a plot without numbers; the paper's rows are from its text."},
                      3};
  for (size_t size = 0; size < 2; ++size)
    for (const IdctCase& c : cases) {
      const double gpu = c.steps[std::size(kIdctSteps) - 1][size].kernel;
      table.rows.push_back(
          {std::string("here, ") + kSizeNames[size] + ", " + c.name,
           true,
           {c.scalar[size], ratio(c.scalar[size], c.simd[size]), ratio(c.scalar[size], c.parallel[size]),
            ratio(c.scalar[size], gpu), ratio(c.simd[size], gpu)}});
    }
  return table;
}

PaperTable figure5(std::span<const IdctCase> cases) {
  PaperTable table = {
      "h264_idct.complete",
      kPaper,
      "Figure 5: the complete IDCT with its copies, both block sizes, speedup over scalar code on one core",
      {"scalar ms", "SIMD", "SIMD, all cores", "GPU", "GPU, overlapped", "overlapped over not"},
      {{"paper, overlapped over not, least", false, {{}, {}, {}, {}, {}, 1.2}},
       {"paper, overlapped over not, most", false, {{}, {}, {}, {}, {}, 1.3}}},
      {"Figure 5 is a plot without numbers; the paper's rows are from its text, which finds the complete "
       "IDCT slower "
       "than SIMD. Ours by the host's clock, from the first call to the last byte."},
      3};
  for (const IdctCase& c : cases) {
    const double scalar = c.scalar[0] + c.scalar[1];
    table.rows.push_back(
        {"here, " + c.name,
         true,
         {scalar, ratio(scalar, c.simd[0] + c.simd[1]), ratio(scalar, c.parallel[0] + c.parallel[1]),
          ratio(scalar, c.sequential), ratio(scalar, c.overlapped), ratio(c.sequential, c.overlapped)}});
  }
  return table;
}

}  // namespace

void add_idct_tables(const LabSettings& settings, std::span<const IdctCase> cases, LabReport& report) {
  const bool gpu = settings.gpu;
  std::string shares;
  for (const IdctCase& c : cases)
    shares +=
        (shares.empty() ? "" : "; ") + c.name + " " + std::to_string(std::lround(1000 * c.share)) + "/1000";
  PaperTable tables[] = {table3(cases, gpu), table4(cases, gpu), figure4(cases), figure5(cases)};
  tables[0].notes.push_back("Coefficients in blocks that are not zero: " + shares + ".");
  for (PaperTable& table : tables) report.add(std::move(table), settings);
}

}  // namespace ctv::lab
