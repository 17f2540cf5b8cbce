// SPDX-License-Identifier: BSD-3-Clause
// The transforms and their quantisers on the CPU.
#pragma once

#include <memory>

#include "codec/backend/backend.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// Results do not depend on the engine or the number of threads. Block transforms have one engine, whatever
/// is asked for. CTV_ERROR_UNSUPPORTED for engines that this build does not have.
Result<std::unique_ptr<TransformCoder>> make_cpu_transform(const SubbandLayout& layout, Engine engine,
                                                           int threads);

/// Whether make_cpu_transform has the engine; the message says why not.
Status check_cpu_engine(Engine engine);

}  // namespace ctv
