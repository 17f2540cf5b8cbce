// SPDX-License-Identifier: BSD-3-Clause
// The search for the slopes of a key frame.
#pragma once

#include <cstdint>
#include <span>

#include "codec/dsp/quantise.hpp"
#include "codec/util/status.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Owns its workspace.
class SlopeEstimator {
 public:
  virtual ~SlopeEstimator() = default;
  // Finds slopes for the transform of samples - dc_offset (slope_decisions.hpp). samples: luma, padded
  // extent. quantisers: those of the coefficients, one per subband. slopes: an array of SlopeGrid.
  virtual Status search(PlaneView<const Sample> samples, int dc_offset,
                        std::span<const SubbandQuantiser> quantisers, int8_t* slopes) = 0;
};

}  // namespace ctv
