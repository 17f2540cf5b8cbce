// SPDX-License-Identifier: BSD-3-Clause
// The block transforms (DCT 8x8, H.264 4x4 and 8x8) and their quantisers on the CPU.
#pragma once

#include <memory>

#include "codec/backend/transform_coder.hpp"
#include "codec/format/subband_layout.hpp"

namespace ctv {

std::unique_ptr<TransformCoder> make_cpu_block_transform(const SubbandLayout& layout, int threads);

}  // namespace ctv
