// SPDX-License-Identifier: BSD-3-Clause
// The loop filter of a plane (codec/dsp/loop_filter.hpp).
#pragma once

#include <cstdint>

#include "codec/backend/backend.hpp"

namespace ctv {

/// See Backend::filter_change().
int64_t filter_change(int threads, PlaneView<const Sample> source, PlaneView<const Sample> samples,
                      const LoopFilter& filter, const FilteredCells& cells);
/// See Backend::filter().
void filter_plane(int threads, PlaneView<const Sample> from, const LoopFilter& filter,
                  const FilteredCells& cells, PlaneView<Sample> to);

}  // namespace ctv
