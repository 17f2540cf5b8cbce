// SPDX-License-Identifier: BSD-3-Clause
// Messages of a tool on standard error: one line each, "tool: warning: ...", never on the progress line.
#pragma once

#include <string>
#include <string_view>

namespace ctv::tools {

/// Names the tool in messages; the string must outlive all messages.
void set_program_name(const char* name);
/// Turns warnings off and on (--quiet). Errors are always shown.
void show_warnings(bool shown);

/// Writes "tool: warning: what".
void warn(const std::string& what);
void say_error(const std::string& what);

/// Replaces control characters by '?', so that names and headers of foreign files cannot control a terminal,
/// and a message stays one line.
std::string printable(std::string_view text);

}  // namespace ctv::tools
