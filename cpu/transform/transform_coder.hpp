// SPDX-License-Identifier: BSD-3-Clause
// The transforms and their quantisers on the CPU.
#pragma once

#include <memory>

#include "codec/backend/transform_coder.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// Makes the transform of a plane. Results do not depend on engine and threads. Block transforms have one
/// engine and ignore the parameter. Returns CTV_ERROR_UNSUPPORTED for engines that this build lacks.
Result<std::unique_ptr<TransformCoder>> make_cpu_transform(const SubbandLayout& layout, Engine engine,
                                                           int threads);

/// Whether make_cpu_transform() has the engine; the message says why not.
Status check_cpu_engine(Engine engine);

}  // namespace ctv
