// SPDX-License-Identifier: BSD-3-Clause
// What all verbs of ctbench do alike: options, the line of progress, the document, and how a run ends.
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

/// What a verb adds to a Measurement; only `measure` is required.
struct Steps {
  std::function<void()> check = {};                     // of the whole command line; throws Failure
  std::function<void(Json&)> measure = {};              // fills the document; Interrupted keeps what is there
  std::function<std::string(const Json&)> defect = {};  // "", or what makes the exit code 70
};

class Measurement {
 public:
  using Examples = std::vector<std::pair<std::string, std::string>>;
  Measurement(const char* verb, const char* summary, const char* description, Examples examples);
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

  // Options; each stores into `value`, whose content before is the default that --help tells.
  Options options;
  void count(const char* name, const std::string& what, int64_t least, int64_t most, int64_t& value);
  void real(const char* name, const std::string& what, double least, double most, double& value);
  void extent(const char* name, const std::string& what, Size& value);
  void variant_option();
  void repeated(const char* name, const char* metavar, const char* help, std::vector<std::string>& values);
  /// ctenc's options for how ours runs.
  void run_options(std::initializer_list<const char*> names);
  /// --size, --variant, --frames, --runs and ctenc's that are not `fixed`: one clip in one size, and how it
  /// is coded.
  void clip_options();

  size_t most_clips = 1;
  /// ctenc's options that the verb sets itself, at any rate: there is no such option, nor in a variant.
  std::set<std::string> fixed;
  std::vector<std::string> clips;   // positional arguments
  std::vector<std::string> inputs;  // files that options name
  Size size{1280, 720};
  Variant variant{"default", {"--preset", "default"}};
  std::vector<std::string> run_words;
  int64_t frames = 20, runs = 3;  // runs 0: the verb has none

  /// The clip that was given, or a generated one, in a size; Y'CbCr as it is.
  Clip load(Size wanted) const;
  /// The variant with `more` of ctenc's options after it.
  ctv_config config(const Clip& clip, const std::vector<std::string>& more) const;
  /// Throws Failure(kUsage) for a variant that cannot be run as it says.
  void check_variant(const Variant& v) const;
  /// Variant, clip, frames, runs: "settings" of documents about one clip. measured: frames of the clip.
  Json settings(size_t measured) const;

  Exit run(int argc, const char* const* argv, const Steps& steps);

  // While measuring: one moving line, on a terminal only.
  void show(const std::string& what);
  /// Says once in one line what is left out and why, and remembers it.
  void leave_out(const std::string& why);
  /// How the configuration can be run here; what is missing is left out.
  std::vector<Runner> runners(const ctv_config& config) {
    return available_runners(config, [this](const std::string& why) { leave_out(why); });
  }
  /// Shows `what` and measures it; leaves it out if a file, a program or the device fails.
  void attempt(const std::string& what, const std::function<void()>& measure);

 private:
  void clear();

  std::string verb_, json_;
  bool progress_ = true, quiet_ = false, visible_ = false;
  std::vector<std::string> left_out_;
  std::vector<std::pair<std::string, std::vector<std::string>*>> repeated_;
};

/// The value of an option: numbers with commas between them. Throws Failure(kUsage).
std::vector<double> numbers(const std::string& option, const std::string& s);

/// Of this machine, 1 to 256.
int cores();

/// A document's tables as Markdown, by report/tables.py. Throws Failure, where there is no python3, say.
std::string tables_of(const Json& document);

}  // namespace ctv::tools
