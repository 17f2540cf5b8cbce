// SPDX-License-Identifier: BSD-3-Clause
// The loop filter of a plane (codec/dsp/loop_filter.hpp).
#pragma once

#include <cstdint>

#include "codec/backend/backend.hpp"

namespace ctv {

/// See Backend::filter_changes().
void filter_changes(int threads, std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                    int64_t* changes);
/// See Backend::filter(); works in place.
void filter_plane(int threads, PlaneView<Sample> samples, const LoopFilter& filter,
                  const FilteredCells& cells, PlaneView<Sample> spare);

}  // namespace ctv
