// SPDX-License-Identifier: BSD-3-Clause
// Samples to coefficients in the transform's first step, and coefficients to samples in its last.
#pragma once

#include "codec/dsp/lifting.hpp"
#include "codec/format/skipped_cells.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv::cuda {

/// Input: coefficients, or (samples - prediction) << fraction_bits, 0 in skipped cells.
struct PlaneSource {
  const int16_t* data = nullptr;
  int stride = 0;
  const Sample* prediction = nullptr;  // null: `dc_offset`
  int prediction_stride = 0;
  int dc_offset = 0;
  int fraction_bits = 0;
  SkippedCells skipped{};

  CTV_HOST_DEVICE Coefficient at(int r, int c) const {
    if (skipped.holds(r, c)) return 0;
    const int x = data[r * stride + c];
    return residual(x, prediction == nullptr ? dc_offset : prediction[r * prediction_stride + c]);
  }
  CTV_HOST_DEVICE Coefficient residual(int sample, int predicted) const {
    return static_cast<Coefficient>(
        static_cast<int>(static_cast<unsigned>(sample - predicted) << fraction_bits));
  }
};

/// Output: coefficients, or samples: prediction + scaled and rounded coefficient, clamped. Coefficients are 0
/// in skipped cells.
struct PlaneTarget {
  int16_t* data = nullptr;
  int stride = 0;
  const Sample* prediction = nullptr;  // null: `dc_offset`; may be data
  int prediction_stride = 0;
  int dc_offset = 0;
  int fraction_bits = 0;
  int samples = 0;  // 0: store coefficients
  int lo = 0, hi = 0;
  int scale = kUnitScale;  // from coefficients to samples
  SkippedCells skipped{};

  CTV_HOST_DEVICE void put(int r, int c, Coefficient x) const {
    if (samples == 0) {
      data[r * stride + c] = x;
      return;
    }
    data[r * stride + c] = sample(skipped.holds(r, c) ? Coefficient{0} : x,
                                  prediction == nullptr ? dc_offset : prediction[r * prediction_stride + c]);
  }
  CTV_HOST_DEVICE Sample sample(Coefficient x, int predicted) const {
    return sample_of_scaled(scale_lowpass(x, scale), predicted);
  }
  CTV_HOST_DEVICE Sample sample_of_scaled(int x, int predicted) const {
    const int half = fraction_bits == 0 ? 0 : 1 << (fraction_bits - 1);
    return static_cast<Sample>(clamp_to(((x + half) >> fraction_bits) + predicted, lo, hi));
  }
};

CTV_HOST_DEVICE PlaneSource coefficient_source(const int16_t* data, int cols) {
  return {data, cols, nullptr, 0, 0, 0};
}
inline PlaneTarget coefficient_target(int16_t* data, int cols) {
  PlaneTarget target;
  target.data = data;
  target.stride = cols;
  return target;
}

}  // namespace ctv::cuda
