// SPDX-License-Identifier: BSD-3-Clause
// The CPU's side of both variants, block after block on one core.
#include <cmath>

#include "bench/lab/dct8x8/arithmetic.hpp"
#include "bench/lab/dct8x8/dct8x8.hpp"

namespace ctv::lab {
namespace {

using Block = std::array<float, 64>;

// A^T X A, or back A X A^T.
template <bool kInverse>
void by_definition(Block& x) {
  static const Block waveforms = cosine_waveforms();
  const auto wave = [](size_t i, size_t k) { return waveforms[kInverse ? k * 8 + i : i * 8 + k]; };
  Block half{};
  for (size_t i = 0; i < 64; ++i)
    for (size_t k = 0; k < 8; ++k) half[i] += wave(i / 8, k) * x[k * 8 + i % 8];
  x = {};
  for (size_t i = 0; i < 64; ++i)
    for (size_t k = 0; k < 8; ++k) x[i] += half[i / 8 * 8 + k] * wave(i % 8, k);
}

// Columns, then rows; back the other way round.
template <bool kInverse>
void separable(Block& x) {
  for (int i = 0; i < 8; ++i) transform_line<kInverse>(x.data() + i * (kInverse ? 8 : 1), kInverse ? 1 : 8);
  for (int i = 0; i < 8; ++i) transform_line<kInverse>(x.data() + i * (kInverse ? 1 : 8), kInverse ? 8 : 1);
}

}  // namespace

GrayImage dct8x8_on_cpu(DctVariant variant, const GrayImage& image) {
  const bool definition = variant == DctVariant::kDefinition;
  GrayImage result = image;
  for (int row = 0; row < image.height; row += 8)
    for (int col = 0; col < image.width; col += 8) {
      const auto at = [&](size_t i) {
        const int r = row + static_cast<int>(i / 8), c = col + static_cast<int>(i % 8);
        return static_cast<size_t>(r) * static_cast<size_t>(image.width) + static_cast<size_t>(c);
      };
      Block block{};
      for (size_t i = 0; i < 64; ++i) block[i] = value_of(image.samples[at(i)]);
      definition ? by_definition<false>(block) : separable<false>(block);
      for (size_t i = 0; i < 64; ++i) block[i] = requantised(block[i], kQuantiserSteps[i]);
      definition ? by_definition<true>(block) : separable<true>(block);
      for (size_t i = 0; i < 64; ++i) result.samples[at(i)] = result_of<uint8_t>(block[i]);
    }
  return result;
}

double psnr(const GrayImage& a, const GrayImage& b) {
  double squares = 0;
  for (size_t i = 0; i < a.samples.size(); ++i) {
    const int difference = a.samples[i] - b.samples[i];
    squares += difference * difference;
  }
  const double mse = squares / static_cast<double>(a.samples.size());
  return 20 * std::log10(255 / std::sqrt(mse));
}

}  // namespace ctv::lab
