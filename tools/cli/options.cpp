// SPDX-License-Identifier: BSD-3-Clause
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/text.h"

namespace ctv::tools {

struct Options::Parser {
  CLI::App app;
};

Options::Options(ToolText text) : parser_(std::make_unique<Parser>()), text_(std::move(text)) {
  CLI::App& app = parser_->app;
  app.name(text_.name);
  app.set_help_flag();  // added below, so that it is listed like the others
}

Options::~Options() = default;

void Options::section(const std::string& title) { section_ = title; }

void Options::add(OptionText option, Set set) {
  option.section = section_;
  CLI::App& app = parser_->app;
  const bool flag = option.metavar.empty() && !option.positional;
  CLI::Option* added = nullptr;
  if (flag) {
    added = app.add_flag_callback(
        option.names, [set] { set(""); }, option.help);
  } else {
    added = app.add_option_function<std::string>(option.names, set, option.help);
    added->type_name(option.positional ? "" : option.metavar);
    added->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  if (!option.positional) added->group(section_);
  list_.push_back(std::move(option));
}

void Options::positional(const std::string& name, const std::string& help, Set set) {
  OptionText option;
  option.names = name;
  option.help = help;
  option.positional = true;
  option.kind = ValueKind::kFile;
  add(std::move(option), std::move(set));
}

void Options::flag(const std::string& names, const std::string& help, std::function<void()> set) {
  OptionText option;
  option.names = names;
  option.help = help;
  add(std::move(option), [set](const std::string&) { set(); });
}

void Options::value(const std::string& names, const std::string& metavar, const std::string& help, Set set,
                    ValueKind kind) {
  OptionText option;
  option.names = names;
  option.metavar = metavar;
  option.help = help;
  option.kind = kind;
  add(std::move(option), std::move(set));
}

void Options::integer(const std::string& names, const std::string& metavar, const std::string& help,
                      int64_t minimum, int64_t maximum, std::function<void(int64_t)> set) {
  value(names, metavar, help, [=](const std::string& s) {
    const auto number = parse_integer(s, minimum, maximum);
    if (!number)
      throw Failure(Exit::kUsage, names + ": '" + s + "' is not a whole number",
                    text("%lld to %lld", static_cast<long long>(minimum), static_cast<long long>(maximum)));
    set(*number);
  });
}

void Options::named(const std::string& names, const std::vector<std::string>& list, const std::string& help,
                    std::function<void(size_t)> set) {
  OptionText option;
  option.names = names;
  for (const std::string& name : list) option.metavar += (option.metavar.empty() ? "" : "|") + name;
  option.help = help;
  option.kind = ValueKind::kChoice;
  option.choices = list;
  const std::string all = option.metavar;
  add(std::move(option), [=](const std::string& s) {
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i] == s) return set(i);
    throw Failure(Exit::kUsage, names + ": '" + s + "' is not known", all);
  });
}

bool Options::parse(int argc, const char* const* argv) {
  section("General");
  std::string print;
  flag("-h,--help", "Print this help", [&] { print = help_text(text_, list_); });
  flag("--version", "Print the version", [&] { print = text_.name + " (ctv) " + ctv_version() + "\n"; });
  // For packagers; hidden, and left out of the lists they print.
  CLI::App& app = parser_->app;
  app.add_flag_callback("--help-man", [&] { print = man_page(text_, list_); })->group("");
  app.add_option_function<std::string>(
         "--completion",
         [&](const std::string& shell) { print = ctv::tools::completion(shell, text_, list_); })
      ->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    throw Failure(Exit::kUsage, e.what(), "see " + text_.name + " --help");
  }
  if (print.empty()) return true;
  std::fwrite(print.data(), 1, print.size(), stdout);
  if (std::fflush(stdout) != 0) throw Failure(Exit::kFile, "cannot write standard output");
  return false;
}

}  // namespace ctv::tools
