// SPDX-License-Identifier: BSD-3-Clause
// What `ctbench pictures` makes its pictures with.
#pragma once

#include <string>
#include <vector>

#include "io/frame.h"

namespace ctv::tools {

/// RFC 4648.
std::string base64(const std::vector<uint8_t>& bytes);
/// The middle of a frame as RGB, no larger than the frame.
Frame middle_of(const Frame& frame, int32_t width, int32_t height);

}  // namespace ctv::tools
