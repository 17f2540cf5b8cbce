// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "bench/lab/experiments.hpp"
#include "bench/lab/gpu_module.hpp"

namespace ctv::lab {
namespace {

constexpr const char* kPaper = "Obukhov and Kharlamov 2008";
constexpr double kConsistent = 50;  // dB, section 4

struct VariantName {
  DctVariant variant;
  const char* name;
};
constexpr VariantName kVariants[] = {{DctVariant::kDefinition, "1, by definition"},
                                     {DctVariant::kSeparable, "2, separable"},
                                     {DctVariant::kShort, "16-bit"}};

using Values = std::vector<std::optional<double>>;

struct VariantRows {
  Values gold_psnr, cuda_psnr, consistency;
  struct Part {
    const char* name;
    double DctTimes::*member;
    bool on_cpu;
    Values cpu, gpu;
  };
  Part parts[5] = {{"forward", &DctTimes::forward, true, {}, {}},
                   {"quantise", &DctTimes::quantise, true, {}, {}},
                   {"inverse", &DctTimes::inverse, true, {}, {}},
                   {"upload", &DctTimes::upload, false, {}, {}},
                   {"download", &DctTimes::download, false, {}, {}}};
};

void check_consistency(const std::string& name, bool exact, double consistency, LabReport& report) {
  const bool equal = std::isinf(consistency);
  report.checks.push_back({"dct8x8 " + name + ": CPU and CUDA " + (exact ? "equal" : "at least 50 dB"),
                           exact ? equal : consistency >= kConsistent,
                           equal ? "equal" : std::to_string(consistency) + " dB"});
}

void measure_variant(const LabSettings& settings, const VariantName& v, const GrayImage& image,
                     const std::string& size, VariantRows& rows, LabReport& report) {
  settings.progress(std::string("dct8x8 ") + v.name + ", " + size);
  DctTimes times;
  const GrayImage gold = dct8x8_on_cpu(v.variant, image, settings.runs, times);
  rows.gold_psnr.push_back(psnr(image, gold));
  for (VariantRows::Part& part : rows.parts)
    if (part.on_cpu) part.cpu.push_back(times.*part.member);
  if (settings.gpu == nullptr) return;
  GrayImage cuda;
  const Status status = settings.gpu->dct8x8(v.variant, image, settings.runs, cuda, times);
  if (!status.ok()) {
    report.checks.push_back({std::string("dct8x8 ") + v.name + ", " + size, false, status.message()});
    cuda.samples.clear();
  }
  const bool ok = status.ok();
  const double consistency = ok ? psnr(gold, cuda) : 0;
  rows.cuda_psnr.push_back(ok ? std::optional(psnr(image, cuda)) : std::nullopt);
  rows.consistency.push_back(ok ? std::optional(consistency) : std::nullopt);
  for (VariantRows::Part& part : rows.parts)
    part.gpu.push_back(ok ? std::optional(times.*part.member) : std::nullopt);
  if (ok) check_consistency(v.name + (", " + size), v.variant == DctVariant::kShort, consistency, report);
}

}  // namespace

void measure_dct8x8(const LabSettings& settings, const GrayImage& image, LabReport& report) {
  VariantRows measured[std::size(kVariants)];
  std::vector<std::string> sizes;
  GrayImage scaled = image;
  for (int doubling = 0; doubling < (settings.quick ? 1 : 4); ++doubling) {
    if (doubling > 0) scaled = doubled(scaled);
    sizes.push_back(std::to_string(scaled.width) + "x" + std::to_string(scaled.height));
    for (size_t i = 0; i < std::size(kVariants); ++i)
      measure_variant(settings, kVariants[i], scaled, sizes.back(), measured[i], report);
  }
  // The paper's figures are of Barbara in 512x512 to 4Kx4K; a quick run has the first size alone.
  const auto paper = [&](const char* label, std::initializer_list<double> figures) {
    const Values all(figures.begin(), figures.end());
    return PaperTable::Row{
        label, false, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(sizes.size())}};
  };
  PaperTable original = {
      "dct8x8.original",
      kPaper,
      "Table 1: PSNR between original and processed image, dB",
      sizes,
      {paper("paper, Gold 1", {32.777092, 34.612900, 36.814545, 39.721603}),
       paper("paper, CUDA 1", {32.777027, 34.612907, 36.814545, 39.721588}),
       paper("paper, Gold 2", {32.777050, 34.612888, 36.814545, 39.721588}),
       paper("paper, CUDA 2", {32.777039, 34.612885, 36.814545, 39.721592})},
      {"The paper's picture is Barbara in four sizes; ours is doubled (bilinear) from the first size. "
       "The paper does not print its quantiser table; ours is Table K.1 of ITU-T T.81."},
      6};
  PaperTable consistency = {"dct8x8.consistency",
                            kPaper,
                            "Table 2: PSNR between CPU and CUDA, dB (50 is the paper's criterion)",
                            sizes,
                            {paper("paper, 1", {58.613663, 62.188042, 62.834183, 63.089985}),
                             paper("paper, 2", {63.903233, 66.192337, 66.547394, 68.100159})},
                            {},
                            6};
  PaperTable times = {"dct8x8.times", kPaper, "Times, ms (the paper prints none)", sizes, {}, {}, 4};
  times.notes.emplace_back(
      "CPU: one core, plain loops. CUDA: each kernel alone, 20 launches in a row; copies of 8-bit "
      "samples from and to pinned memory.");
  for (size_t i = 0; i < std::size(kVariants); ++i) {
    const std::string name = kVariants[i].name;
    original.rows.push_back({"here, Gold " + name, true, measured[i].gold_psnr});
    if (settings.gpu != nullptr) {
      original.rows.push_back({"here, CUDA " + name, true, measured[i].cuda_psnr});
      consistency.rows.push_back({"here, " + name, true, measured[i].consistency});
    }
    for (const VariantRows::Part& part : measured[i].parts) {
      if (part.on_cpu) times.rows.push_back({std::string("CPU ") + name + ", " + part.name, true, part.cpu});
      if (settings.gpu != nullptr)
        times.rows.push_back({std::string("CUDA ") + name + ", " + part.name, true, part.gpu});
    }
  }
  for (PaperTable* table : {&original, &consistency, &times}) {
    if (settings.gpu == nullptr) table->notes.push_back("No CUDA rows: " + settings.no_gpu);
    report.tables.push_back(std::move(*table));
  }
}

}  // namespace ctv::lab
