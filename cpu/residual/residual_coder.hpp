// SPDX-License-Identifier: BSD-3-Clause
// Residual coder of the CPU (codec/backend/residual_coder.hpp).
#pragma once

#include <memory>

#include "codec/backend/residual_coder.hpp"
#include "codec/util/stage_times.hpp"

namespace ctv {

std::unique_ptr<ResidualCoder> make_cpu_residual(int threads, StageTimes& times);

}  // namespace ctv
