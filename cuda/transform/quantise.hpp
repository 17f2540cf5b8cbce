// SPDX-License-Identifier: BSD-3-Clause
// Coefficients of a band to levels of its subbands, and the inverse, where the pyramid's kernels do not do
// it: launchers.
#pragma once

#include <span>
#include <vector>

#include "codec/dsp/quantise.hpp"
#include "codec/format/directional_plan.hpp"
#include "codec/format/subband_layout.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/samples.hpp"

namespace ctv::cuda {

inline constexpr int kMaxGatheredSubbands = 3 << kMaxDirectionsLog2;

/// Position of a subband's samples in the bands' buffer.
struct GatheredSubband {
  int base;                    // index of the band's first sample
  int row, col;                // of the first sample in the band
  int row_stride, col_stride;  // distance of samples in the band
  int quincunx;  // 1: odd rows begin one column later (even coset) or earlier (odd coset): col ^ (row & 1)
  int rows, cols;
  int offset;  // index of its first level in the plane's array
};

/// The subbands of one pyramid scale, made once. Quantisers change with every frame.
struct GatheredScale {
  int count = 0;
  int band_cols = 0;
  int max_rows = 0, max_cols = 0;
  GatheredSubband subbands[kMaxGatheredSubbands];
};

/// The quantisers of a scale, as a kernel argument.
struct LevelQuantisers {
  SubbandQuantiser of[kMaxGatheredSubbands];
};
LevelQuantisers as_parameter(std::span<const SubbandQuantiser> quantisers);

/// subbands: those of one scale, in the layout's order; their bands are contiguous in one buffer.
GatheredScale gather_level(std::span<const Subband> subbands, int directions_log2, Extent band);

Status quantise_scale(Device& device, const GatheredScale& scale,
                      std::span<const SubbandQuantiser> quantisers, const Coefficient* bands, Level* levels);
Status dequantise_scale(Device& device, const GatheredScale& scale,
                        std::span<const SubbandQuantiser> quantisers, const Level* levels,
                        Coefficient* bands);

/// Samples minus prediction as coefficients, and the inverse: for pyramids that do not fuse it, and for the
/// lowpass alone.
Status subtract_prediction(Device& device, const PlaneSource& source, Extent extent,
                           Coefficient* coefficients);
Status add_prediction(Device& device, const Coefficient* coefficients, Extent extent,
                      const PlaneTarget& target);

}  // namespace ctv::cuda
