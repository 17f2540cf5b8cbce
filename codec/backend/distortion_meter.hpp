// SPDX-License-Identifier: BSD-3-Clause
// The squared error of a plane, for decisions of the rate control.
#pragma once

#include <cstdint>

#include "codec/util/status.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Asynchronous sum of squared differences of two planes. Each object has at most one pending result.
class DistortionMeter {
 public:
  virtual ~DistortionMeter() = default;
  /// Starts the sum of (a - b)^2 over two planes of the same extent; exact for all samples. Drops a pending
  /// result.
  virtual Status measure(PlaneView<const Sample> a, PlaneView<const Sample> b) = 0;
  /// Waits for the last measurement.
  virtual Status finish(uint64_t& sum) = 0;
};

}  // namespace ctv
