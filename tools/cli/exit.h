// SPDX-License-Identifier: BSD-3-Clause
// Exit codes of the tools, the exception that carries one, and the function around every main(). A tool that
// fails prints one line, "tool: what happened (what to do)", and leaves no incomplete file.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include <ctv/ctv.hpp>

namespace ctv::tools {

/// docs/tools.md explains them for scripts.
enum class Exit : int {
  kOk = 0,
  kUsage = 1,   // an option or argument is wrong
  kFile = 2,    // the input cannot be read or the output not written
  kStream = 3,  // the stream is damaged
  kLimit = 4,   // a limit (pixels, memory) would be exceeded
  kDevice = 5,  // the requested device is missing or has failed
  kDefect = 70  // a defect of ctv itself
};

class Failure : public std::runtime_error {
 public:
  /// hint: advice for the user; may be empty.
  Failure(Exit code, const std::string& message, const std::string& hint = "")
      : std::runtime_error(hint.empty() ? message : message + " (" + hint + ")"), code_(code) {}
  Exit code() const noexcept { return code_; }

 private:
  Exit code_;
};

/// The exit code for a status of the library.
Exit exit_of(ctv_status status);

/// One line for an error of the library, with a hint if memory is short; and the line for lack of memory in
/// the tool itself.
std::string line_of(const Error& e);
std::string memory_line();

/// Calls body(). Any failure becomes one line on stderr and an exit code.
int run_tool(const char* program, const std::function<Exit()>& body);

}  // namespace ctv::tools
