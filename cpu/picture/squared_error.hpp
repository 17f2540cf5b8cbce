// SPDX-License-Identifier: BSD-3-Clause
// Sum of squared differences of two planes.
#pragma once

#include <cstdint>

#include "codec/util/types.hpp"

namespace ctv {

/// Sum of (a - b)^2 over two planes of the same extent.
uint64_t squared_error(int threads, PlaneView<const Sample> a, PlaneView<const Sample> b);

}  // namespace ctv
