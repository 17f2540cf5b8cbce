// SPDX-License-Identifier: BSD-3-Clause
#include "bench/arguments.h"

#include <algorithm>
#include <string_view>

#include "cli/text.h"

namespace ctv::tools {
namespace {

bool takes_value(const Options& options, std::string_view name) {
  if (name == "--completion") return true;
  for (const OptionText& o : options.list()) {
    if (o.positional || o.metavar.empty()) continue;
    const std::vector<std::string> names = split(o.names, ',');
    if (std::find(names.begin(), names.end(), name) != names.end()) return true;
  }
  return false;
}

}  // namespace

Arguments take_arguments(int argc, const char* const* argv, const Options& options,
                         const std::vector<std::string>& repeated_names) {
  Arguments taken;
  taken.repeated.resize(repeated_names.size());
  if (argc > 0) taken.rest.push_back(argv[0]);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") {
      for (++i; i < argc; ++i) taken.positional.emplace_back(argv[i]);
      break;
    }
    if (word.size() < 2 || word[0] != '-') {
      taken.positional.emplace_back(word);
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name(word.substr(0, equals));
    const auto repeated = std::find(repeated_names.begin(), repeated_names.end(), name);
    if (repeated != repeated_names.end()) {
      if (equals == std::string_view::npos && i + 1 >= argc)
        throw Failure(Exit::kUsage, name + " needs a value", "see --help");
      const std::string value(equals == std::string_view::npos ? std::string_view(argv[++i])
                                                               : word.substr(equals + 1));
      taken.repeated[static_cast<size_t>(repeated - repeated_names.begin())].push_back(value);
      continue;
    }
    taken.rest.push_back(argv[i]);
    if (equals == std::string_view::npos && takes_value(options, name) && i + 1 < argc)
      taken.rest.push_back(argv[++i]);
  }
  return taken;
}

}  // namespace ctv::tools
