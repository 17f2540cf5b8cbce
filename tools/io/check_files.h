// SPDX-License-Identifier: BSD-3-Clause
// What a command reads and writes, before any of it is opened.
#pragma once

#include <string>
#include <vector>

namespace ctv::tools {

/// Throws a usage error if an output is one of the inputs, under whatever name, or is asked for twice,
/// or standard input is.
/// Empty names, "null" and devices are nothing; "-" is standard input or standard output.
void check_files(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

}  // namespace ctv::tools
