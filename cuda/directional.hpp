// SPDX-License-Identifier: BSD-3-Clause
// The directional filter bank on bands in device memory: launchers.
#pragma once

#include "codec/base/types.hpp"
#include "codec/transform/directional_plan.hpp"
#include "cuda/device.hpp"

namespace ctv::cuda {

/// Bands of one extent, one after the other without gaps.
struct Bands {
  Coefficient* data = nullptr;  // [count][rows][cols]
  int rows = 0, cols = 0;
  int count = 0;
};

/// In place; taps 2, 4, 6, 8 or 12.
Status directional_forward(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps);
Status directional_inverse(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps);

}  // namespace ctv::cuda
