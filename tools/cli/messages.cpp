// SPDX-License-Identifier: BSD-3-Clause
#include "cli/messages.h"

#include <atomic>
#include <cstdio>

#include "cli/progress.h"

namespace ctv::tools {
namespace {

// Log lines of the library may come from other threads.
std::atomic<const char*> g_program{"ctv"};
std::atomic<bool> g_warnings{true};

void say(const char* kind, const std::string& what) {
  clear_progress_line();
  std::fprintf(stderr, "%s: %s%s\n", g_program.load(), kind, printable(what).c_str());
}

}  // namespace

void set_program_name(const char* name) { g_program = name; }
void show_warnings(bool shown) { g_warnings = shown; }

void warn(const std::string& what) {
  if (g_warnings) say("warning: ", what);
}
void say_error(const std::string& what) { say("", what); }

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  return out;
}

}  // namespace ctv::tools
