// SPDX-License-Identifier: BSD-3-Clause
// What ctenc says at the end: for people, and as JSON.
#pragma once

#include <string>

#include "ctenc/encode.h"

namespace ctv::tools {

std::string encode_summary(const EncodeOptions& options, const EncodeResult& result);
std::string encode_json(const EncodeOptions& options, const EncodeResult& result);

}  // namespace ctv::tools
