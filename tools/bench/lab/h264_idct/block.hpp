// SPDX-License-Identifier: BSD-3-Clause
// What a line of a block becomes, by its length; shared by the CPU and the GPU.
#pragma once

#include <cstdint>

#include "codec/dsp/h264.hpp"

namespace ctv::lab {

CTV_HOST_DEVICE void inverse_line(const int32_t (&y)[4], int32_t (&x)[4]) { inverse_h264_4(y, x); }
CTV_HOST_DEVICE void inverse_line(const int32_t (&y)[8], int32_t (&x)[8]) { inverse_h264_8(y, x); }

/// After both directions, 64ths of a sample.
CTV_HOST_DEVICE int16_t rounded_residual(int32_t sum) { return static_cast<int16_t>((sum + 32) >> 6); }

}  // namespace ctv::lab
