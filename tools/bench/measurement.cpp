// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measurement.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <thread>

#include "cli/signals.h"
#include "cli/text.h"
#include "io/check_files.h"
#include "io/output_file.h"

namespace ctv::tools {
namespace {

ToolText about(const std::string& verb, const char* summary, const char* description,
               Measurement::Examples examples) {
  ToolText text;
  text.name = "ctbench " + verb;
  text.summary = summary;
  text.description = description;
  text.examples = std::move(examples);
  return text;
}

/// Measurements are kept even if their tables cannot be shown.
void show_tables(const Json& document, bool complete) {
  std::string shown;
  try {
    shown = tables_of(document);
  } catch (const Failure& e) {
    shown = std::string("no tables: ") + e.what() + "; --json has the figures\n";
  }
  for (const Json& why : document["left_out"]) shown += "left out: " + why.get<std::string>() + "\n";
  std::fputs((shown + (complete ? "" : "Interrupted: some is missing.\n")).c_str(), stdout);
}

}  // namespace

std::vector<double> numbers(const std::string& option, const std::string& s) {
  std::vector<double> list;
  for (const std::string& part : split(s, ',')) {
    const auto value = parse_real(part);
    if (!value) throw Failure(Exit::kUsage, option + ": '" + s + "' is not a list of numbers");
    list.push_back(*value);
  }
  return list;
}

int cores() { return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 256U)); }

Measurement::Measurement(const char* verb, const char* summary, const char* description, Examples examples)
    : options(about(verb, summary, description, std::move(examples))), verb_(verb) {
  options.section("Measuring");
}

void Measurement::count(const char* name, const std::string& what, int64_t least, int64_t most,
                        int64_t& value) {
  options.integer(name, "N", what + text("; %lld unless given", static_cast<long long>(value)), least, most,
                  [&value](int64_t n) { value = n; });
}

void Measurement::real(const char* name, const std::string& what, double least, double most, double& value) {
  options.value(name, "X", what + text("; %g unless given", value), [=, &value](const std::string& s) {
    const auto number = parse_real(s);
    if (!number || *number < least || *number > most)
      throw Failure(Exit::kUsage, std::string(name) + ": '" + s + "' is out of range",
                    text("%g to %g", least, most));
    value = *number;
  });
}

void Measurement::extent(const char* name, const std::string& what, Size& value) {
  options.value(name, "WxH", what + text("; %dx%d unless given", value.first, value.second),
                [name, &value](const std::string& s) {
                  const auto parsed = parse_size(s);
                  if (!parsed)
                    throw Failure(Exit::kUsage, std::string(name) + ": '" + s + "' is not WIDTHxHEIGHT");
                  value = *parsed;
                });
}

void Measurement::variant_option() {
  options.value("--variant", "VARIANT",
                "A preset, or NAME:KEY=VALUE,... with ctenc's options and the fields of --set as keys; " +
                    variant.name + " unless given",
                [this](const std::string& s) { variant = parse_variant(s); });
}

void Measurement::repeated(const char* name, const char* metavar, const char* help,
                           std::vector<std::string>& values) {
  options.value(name, metavar, std::string(help) + "; may be given several times", [](const std::string&) {});
  repeated_.emplace_back(name, &values);
}

void Measurement::run_options(std::initializer_list<const char*> names) {
  for (const char* name : names)
    options.value(name, "X", "As ctenc's: how ours runs", [this, name](const std::string& s) {
      run_words.insert(run_words.end(), {name, s});
    });
}

void Measurement::clip_options() {
  extent("--size", "Size that the clip is scaled to", size);
  variant_option();
  count("--frames", "Frames of the clip", 1, 1 << 16, frames);
  if (runs > 0) count("--runs", "Runs that count, after one to warm up", 1, 1000, runs);
  for (const char* name : {"--threads", "--backend", "--engine", "--device", "--in-flight"})
    if (!fixed.contains(name)) run_options({name});
}

Clip Measurement::load(Size wanted) const {
  const std::string path = !clips.empty() ? clips[0]
                                          : text("generate:%dx%d@30:%lld", wanted.first, wanted.second,
                                                 static_cast<long long>(frames));
  Clip clip = load_clip(path, frames);
  if (clips.empty()) clip.name = "generated";
  return resized(clip, wanted.first, wanted.second, false);
}

ctv_config Measurement::config(const Clip& clip, const std::vector<std::string>& more) const {
  return make_config(variant_options(variant, run_words, more), clip.video);
}

