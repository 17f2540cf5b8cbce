// SPDX-License-Identifier: BSD-3-Clause
// Common to all verbs of ctbench: options, the progress line, the document, and the end of a run.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/coding.h"
#include "bench/machine.h"
#include "cli/arguments.h"

namespace ctv::tools {

/// Functions of a verb; only `measure` is required.
struct Steps {
  std::function<void()> check = {};         // checks the whole command line; throws Failure
  std::function<void(Json&)> measure = {};  // fills the document; after Interrupted its content is kept
  std::function<std::string(const Json&)> defect = {};  // "", or the reason for exit code 70
};

class Measurement {
 public:
  using Examples = std::vector<std::pair<std::string, std::string>>;
  Measurement(const char* verb, const char* summary, const char* description, Examples examples);
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

  // Options; each stores into `value`, whose initial content is the default shown by --help.
  Options options;
  void count(const char* name, const std::string& what, int64_t least, int64_t most, int64_t& value);
  void real(const char* name, const std::string& what, double least, double most, double& value);
  void extent(const char* name, const std::string& what, Size& value);
  void variant_option();
  void repeated(const char* name, const char* metavar, const char* help, std::vector<std::string>& values);
  /// ctenc's options of how the codec runs.
  void run_options(std::initializer_list<const char*> names);
  /// --size, --variant, --frames, --runs, and those of ctenc's options that are not `fixed`: one clip in one
  /// size, and how it is coded.
  void clip_options();

  size_t most_clips = 1;
  /// ctenc's options that the verb sets itself: they are neither options of the verb nor allowed in a
  /// variant.
  std::set<std::string> fixed;
  std::vector<std::string> clips;   // positional arguments
  std::vector<std::string> inputs;  // files that options name
  Size size{1280, 720};
  Variant variant{"default", {"--preset", "default"}};
  std::vector<std::string> run_words;
  int64_t frames = 20, runs = 3;  // runs 0: the verb does not repeat

  /// The given clip, or a generated one, in a size; Y'CbCr is not converted.
  Clip load(Size wanted) const;
  /// The configuration of the variant, with ctenc's options `more` appended.
  ctv_config config(const Clip& clip, const std::vector<std::string>& more) const;
  /// Throws Failure(kUsage) for a variant that cannot run.
  void check_variant(const Variant& v) const;
  /// Variant, clip, frames, runs: "settings" of documents about one clip. measured: frames of the clip.
  Json settings(size_t measured) const;

  Exit run(int argc, const char* const* argv, const Steps& steps);

  // Shows a progress line, on a terminal only.
  void show(const std::string& what);
  /// Reports once in one line what is left out and why, and records it.
  void leave_out(const std::string& why);
  /// The available ways to run the configuration; the others are left out.
  std::vector<Runner> runners(const ctv_config& config) {
    return available_runners(config, [this](const std::string& why) { leave_out(why); });
  }
  /// Shows `what` and measures it. Leaves it out if a file, a program or the device fails.
  void attempt(const std::string& what, const std::function<void()>& measure);

 private:
  void clear();

  std::string verb_, json_;
  bool progress_ = true, quiet_ = false, visible_ = false;
  std::vector<std::string> left_out_;
  std::vector<std::pair<std::string, std::vector<std::string>*>> repeated_;
};

/// Parses an option's value: numbers separated by commas. Throws Failure(kUsage).
std::vector<double> numbers(const std::string& option, const std::string& s);

/// Cores of this machine, 1 to 256.
int cores();

/// A document's tables as Markdown, by report/tables.py. Throws Failure, for example without python3.
std::string tables_of(const Json& document);

}  // namespace ctv::tools
