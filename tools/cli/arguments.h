// SPDX-License-Identifier: BSD-3-Clause
// Splits a command line. The tools' parser supports neither any number of positional arguments nor options
// that may be given several times.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"

namespace ctv::tools {

struct Arguments {
  std::vector<std::string> positional;
  std::vector<const char*> rest;  // argv for Options::parse; points into argv
};
/// `repeated`: names of options and the destinations of their values. Strings of argv must outlive the
/// result.
Arguments take_arguments(int argc, const char* const* argv, const Options& options,
                         const std::vector<std::pair<std::string, std::vector<std::string>*>>& repeated);

}  // namespace ctv::tools
