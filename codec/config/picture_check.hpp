// SPDX-License-Identifier: BSD-3-Clause
// Checks a caller's picture against the stream.
#pragma once

#include "codec/format/picture_layout.hpp"
#include "codec/util/status.hpp"

namespace ctv {

Status check_picture_for(const PictureLayout& layout, const ctv_picture& picture, ctv_backend backend);

}  // namespace ctv