void Measurement::check_variant(const Variant& v) const {
  variant_options(v, run_words, {});
  for (const std::string& word : v.arguments)
    if (fixed.contains(word))
      throw Failure(Exit::kUsage, "variant " + v.name + ": " + verb_ + " sets " + word + " itself",
                    "leave it out");
}

Json Measurement::settings(size_t measured) const {
  Json all = {{"variant", variant.name},
              {"arguments", variant.arguments},
              {"run", run_words},
              {"clip", clips.empty() ? "generated" : clip_name(clips[0])},
              {"frames", measured}};
  if (runs > 0) all["runs"] = runs;
  return all;
}

Exit Measurement::run(int argc, const char* const* argv, const Steps& steps) {
  options.section("Reports");
  options.value(
      "--json", "FILE", "Write all as JSON; - is standard output",
      [this](const std::string& s) { json_ = s; }, ValueKind::kFile);
  options.flag("-q,--quiet", "Say nothing but errors", [this] { quiet_ = true; });
  options.flag("--no-progress", "No moving line on the terminal", [this] { progress_ = false; });
  if (most_clips > 0) options.operands(most_clips > 1 ? "[CLIP...]" : "[CLIP]");
  const Arguments arguments = take_arguments(argc, argv, options, repeated_);
  if (!options.parse(static_cast<int>(arguments.rest.size()), arguments.rest.data())) return Exit::kOk;
  clips = arguments.positional;
  if (clips.size() > most_clips)
    throw Failure(Exit::kUsage, verb_ + (most_clips == 0 ? " takes no clip" : " takes one clip at most"),
                  "see --help");
  std::vector<std::string> read = clips;
  read.insert(read.end(), inputs.begin(), inputs.end());
  check_files(read, {json_});
  if (steps.check) steps.check();
  check_variant(variant);  // reports errors before measuring
  // Opened before measuring, so that an unwritable path is reported first.
  const auto json = json_.empty() ? nullptr : std::make_unique<OutputFile>(json_);

  Json document = {{"tool", "ctbench"}, {"kind", verb_}, {"schema", 1}, {"complete", true}};
  document["machine"] = machine_json();
  try {
    steps.measure(document);
  } catch (const Interrupted&) {
    put_off_signal();
    document["complete"] = false;  // partial results are kept
  }
  clear();
  document["left_out"] = left_out_;
  const bool complete = document["complete"];
  bool any = false;
  for (const char* what : {"results", "clips", "series", "tables"})
    any |= document.contains(what) && !document[what].empty();
  if (!any && complete) throw Failure(Exit::kFile, "nothing could be measured");
  if (any && json) {
    json->write(std::string_view(dump(document)));
    json->commit();
  }
  if (any && !quiet_ && json_ != "-") show_tables(document, complete);
  const std::string defect = any && steps.defect ? steps.defect(document) : "";
  if (!defect.empty()) throw Failure(Exit::kDefect, defect);
  if (std::fflush(stdout) != 0) throw Failure(Exit::kFile, "cannot write standard output");
  if (complete) return Exit::kOk;
  std::fprintf(stderr, "ctbench: interrupted%s\n",
               any && json ? "; what was measured until then is written" : "");
  die_by_signal();  // an interrupted run still ends by the signal
  return Exit::kFile;
}

void Measurement::show(const std::string& what) {
  check_interrupted();
  if (!progress_ || quiet_ || isatty(STDERR_FILENO) != 1) return;
  std::fprintf(stderr, "\r%-78.78s", what.c_str());
  std::fflush(stderr);
  visible_ = true;
}

void Measurement::clear() {
  if (visible_) std::fprintf(stderr, "\r%78s\r", "");
  visible_ = false;
}

void Measurement::leave_out(const std::string& why) {
  if (std::find(left_out_.begin(), left_out_.end(), why) != left_out_.end()) return;
  left_out_.push_back(why);
  clear();
  if (!quiet_) std::fprintf(stderr, "ctbench: left out: %s\n", why.c_str());
}

void Measurement::attempt(const std::string& what, const std::function<void()>& measure) {
  show(what);
  try {
    measure();
  } catch (const Failure& e) {
    if (e.code() != Exit::kFile && e.code() != Exit::kDevice) throw;
    leave_out(what + ": " + e.what());
  }
}

}  // namespace ctv::tools
