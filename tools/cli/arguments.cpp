// SPDX-License-Identifier: BSD-3-Clause
#include "cli/arguments.h"

#include <algorithm>
#include <string_view>

#include "cli/exit.h"
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
                         const std::vector<std::pair<std::string, std::vector<std::string>*>>& repeated) {
  Arguments taken;
  if (argc > 0) taken.rest.push_back(argv[0]);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") {
      taken.positional.insert(taken.positional.end(), argv + i + 1, argv + argc);
      break;
    }
    if (word.size() < 2 || word[0] != '-') {
      taken.positional.emplace_back(word);
      continue;
    }
    const size_t equals = word.find('=');
    const bool apart = equals == std::string_view::npos;  // the value is the next word
    const std::string name(word.substr(0, equals));
    const auto found =
        std::find_if(repeated.begin(), repeated.end(), [&](auto& r) { return r.first == name; });
    if (found != repeated.end()) {
      if (apart && i + 1 >= argc) throw Failure(Exit::kUsage, name + " needs a value", "see --help");
      found->second->emplace_back(apart ? std::string_view(argv[++i]) : word.substr(equals + 1));
      continue;
    }
    taken.rest.push_back(argv[i]);
    if (apart && takes_value(options, name) && i + 1 < argc) taken.rest.push_back(argv[++i]);
  }
  return taken;
}

}  // namespace ctv::tools
