// SPDX-License-Identifier: BSD-3-Clause
#include "bench/process.h"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/exit.h"
#include "cli/signals.h"

namespace ctv::tools {

bool find_program(const std::string& name) {
  return run_process({"sh", "-c", "command -v \"$0\"", name}).code == 0;
}

std::string ProcessResult::last_line() const {
  const size_t end = output.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  const size_t begin = output.find_last_of("\r\n", end) + 1;
  return output.substr(begin, end + 1 - begin);
}

ProcessResult run_process(const std::vector<std::string>& command) {
  check_interrupted();
  const auto start = std::chrono::steady_clock::now();
  std::FILE* const pipe = popen(("exec " + shown_command(command) + " </dev/null 2>&1").c_str(), "re");
  if (pipe == nullptr) throw Failure(Exit::kFile, command[0] + " does not start: " + std::strerror(errno));
  ProcessResult result;
  char buffer[4096];
  while (std::feof(pipe) == 0) {
    if (std::ferror(pipe) != 0) std::clearerr(pipe);  // a signal
    result.output.append(buffer, std::fread(buffer, 1, sizeof buffer, pipe));
  }
  const int status = pclose(pipe);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  check_interrupted();
  return result;
}

std::string shown_command(const std::vector<std::string>& command) {
  std::string shown;
  for (const std::string& word : command) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || std::strchr("-_./:=,+@%", c) != nullptr;
    });
    std::string quoted;
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    shown += (shown.empty() ? "" : " ") + (plain ? word : "'" + quoted + "'");
  }
  return shown;
}

ScratchFolder::ScratchFolder() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = std::string(base != nullptr && *base != 0 ? base : "/tmp") + "/ctbench-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr)
    throw Failure(Exit::kFile, "no folder for temporary files: " + pattern + ": " + std::strerror(errno),
                  "set TMPDIR");
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace ctv::tools
