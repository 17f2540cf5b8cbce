// SPDX-License-Identifier: BSD-3-Clause
// The search for slopes on the CPU.
#pragma once

#include <memory>

#include "codec/backend/slope_estimator.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/util/stage_times.hpp"

namespace ctv {

Result<std::unique_ptr<SlopeEstimator>> make_cpu_slopes(const SubbandLayout& luma, int threads,
                                                        StageTimes& times);

}  // namespace ctv
