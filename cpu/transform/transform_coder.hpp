// SPDX-License-Identifier: BSD-3-Clause
// The transforms and their quantisers on the CPU.
#pragma once

#include <memory>

#include "codec/backend/transform_coder.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// Makes the transform of a plane. Results do not depend on threads.
Result<std::unique_ptr<TransformCoder>> make_cpu_transform(const SubbandLayout& layout, int threads);

}  // namespace ctv
