// SPDX-License-Identifier: BSD-3-Clause
// Checks the files that a command reads and writes before any is opened.
#pragma once

#include <string>
#include <vector>

namespace ctv::tools {

/// Throws a usage error if an output is also an input, under any name, or if an output or standard input is
/// given twice. Ignores empty names, "null" and devices; "-" is standard input or output.
void check_files(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

}  // namespace ctv::tools
