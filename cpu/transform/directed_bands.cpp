// SPDX-License-Identifier: BSD-3-Clause
// A bank of four directions also serves a band with one or two: the first level of its tree is the same. Its
// rows are stored by column parity, like the levels of a band with directions: each half of a row is
// contiguous in both.
#include "cpu/transform/directed_bands.hpp"

#include "codec/util/parallel.hpp"
#include "cpu/transform/quantise.hpp"

namespace ctv {
namespace {

constexpr size_t kGrain = 1 << 14;  // fewest levels worth a thread

}  // namespace

DirectedBands::DirectedBands(const SubbandLayout& layout, int threads) : layout_(layout), threads_(threads) {
  if (!make_slope_grid(layout).directed) return;
  for (size_t i = 0; i < layout.subbands.size(); ++i) {
    const Subband& s = layout.subbands[i];
    if (s.scale != 1 || s.orientation > kDirectedBands) continue;
    bands_[static_cast<size_t>(s.orientation - 1)] = {
        i, std::make_unique<DirectionalBank>(layout.band(1), kDirectedDepth, kDirectedTaps, threads), 0};
  }
}

void DirectedBands::begin(const int8_t* slopes) {
  for (size_t i = 0; i < bands_.size(); ++i) {
    const bool may = slopes != nullptr && bands_[i].bank != nullptr;
    bands_[i].directions_log2 = may ? slopes[kSlopedScales + i] : 0;
  }
}

DirectionalBank* DirectedBands::bank(int scale, int orientation) const {
  if (scale != 1 || orientation > kDirectedBands) return nullptr;
  const Band& band = bands_[static_cast<size_t>(orientation - 1)];
  return band.directions_log2 > 0 ? band.bank.get() : nullptr;
}

template <typename Body>
void DirectedBands::for_halves(const Band& band, Body&& body) const {
  const Subband& s = layout_.subbands[band.subband];
  const int half = s.cols / 2;
  parallel_for(s.size() < kGrain ? 1 : threads_, s.rows, [&](int r) {
    const int row = directed_row(band.directions_log2, {s.rows, s.cols}, r);
    const size_t at = s.offset + static_cast<size_t>(row) * static_cast<size_t>(s.cols);
    // The first half has the samples of even columns; with two directions, in even rows only.
    const bool odd_first = band.directions_log2 == 1 && (r & 1) != 0;
    body(odd_first ? band.bank->odd_row(r) : band.bank->even_row(r), at, half);
    body(odd_first ? band.bank->even_row(r) : band.bank->odd_row(r), at + static_cast<size_t>(half), half);
  });
}

void DirectedBands::forward(int scale, std::span<const SubbandQuantiser> quantisers, Level* levels) {
  for (const Band& band : bands_) {
    if (scale != 1 || band.directions_log2 == 0) continue;
    band.bank->transform_levels(1, band.directions_log2, false);
    for_halves(band, [&](const Coefficient* half, size_t at, int count) {
      quantise_row(half, quantisers[band.subband], levels + at, count);
    });
  }
}

void DirectedBands::inverse(int scale, std::span<const SubbandQuantiser> quantisers, const Level* levels) {
  for (const Band& band : bands_) {
    if (scale != 1 || band.directions_log2 == 0) continue;
    for_halves(band, [&](Coefficient* half, size_t at, int count) {
      dequantise_row(levels + at, quantisers[band.subband], half, count);
    });
    band.bank->transform_levels(1, band.directions_log2, true);
  }
}

}  // namespace ctv
