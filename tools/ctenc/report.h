// SPDX-License-Identifier: BSD-3-Clause
// What ctenc says at the end: for people, and as JSON.
#pragma once

#include <string>

#include "ctenc/encode.h"

namespace ctv::tools {

/// Whether key frames are lifted along contours: without the 9/7 pyramid or picture prediction the library
/// leaves them as they are.
bool lifts_along_contours(const ctv_config& config);

std::string encode_summary(const EncodeOptions& options, const EncodeResult& result);
/// What there is to say if --bitrate was asked for and missed; "" if not.
std::string missed_bitrate(const EncodeResult& result);
std::string encode_json(const EncodeOptions& options, const EncodeResult& result);

}  // namespace ctv::tools
