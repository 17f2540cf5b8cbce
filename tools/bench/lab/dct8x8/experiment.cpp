// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "bench/lab/experiments.hpp"
#include "bench/lab/gpu.hpp"

namespace ctv::lab {
namespace {

constexpr const char* kPaper = "Obukhov and Kharlamov 2008";
constexpr double kConsistent = 50;  // dB, section 4

constexpr std::pair<DctVariant, const char*> kVariants[] = {{DctVariant::kDefinition, "1, by definition"},
                                                            {DctVariant::kSeparable, "2, separable"}};

}  // namespace

void measure_dct8x8(Lab& lab, std::span<const GrayImage> images) {
  std::vector<std::string> sizes;
  for (const GrayImage& image : images)
    sizes.push_back(std::to_string(image.width) + "x" + std::to_string(image.height));
  // The paper's figures are of Barbara in 512x512 to 4Kx4K; a quick run has the first size alone.
  const auto paper = [&](const char* label, std::initializer_list<double> figures) {
    const auto count = static_cast<std::ptrdiff_t>(std::min(sizes.size(), figures.size()));
    return PaperTable::Row{label, {figures.begin(), figures.begin() + count}};
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
  for (const auto& [variant, variant_name] : kVariants) {
    const std::string name = variant_name;
    PaperTable::Row gold_row = {"here, Gold " + name, {}}, cuda_row = {"here, CUDA " + name, {}},
                    consistency_row = {"here, " + name, {}};
    for (size_t i = 0; i < images.size(); ++i) {
      const std::string what = "dct8x8 " + name + ", " + sizes[i];
      lab.progress(what);
      const GrayImage gold = dct8x8_on_cpu(variant, images[i]);
      gold_row.values.emplace_back(psnr(images[i], gold));
      if (!lab.gpu) continue;
      GrayImage cuda;
      if (!lab.came_back(what, dct8x8_on_gpu(variant, images[i], cuda))) continue;
      const double decibels = psnr(gold, cuda);
      cuda_row.values.emplace_back(psnr(images[i], cuda));
      consistency_row.values.emplace_back(decibels);
      lab.checks.push_back({what + ": CPU and CUDA at least 50 dB", decibels >= kConsistent,
                            std::to_string(decibels) + " dB"});
    }
    original.rows.push_back(gold_row);
    if (!lab.gpu) continue;
    original.rows.push_back(cuda_row);
    consistency.rows.push_back(consistency_row);
  }
  lab.tables.push_back(std::move(original));
  lab.tables.push_back(std::move(consistency));
}

}  // namespace ctv::lab
