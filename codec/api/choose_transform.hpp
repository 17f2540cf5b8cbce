// SPDX-License-Identifier: BSD-3-Clause
// Directions cost bits on smooth content and save them on texture: choose by trying.
#pragma once

#include "codec/util/status.hpp"

namespace ctv {

Status choose_transform(ctv_config& config, const ctv_picture& picture);

}  // namespace ctv
