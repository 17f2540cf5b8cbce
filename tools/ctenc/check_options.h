// SPDX-License-Identifier: BSD-3-Clause
// Checks that need the whole command line: options that exclude each other, and options without effect, which
// are refused.
#pragma once

#include "ctenc/options.h"

namespace ctv::tools {

/// Completes the options (the input of --generate). Throws Failure(kUsage).
void check_encode_options(EncodeOptions& encode);
/// Checks coding options against what they come to over the preset. Throws Failure(kUsage).
void check_config(const EncodeOptions& encode, const ctv_config& config);
/// Warns about options without effect on this input.
void warn_about_input(const EncodeOptions& encode, const VideoFormat& video);

}  // namespace ctv::tools
