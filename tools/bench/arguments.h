// SPDX-License-Identifier: BSD-3-Clause
// Two habits of benchmark commands that the tools' option parser does not know: any number of positional
// arguments, and options that may be given several times. Both are taken out of the command line before the
// parser sees it.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"

namespace ctv::tools {

struct Arguments {
  std::vector<std::string> positional;
  std::vector<const char*> rest;                   // argv for Options::parse; points into argv
  std::vector<std::vector<std::string>> repeated;  // per name asked for, its values in order
};

/// `options` tells which names take a value. Strings of argv must outlive the result.
Arguments take_arguments(int argc, const char* const* argv, const Options& options,
                         const std::vector<std::string>& repeated_names);

}  // namespace ctv::tools
