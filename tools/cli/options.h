// SPDX-License-Identifier: BSD-3-Clause
// A tool's options, described once: CLI11 parses them, and the same descriptions become --help, the man page
// (--help-man) and the shells' completions (--completion bash|zsh|fish). Only this header's source includes
// CLI11.
#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit.h"

namespace ctv::tools {

/// Kind of completion for an option's value.
enum class ValueKind { kText, kFile, kChoice };

struct OptionText {
  std::string names;    // "-o,--output"; "INPUT" for a positional argument
  std::string metavar;  // "FILE"; "" for a flag
  std::string help;
  std::string section;
  std::string initial;  // value if the option is not given; "": none to show
  ValueKind kind = ValueKind::kText;
  std::vector<std::string> choices;
  bool positional = false;
  bool repeatable = false;
};

struct ToolText {
  std::string name;                                           // "ctenc"
  std::string summary;                                        // one line
  std::string description;                                    // paragraphs for --help and the man page
  std::vector<std::pair<std::string, std::string>> examples;  // command, what it does
  std::string operands = "";                                  // "[CLIP...]": taken by take_arguments()
  std::vector<std::string> verbs = {};                        // of ctbench, each with options of its own
};

class Options {
 public:
  using Set = std::function<void(const std::string&)>;

  explicit Options(ToolText text);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  /// ToolText::operands, where they are known later.
  void operands(const std::string& words) { text_.operands = words; }
  /// Heading of the options that follow.
  void section(const std::string& title);
  void positional(const std::string& name, const std::string& help, Set set);
  void flag(const std::string& names, const std::string& help, std::function<void()> set);
  /// Sets the text for the case that the last option is not given.
  void initially(const std::string& value) { list_.back().initial = value; }
  /// An option with a value. `set` throws Failure(kUsage) for an invalid one.
  void value(const std::string& names, const std::string& metavar, const std::string& help, Set set,
             ValueKind kind = ValueKind::kText);
  /// The same, which may be given several times.
  void repeated(const std::string& names, const std::string& metavar, const std::string& help, Set set);
  void integer(const std::string& names, const std::string& metavar, const std::string& help, int64_t minimum,
               int64_t maximum, std::function<void(int64_t)> set);
  /// An option with a name from a table.
  template <class Table, class F>
  void choice(const std::string& names, const Table& table, const std::string& help, F set) {
    std::vector<std::string> list;
    for (const auto& row : table) list.push_back(row.name);
    named(names, list, help, [&table, set](size_t i) { set(table[i].value); });
  }
  /// An option with a name from a list.
  void named(const std::string& names, const std::vector<std::string>& list, const std::string& help,
             std::function<void(size_t)> set);

  /// Parses the arguments. True: continue. False: --help, --version and the like were handled.
  bool parse(int argc, const char* const* argv);

  const std::vector<OptionText>& list() const { return list_; }
  /// The long names of the given options.
  const std::set<std::string>& given() const { return given_; }

 private:
  void add(OptionText option, Set set);
  [[noreturn]] void refuse(const std::vector<std::string>& words) const;
  struct Parser;
  std::unique_ptr<Parser> parser_;
  ToolText text_;
  std::vector<OptionText> list_;
  std::set<std::string> given_;
  std::string section_ = "Options";
};

/// Throws Failure(kUsage) if more than one of these options is given.
void exclude(const std::set<std::string>& given, std::initializer_list<const char*> names,
             const std::string& hint = "choose one");

/// An option's help, including its default.
std::string described(const OptionText& option);

/// Text of --help, wrapped for a terminal.
std::string help_text(const ToolText& tool, const std::vector<OptionText>& options);
/// The man page in roff, section 1.
std::string man_page(const ToolText& tool, const std::vector<OptionText>& options);
/// A completion script; shell is "bash", "zsh" or "fish".
std::string completion(const std::string& shell, const ToolText& tool,
                       const std::vector<OptionText>& options);

}  // namespace ctv::tools
