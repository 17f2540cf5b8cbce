// SPDX-License-Identifier: BSD-3-Clause
// Chooses directions by trial: they cost bits on smooth content and save bits on texture.
#pragma once

#include "codec/util/status.hpp"

namespace ctv {

Status choose_transform(ctv_config& config, const ctv_picture& picture);

}  // namespace ctv
