// SPDX-License-Identifier: BSD-3-Clause
// The final report of ctenc: as text and as JSON.
#pragma once

#include <string>

#include "ctenc/encode.h"

namespace ctv::tools {

/// Whether key frames are lifted along slopes: the library ignores it without the 9/7 pyramid or picture
/// prediction.
bool lifts_along_contours(const ctv_config& config);

std::string encode_summary(const EncodeOptions& options, const EncodeResult& result);
/// A message if --bitrate was given and missed; "" otherwise.
std::string missed_bitrate(const EncodeResult& result);
std::string encode_json(const EncodeOptions& options, const EncodeResult& result);

}  // namespace ctv::tools
