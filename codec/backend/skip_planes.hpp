// SPDX-License-Identifier: BSD-3-Clause
// The planes that skip decisions compare.
#pragma once

#include <array>

#include "codec/util/types.hpp"

namespace ctv {

/// All planes of the source (padded extent), and of the reference (true extent, repeated beyond) or the
/// prediction.
struct SkipPlanes {
  int planes = 0;
  ChromaShift chroma;
  int shift = 0;  // bits of a sample beyond 8
  std::array<PlaneView<const Sample>, 3> source, reference;
};

}  // namespace ctv
