// SPDX-License-Identifier: BSD-3-Clause
// Formats of cameras and screens that encoders take and decoders do not give. Their samples are written anew
// in an arrangement that backends read.
#pragma once

#include <ctv/ctv.h>

#include <cstdint>
#include <vector>

namespace ctv {

/// The arrangement that a format is rewritten in; formats that backends read are their own.
ctv_format plain_format(ctv_format format);
/// A picture in its plain format, with `samples` if it is another. Planes that need no change stay.
ctv_picture plain_picture(const ctv_picture& picture, std::vector<uint8_t>& samples);

}  // namespace ctv
