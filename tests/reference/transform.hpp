// SPDX-License-Identifier: BSD-3-Clause
// The whole transform of a plane by definition: pyramid, directions, quantiser, in the layout's order.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "codec/dsp/quantise.hpp"
#include "codec/format/subband_layout.hpp"
#include "tests/reference/directional.hpp"
#include "tests/reference/pyramid.hpp"
#include "tests/reference/slopes.hpp"

namespace ctv::reference {

inline bool is_laplacian(const SubbandLayout& layout) {
  return layout.transform.pyramid == Pyramid::kLaplacian;
}

/// Positions of a subband's coefficients in its band, row by row.
inline std::vector<std::pair<int, int>> places(const SubbandLayout& layout, const Subband& s) {
  const int n = s.scale == 0 ? 0 : layout.transform.directions_log2[static_cast<size_t>(s.scale - 1)];
  const Extent band = s.scale == 0 ? Extent{s.rows, s.cols} : layout.band(s.scale);
  if (n > 0) return subband_places(band.rows, band.cols, n, s.direction);
  std::vector<std::pair<int, int>> all;
  for (int r = 0; r < band.rows; ++r) {
    for (int c = 0; c < band.cols; ++c) all.emplace_back(r, c);
  }
  return all;
}

/// directed: log2 of the directions that the band has in this frame.
inline void put_band(const SubbandLayout& layout, int scale, int orientation, Grid band,
                     std::span<const SubbandQuantiser> quantisers, std::vector<Level>& levels,
                     int directed = 0) {
  if (directed > 0) directional(band, directed, 6, false);
  const int n = scale == 0 ? 0 : layout.transform.directions_log2[static_cast<size_t>(scale - 1)];
  if (n > 0) directional(band, n, layout.transform.pyramid_traits().taps, false);
  for (size_t i = 0; i < layout.subbands.size(); ++i) {
    const Subband& s = layout.subbands[i];
    if (s.scale != scale || s.orientation != orientation) continue;
    size_t at = s.offset;
    for (const auto& [r, c] : directed > 0 ? directed_places(s.rows, s.cols, directed) : places(layout, s)) {
      const int64_t v = band.at(r, c);
      const int64_t l = ((v < 0 ? -v : v) * quantisers[i].multiplier + quantisers[i].rounding_offset) / 65536;
      levels[at++] = static_cast<Level>(wrap16(v < 0 ? -l : l));
    }
  }
}

inline Grid get_band(const SubbandLayout& layout, int scale, int orientation,
                     std::span<const SubbandQuantiser> quantisers, const std::vector<Level>& levels,
                     int directed = 0) {
  const Extent e = scale == 0 ? Extent{layout.subbands[0].rows, layout.subbands[0].cols} : layout.band(scale);
  Grid band(e.rows, e.cols);
  for (size_t i = 0; i < layout.subbands.size(); ++i) {
    const Subband& s = layout.subbands[i];
    if (s.scale != scale || s.orientation != orientation) continue;
    size_t at = s.offset;
    for (const auto& [r, c] : directed > 0 ? directed_places(s.rows, s.cols, directed) : places(layout, s)) {
      const int l = levels[at++];
      const uint32_t scaled = static_cast<uint32_t>(l < 0 ? -l : l) * quantisers[i].step -
                              quantisers[i].reconstruction_offset + 8;
      const int64_t m = l == 0 ? 0 : std::min<int64_t>(scaled / 16, 32767);
      band.at(r, c) = l < 0 ? -m : m;
    }
  }
  const int n = scale == 0 ? 0 : layout.transform.directions_log2[static_cast<size_t>(scale - 1)];
  if (n > 0) directional(band, n, layout.transform.pyramid_traits().taps, true);
  if (directed > 0) directional(band, directed, 6, true);
  return band;
}

/// x: samples minus prediction, of the padded extent. slopes: an array of SlopeGrid, or empty.
inline std::vector<Level> forward(const SubbandLayout& layout, Grid x,
                                  std::span<const SubbandQuantiser> quantisers,
                                  std::span<const int8_t> slopes = {}) {
  std::vector<Level> levels(layout.num_coefficients);
  for (int64_t& v : x.values) v = wrap16(v * (int64_t{1} << layout.transform.fraction_bits));
  for (int scale = 1; scale <= layout.transform.scales; ++scale) {
    if (is_laplacian(layout)) {
      const Grid low = laplacian_lowpass(x);
      put_band(layout, scale, 0, add_interpolated(x, low, -1), quantisers, levels);
      x = low;
    } else {
      const Slopes own = slopes_of(layout, slopes, scale);
      const std::array<Grid, 4> bands =
          own.blocks.empty() ? wavelet_forward(x, layout.transform.pyramid) : slope_forward(x, own);
      for (int o = 1; o < 4; ++o)
        put_band(layout, scale, o, bands[static_cast<size_t>(o)], quantisers, levels,
                 directions_of(layout, slopes, scale, o));
      x = bands[0];
    }
  }
  put_band(layout, 0, 0, x, quantisers, levels);
  return levels;
}

/// Rounded samples at resolution 2^-reduction, before the prediction is added.
inline Grid inverse(const SubbandLayout& layout, const std::vector<Level>& levels,
                    std::span<const SubbandQuantiser> quantisers, int reduction,
                    std::span<const int8_t> slopes = {}) {
  Grid x = get_band(layout, 0, 0, quantisers, levels);
  for (int scale = layout.transform.scales; scale > reduction; --scale) {
    if (is_laplacian(layout)) {
      x = laplacian_inverse(get_band(layout, scale, 0, quantisers, levels), x, layout.transform.projection);
    } else {
      std::array<Grid, 4> bands;
      bands[0] = x;
      for (int o = 1; o < 4; ++o)
        bands[static_cast<size_t>(o)] =
            get_band(layout, scale, o, quantisers, levels, directions_of(layout, slopes, scale, o));
      const Slopes own = slopes_of(layout, slopes, scale);
      x = own.blocks.empty() ? wavelet_inverse(bands, layout.transform.pyramid) : slope_inverse(bands, own);
    }
  }
  if (layout.transform.pyramid == Pyramid::kWavelet9_7) {  // the lowpass has gain 1.2302 in each direction
    int64_t gain = 16384;
    for (int r = 0; r < reduction; ++r) gain = floor_shift(gain * 10826 + 8192, 14);
    for (int64_t& v : x.values) v = floor_shift(v * gain + 8192, 14);
  }
  const int shift = layout.transform.fraction_bits;
  for (int64_t& v : x.values) v = floor_shift(v + (shift > 0 ? int64_t{1} << (shift - 1) : 0), shift);
  return x;
}

}  // namespace ctv::reference
