// SPDX-License-Identifier: BSD-3-Clause
// The options' parser, and that every option reaches the man page and the completions.
#include <gtest/gtest.h>

#include "cli/messages.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/run_options.h"

namespace ctv::tools {
namespace {

struct Parsed {
  std::string input;
  RunOptions run;
  bool go_on = false;
};

Parsed parse(std::vector<const char*> words) {
  ToolText text;
  text.name = "tool";
  text.summary = "does things";
  Options options(text);
  Parsed p;
  options.positional("INPUT", "What to read", [&](const std::string& s) { p.input = s; });
  add_run_options(options, p.run);
  words.insert(words.begin(), "tool");
  p.go_on = options.parse(static_cast<int>(words.size()), words.data());
  return p;
}

TEST(Options, Values) {
  const Parsed p = parse({"in", "--threads", "3", "--backend=cuda", "--engine", "fft", "-q", "--threads=4"});
  EXPECT_TRUE(p.go_on);
  EXPECT_EQ(p.input, "in");
  EXPECT_EQ(p.run.threads, 4);
  EXPECT_EQ(p.run.backend, CTV_BACKEND_CUDA);
  EXPECT_EQ(p.run.engine, CTV_ENGINE_FFT);
  EXPECT_TRUE(p.run.quiet);
  EXPECT_EQ(parse({"-"}).input, "-");
  EXPECT_EQ(parse({"-q", "--", "-in"}).input, "-in");
}

TEST(Options, Refusals) {
  for (const std::vector<const char*>& words : std::vector<std::vector<const char*>>{{"--threads", "x"},
                                                                                     {"--threads", "257"},
                                                                                     {"--threads", "-1"},
                                                                                     {"--threads"},
                                                                                     {"--backend", "gpu"},
                                                                                     {"--nothing"},
                                                                                     {"a", "b"}}) {
    try {
      parse(words);
      ADD_FAILURE() << words[0];
    } catch (const Failure& e) {
      EXPECT_EQ(e.code(), Exit::kUsage);
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(Options, MessagesHelp) {
  const auto message = [](const std::vector<const char*>& words) -> std::string {
    try {
      parse(words);
    } catch (const Failure& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({"--threads", "999"}), "--threads: 999 is out of range (0 to 256)");
  EXPECT_EQ(message({"--thread", "2"}), "there is no option --thread (did you mean --threads?)");
  EXPECT_EQ(message({"in", "--frobnicate"}), "there is no option --frobnicate (see tool --help)");
  EXPECT_EQ(message({"-i", "in"}), "there is no option -i (INPUT needs no option)");
  EXPECT_EQ(message({"in", "-d"}), "there is no option -d (did you mean --device?)");
  EXPECT_EQ(message({"in", "-x"}), "there is no option -x (see tool --help)");
  EXPECT_EQ(message({"in", "--json"}), "--json: FILE is missing (see tool --help)");
  EXPECT_NE(message({"a_1.png", "a_2.png"}).find("img_%05d.png"), std::string::npos);
}

TEST(Options, DefaultsAreShown) {
  ToolText text;
  text.name = "tool";
  Options options(text);
  RunOptions run;
  add_run_options(options, run);
  EXPECT_NE(help_text(text, options.list()).find("[default: auto]"), std::string::npos);
}

TEST(Messages, OneLineWithoutControlCharacters) {
  EXPECT_EQ(printable("a\nb\x1b[31mc\x7f"), "a?b?[31mc?");
  EXPECT_EQ(printable("caf\xc3\xa9"), "caf\xc3\xa9");
}

TEST(Options, EveryOptionIsInEveryDocument) {
  ToolText text;
  text.name = "tool";
  text.summary = "does it's things";
  Options options(text);
  RunOptions run;
  add_run_options(options, run);
  for (const OptionText& o : options.list()) {
    const std::string name = o.names.substr(o.names.rfind(',') + 1);
    ASSERT_TRUE(name.starts_with("--"));
    std::string escaped = "\\-\\-" + name.substr(2);
    for (size_t i = 4; (i = escaped.find('-', i)) != std::string::npos; i += 2) escaped.insert(i, "\\");
    EXPECT_NE(man_page(text, options.list()).find(escaped), std::string::npos) << name;
    EXPECT_NE(help_text(text, options.list()).find(name), std::string::npos) << name;
    EXPECT_NE(completion("bash", text, options.list()).find(name), std::string::npos) << name;
    EXPECT_NE(completion("zsh", text, options.list()).find(name), std::string::npos) << name;
    EXPECT_NE(completion("fish", text, options.list()).find("-l " + name.substr(2)), std::string::npos)
        << name;
  }
  EXPECT_THROW(completion("csh", text, options.list()), Failure);
}

}  // namespace
}  // namespace ctv::tools
