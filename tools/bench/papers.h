// SPDX-License-Identifier: BSD-3-Clause
// The experiments of the papers that this codec builds on (tools/bench/lab), on this machine.
#pragma once

#include <string>
#include <vector>

#include "bench/lab/experiments.hpp"

namespace ctv::tools {

/// "NAME:BLOCKS4,BLOCKS8,MACROBLOCKS8", shares 0..1. Throws Failure(kUsage).
lab::IdctMode parse_mode(const std::string& text);

}  // namespace ctv::tools
