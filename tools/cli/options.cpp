// SPDX-License-Identifier: BSD-3-Clause
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "cli/commit.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

std::string long_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

struct Options::Parser {
  CLI::App app;
};

Options::Options(ToolText text) : parser_(std::make_unique<Parser>()), text_(std::move(text)) {
  CLI::App& app = parser_->app;
  app.name(text_.name);
  app.set_help_flag();  // added below, to be listed like the others
  app.allow_extras();   // refused below, with our own message
}

Options::~Options() = default;

void Options::section(const std::string& title) { section_ = title; }

void Options::add(OptionText option, Set set) {
  option.section = section_;
  CLI::App& app = parser_->app;
  set = [this, name = long_name(option.names), act = std::move(set)](const std::string& s) {
    given_.insert(name);
    act(s);
  };
  const bool flag = option.metavar.empty() && !option.positional;
  CLI::Option* added = nullptr;
  if (flag) {
    added = app.add_flag_callback(
        option.names, [set] { set(""); }, option.help);
  } else if (option.repeatable) {
    added = app.add_option_function<std::vector<std::string>>(
        option.names, [set](const std::vector<std::string>& all) { std::ranges::for_each(all, set); },
        option.help);
    added->type_name(option.metavar)->allow_extra_args(false);  // one value each time
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

void Options::repeated(const std::string& names, const std::string& metavar, const std::string& help,
                       Set set) {
  OptionText option;
  option.names = names;
  option.metavar = metavar;
  option.help = help + "; may be given several times";
  option.repeatable = true;
  add(std::move(option), std::move(set));
}

void Options::integer(const std::string& names, const std::string& metavar, const std::string& help,
                      int64_t minimum, int64_t maximum, std::function<void(int64_t)> set) {
  value(names, metavar, help, [=](const std::string& s) {
    const auto number = parse_integer(s, INT64_MIN, INT64_MAX);
    const std::string range = maximum == INT64_MAX ? text("%lld or more", static_cast<long long>(minimum))
                                                   : text("%lld to %lld", static_cast<long long>(minimum),
                                                          static_cast<long long>(maximum));
    if (!number) throw Failure(Exit::kUsage, names + ": '" + s + "' is not a whole number", range);
    if (*number < minimum || *number > maximum)
      throw Failure(Exit::kUsage, names + ": " + s + " is out of range", range);
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

void Options::refuse(const std::vector<std::string>& words) const {
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  if (option == words.end()) {
    const bool images = words[0].find('.') != std::string::npos;
    throw Failure(Exit::kUsage, "'" + words[0] + "' is one argument too many",
                  images ? "a sequence of images is one argument, such as img_%05d.png"
                         : "see " + text_.name + " --help");
  }
  const std::string name = option->substr(0, option->find('='));
  if (name == "-i" && !list_.empty() && list_[0].positional)
    throw Failure(Exit::kUsage, "there is no option -i", list_[0].names + " needs no option");
  std::string nearest;
  size_t best = 3;  // a larger distance is no typing error
  for (const OptionText& o : list_) {
    for (const std::string& known : split(o.names, ',')) {
      if (!known.starts_with("--") || distance(name, known) >= std::min(best, known.size() - 2)) continue;
      best = distance(name, known);
      nearest = known;
    }
  }
  if (name.size() == 2) {  // of another program, for what has a long name here
    for (const OptionText& o : list_) {
      const std::string known = long_name(o.names);
      if (known.starts_with("-" + name)) nearest += (nearest.empty() ? "" : ", ") + known;
    }
  }
  throw Failure(Exit::kUsage, "there is no option " + name,
                nearest.empty() ? "see " + text_.name + " --help" : "did you mean " + nearest + "?");
}

void exclude(const std::set<std::string>& given, std::initializer_list<const char*> names,
             const std::string& hint) {
  std::string found;
  int count = 0;
  for (const char* name : names) {
    if (!given.contains(name)) continue;
    found += (count == 0 ? "" : " and ") + std::string(name);
    ++count;
  }
  if (count > 1) throw Failure(Exit::kUsage, found + " exclude each other", hint);
}

std::string described(const OptionText& option) {
  return option.help + (option.initial.empty() ? "" : " [default: " + option.initial + "]");
}

bool Options::parse(int argc, const char* const* argv) {
  section("General");
  std::string print;
  flag("-h,--help", "Print this help", [&] { print = help_text(text_, list_); });
  flag("--version", "Print the version and the commit",
       [&] { print = text_.name + " (ctv) " + ctv_version() + ", commit " + built_commit() + "\n"; });
  // For packagers; hidden, and not in the lists that they print.
  CLI::App& app = parser_->app;
  app.add_flag_callback("--help-man", [&] { print = man_page(text_, list_); })->group("");
  app.add_option_function<std::string>(
         "--completion",
         [&](const std::string& shell) { print = ctv::tools::completion(shell, text_, list_); })
      ->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::string what = e.what();
    const std::string_view required = ": 1 required ", missing = " missing";
    if (const size_t at = what.find(required); at != std::string::npos && what.ends_with(missing))
      what.replace(at, required.size(), ": ")
          .replace(what.size() - missing.size(), missing.size(), " is missing");
    throw Failure(Exit::kUsage, what, "see " + text_.name + " --help");
  }
  std::vector<std::string> rest = app.remaining();
  // Precedes a name that begins with a hyphen; the parser keeps it.
  if (const auto at = std::find(rest.begin(), rest.end(), "--"); at != rest.end()) rest.erase(at);
  if (!rest.empty()) refuse(rest);
  if (print.empty()) return true;
  std::fwrite(print.data(), 1, print.size(), stdout);
  if (std::fflush(stdout) != 0) throw Failure(Exit::kFile, "cannot write standard output");
  return false;
}

}  // namespace ctv::tools
